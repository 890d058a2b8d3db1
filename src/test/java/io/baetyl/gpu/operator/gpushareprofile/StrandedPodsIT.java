package io.baetyl.gpu.operator.gpushareprofile;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which pods wait for a scheduler that does not know cards, found with the operator's rights. */
class StrandedPodsIT {
  private static final String RESOURCE = "baidu.com/vcuda-memory";
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;

  private Instant now = Instant.parse("2026-03-01T12:00:00Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);

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

  private static void pod(String scheduler, String node, String resource, String amount) {
    controlPlane
        .admin()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withGenerateName("pod-")
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(scheduler)
                .withNodeName(node)
                .addNewContainer()
                .withName("app")
                .withImage("app")
                .withNewResources()
                .addToLimits(resource, new Quantity(amount))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  @Test
  void onlyThoseThatWaitForAnotherSchedulerAndAskForTheResourceCount() {
    pod("default-scheduler", null, RESOURCE, "4");
    pod("volcano", null, RESOURCE, "1");
    pod("baetyl-gpu-scheduler", null, RESOURCE, "4");
    pod("default-scheduler", "edge-01", RESOURCE, "4");
    pod("default-scheduler", null, RESOURCE, "0");
    pod("default-scheduler", null, "example.com/fpga", "1");
    var stranded = new StrandedPods(operator, clock);

    assertThat(stranded.count(RESOURCE)).isEqualTo(2);

    pod("default-scheduler", null, RESOURCE, "4");
    assertThat(stranded.count(RESOURCE)).as("listed now and then only").isEqualTo(2);
    now = now.plus(StrandedPods.LOOK_AGAIN).plusSeconds(1);
    assertThat(stranded.count(RESOURCE)).isEqualTo(3);
  }
}
