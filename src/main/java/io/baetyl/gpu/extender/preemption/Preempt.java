package io.baetyl.gpu.extender.preemption;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.WatchedPod;
import io.baetyl.gpu.extender.wire.Json;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers whom to preempt ({@code ExtenderPreemptionArgs}, {@code ExtenderPreemptionResult}). */
public final class Preempt implements Verb {
  private final Preemption preemption;

  public Preempt(Picture picture) {
    preemption = new Preemption(picture);
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Args(
      @JsonProperty("Pod") WatchedPod pod,
      @JsonProperty("NodeNameToMetaVictims") Map<String, Victims> nodes) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Victims(
      @JsonProperty("Pods") List<MetaPod> pods,
      @JsonProperty("NumPDBViolations") long budgetViolations) {
    List<String> uids() {
      return pods == null
          ? List.of()
          : pods.stream().filter(pod -> pod != null && pod.uid != null).map(MetaPod::uid).toList();
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record MetaPod(@JsonProperty("UID") String uid) {}

  @Override
  public void answer(byte[] body, int length, JsonBytes out) throws MalformedCall {
    var args = read(body, length);
    var pod = PodFacts.of(args.pod);
    out.raw("{\"NodeNameToMetaVictims\":{");
    String comma = "";
    for (var node : args.nodes.entrySet()) {
      var proposed = node.getValue() == null ? List.<String>of() : node.getValue().uids();
      var victims =
          pod.demands().isEmpty()
              ? Optional.of(proposed)
              : preemption.victims(pod, node.getKey(), proposed);
      if (victims.isPresent()) {
        out.raw(comma).string(node.getKey()).raw(":{\"Pods\":[");
        writePods(victims.get(), out);
        long violations = node.getValue() == null ? 0 : node.getValue().budgetViolations;
        out.raw("],\"NumPDBViolations\":").number(violations).raw('}');
        comma = ",";
      }
    }
    out.raw("}}");
  }

  private static void writePods(List<String> uids, JsonBytes out) {
    String comma = "{\"UID\":";
    for (var uid : uids) {
      out.raw(comma).string(uid).raw('}');
      comma = ",{\"UID\":";
    }
  }

  /** No node is a node on which nobody is ended. */
  @Override
  public void fail(String error, JsonBytes out) {
    out.raw("{\"NodeNameToMetaVictims\":{}}");
  }

  private static Args read(byte[] body, int length) throws MalformedCall {
    Args args;
    try {
      args = Json.MAPPER.readValue(body, 0, length, Args.class);
    } catch (IOException unreadable) {
      throw Json.malformed(unreadable);
    }
    if (args == null || args.pod == null) {
      throw new MalformedCall("the call names no pod");
    }
    if (args.nodes == null) {
      throw new MalformedCall(
          "the call has no NodeNameToMetaVictims: set nodeCacheCapable: true for this extender in"
              + " the scheduler's configuration");
    }
    return args;
  }
}
