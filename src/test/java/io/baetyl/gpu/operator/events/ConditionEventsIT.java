package io.baetyl.gpu.operator.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That a change of Ready becomes an Event, once, on a real API server. */
class ConditionEventsIT {
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
  }

  @AfterAll
  static void stop() {
    operator.close();
    controlPlane.close();
  }

  private static List<Condition> ready(String status, String reason, String message) {
    return List.of(new Condition("Ready", status, reason, message, null, null));
  }

  private static GpuNode gpuNode(String name) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(name).build());
    return controlPlane.admin().resource(gpuNode).create();
  }

  private static List<Event> about(GpuNode gpuNode) {
    return controlPlane
        .admin()
        .v1()
        .events()
        .inNamespace("default")
        .withField("involvedObject.uid", gpuNode.getMetadata().getUid())
        .list()
        .getItems();
  }

  @Test
  void eachChangeOfStatusOrReasonIsToldOnce() {
    var gpuNode = gpuNode("edge-01");
    var events = new ConditionEvents(new ObjectEvents(operator, Clock.systemUTC()));
    var starts = ready("False", StartReasons.COMPONENT, "it starts");
    var failed = ready("False", "ComponentNotReady", "it keeps ending");
    var runs = ready("True", "Sharing", "it runs");

    events.onChange(gpuNode, List.of(), starts);
    events.onChange(gpuNode, starts, failed);
    events.onChange(gpuNode, failed, ready("False", "ComponentNotReady", "in other words"));
    events.onChange(gpuNode, failed, runs);
    events.onChange(gpuNode, runs, runs);

    assertThat(about(gpuNode))
        .extracting(Event::getType, Event::getReason, Event::getMessage)
        .containsExactlyInAnyOrder(
            tuple("Normal", "ComponentStarting", "it starts"),
            tuple("Warning", "ComponentNotReady", "it keeps ending"),
            tuple("Normal", "Sharing", "it runs"));
  }

  @Test
  void anEventThatIsRefusedStopsNothing() {
    var gpuNode = gpuNode("edge-02");
    try (var nobody = controlPlane.as("baetyl-accelerator-metrics")) {
      new ConditionEvents(new ObjectEvents(nobody, Clock.systemUTC()))
          .onChange(gpuNode, List.of(), ready("True", "Sharing", "it runs"));
    }

    assertThat(about(gpuNode)).isEmpty();
  }
}
