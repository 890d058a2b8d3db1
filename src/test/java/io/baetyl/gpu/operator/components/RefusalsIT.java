package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Why a DaemonSet has no pods, found with the operator's own rights. */
class RefusalsIT {
  private static final AtomicInteger requests = new AtomicInteger();
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;

  private final Refusals refusals = new Refusals(operator, Clock.systemUTC());

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator", request -> requests.incrementAndGet());
  }

  @AfterAll
  static void stop() {
    operator.close();
    controlPlane.close();
  }

  private static DaemonSet daemonSet(String uid, int pods) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(Names.METRICS)
        .withNamespace("kube-system")
        .withUid(uid)
        .endMetadata()
        .withNewStatus()
        .withDesiredNumberScheduled(2)
        .withCurrentNumberScheduled(pods)
        .endStatus()
        .build();
  }

  private static void event(DaemonSet object, String reason, String time, String message) {
    controlPlane
        .admin()
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withGenerateName("event-")
                .withNamespace("kube-system")
                .endMetadata()
                .withNewInvolvedObject()
                .withKind("DaemonSet")
                .withNamespace("kube-system")
                .withName(object.getMetadata().getName())
                .withUid(object.getMetadata().getUid())
                .endInvolvedObject()
                .withReason(reason)
                .withLastTimestamp(time)
                .withMessage(message)
                .build())
        .create();
  }

  @Test
  void theLastRefusalOfThisDaemonSetIsToldWithTheCure() {
    var daemonSet = daemonSet("uid-1", 1);
    event(daemonSet, "FailedCreate", "2026-03-01T12:00:00Z", "an older one");
    event(
        daemonSet,
        "FailedCreate",
        "2026-03-01T12:00:05Z",
        "Error creating: pods \"metrics-abcde\" is forbidden: violates PodSecurity");
    event(daemonSet, "SuccessfulCreate", "2026-03-01T12:00:09Z", "Created pod");
    event(daemonSet("uid-2", 1), "FailedCreate", "2026-03-01T12:00:09Z", "of another");

    assertThat(refusals.of(Names.METRICS, List.of(daemonSet)))
        .get()
        .asString()
        .startsWith("its pods are refused: Error creating: the pod is forbidden")
        .endsWith("since the node agents need the host's devices");
  }

  @Test
  void aDaemonSetThatHasItsPodsIsNotAskedAbout() {
    var daemonSet = daemonSet("uid-3", 2);
    event(daemonSet, "FailedCreate", "2026-03-01T12:00:00Z", "over long ago");

    assertThat(refusals.of(Names.METRICS, List.of(daemonSet))).isEmpty();
  }

  @Test
  void manyNodesAskTheApiServerOnce() {
    var daemonSet = daemonSet("uid-4", 0);
    refusals.of(Names.METRICS, List.of(daemonSet));
    int once = requests.get();

    refusals.of(Names.METRICS, List.of(daemonSet));

    assertThat(requests).hasValue(once);
  }
}
