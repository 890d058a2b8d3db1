package io.baetyl.gpu.metrics.reporting;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Whether the node has the accelerators that it is to have, in a condition. Pure. */
final class AcceleratorFound {
  private AcceleratorFound() {}

  /**
   * @param wanted the type that the node is to have; empty where whatever is found is right
   * @param devices those that count
   */
  static Condition condition(
      Optional<AcceleratorType> wanted, Survey survey, List<WatchedDevice> devices) {
    if (wanted.filter(type -> type != survey.type()).isPresent()) {
      return otherWanted(wanted.get(), survey, devices);
    }
    return switch (survey.driver()) {
      case Driver.Unasked unasked ->
          condition(Condition.UNKNOWN, "Detecting", "The agent is looking for accelerators");
      case Driver.Silent(var since, var whereToLook) ->
          condition(
              Condition.FALSE,
              "DriverHangs",
              "The %s driver has not answered since %s: %s; a reboot of the node helps where nothing else does"
                  .formatted(survey.type(), since.truncatedTo(ChronoUnit.SECONDS), whereToLook));
      case Driver.Troubled(var reason, var message) ->
          condition(Condition.FALSE, reason.value(), message);
      case Driver.Answering answering ->
          devices.isEmpty()
              ? condition(
                  Condition.FALSE,
                  "NoDevices",
                  "The %s driver works but knows no card: see that the card is seated and has power, and that lspci lists it"
                      .formatted(survey.type()))
              : condition(Condition.TRUE, "Found", inventory(devices));
    };
  }

  private static Condition otherWanted(
      AcceleratorType wanted, Survey survey, List<WatchedDevice> devices) {
    if (wanted == AcceleratorType.NONE) {
      return condition(
          Condition.UNKNOWN,
          "NotWanted",
          "The node is to have no accelerator, so none is looked for");
    }
    if (devices.isEmpty()) {
      return condition(
          Condition.FALSE,
          "NotFound",
          "The node is to have an accelerator of type %s, which this version cannot look for; of type %s it has none"
              .formatted(wanted, survey.type()));
    }
    return condition(
        Condition.FALSE,
        "WrongType",
        "The node is to have an accelerator of type %s, but has %s (%s): set spec.accelerator, or the node's label baetyl-accelerator, to %s"
            .formatted(wanted, inventory(devices), survey.type(), survey.type()));
  }

  /** Such as {@code 2 × Tesla P4}. */
  private static String inventory(List<WatchedDevice> devices) {
    var byModel =
        devices.stream()
            .collect(groupingBy(watched -> watched.device().model(), TreeMap::new, counting()));
    return byModel.entrySet().stream()
        .map(model -> model.getValue() + " × " + model.getKey())
        .collect(joining(", "));
  }

  private static Condition condition(String status, String reason, String message) {
    return new Condition(
        ConditionType.ACCELERATOR_FOUND.value(), status, reason, message, null, null);
  }
}
