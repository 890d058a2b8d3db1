package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvFromSourceBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What admission does to pods that ask for shared memory, and to no others. */
class SharingPodsIT {
  private static final String DEFAULT = "baidu.com/vcuda-memory";
  private static final String SECOND = "example.com/memory";
  private static ControlPlane controlPlane;

  @BeforeAll
  static void start() throws IOException {
    controlPlane = ControlPlane.start();
    controlPlane
        .admin()
        .resourceList(new ArrayList<>(Policies.sharingPods(new TreeSet<>(Set.of(DEFAULT, SECOND)))))
        .create();
    await("the policies are in force, each on its own time")
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              for (var resource : Set.of(DEFAULT, SECOND)) {
                assertThat(create(null, asking(resource, "1")).getSpec().getSchedulerName())
                    .startsWith("baetyl");
                assertRefused(() -> create("volcano", asking(resource, "1")));
              }
              assertRefused(() -> controlPlane.admin().resource(mirror()).create());
            });
  }

  private static void assertRefused(ThrowingCallable creation) {
    assertThatThrownBy(creation).isInstanceOf(KubernetesClientException.class);
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  private static Container asking(String resource, String units) {
    return new ContainerBuilder()
        .withName("c")
        .withImage("app")
        .withEnv(
            new EnvVar("FIRST", "1", null),
            new EnvVar("NVIDIA_VISIBLE_DEVICES", "all", null),
            new EnvVar("LAST", "2", null))
        .withNewResources()
        .addToLimits(resource, new Quantity(units))
        .endResources()
        .build();
  }

  private static Container plain() {
    return new ContainerBuilder()
        .withName("plain")
        .withImage("app")
        .withEnv(new EnvVar("NVIDIA_VISIBLE_DEVICES", "all", null))
        .build();
  }

  private static Pod create(String scheduler, Container... containers) {
    return controlPlane
        .admin()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withGenerateName("pod-")
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(scheduler)
                .withContainers(containers)
                .endSpec()
                .build())
        .create();
  }

  @Test
  void itIsSentToTheSchedulerThatKnowsCards() {
    assertThat(create(null, asking(DEFAULT, "4")).getSpec().getSchedulerName())
        .isEqualTo("baetyl-gpu-scheduler");
  }

  @Test
  void everyProfilesResourceCounts() {
    assertThat(create(null, plain(), asking(SECOND, "4")).getSpec().getSchedulerName())
        .isEqualTo("baetyl-gpu-scheduler");
  }

  @Test
  void bytesAreNoUnits() {
    assertThatThrownBy(() -> create(null, plain(), asking(DEFAULT, "2Gi")))
        .hasMessageContaining(
            "baidu.com/vcuda-memory counts units of memory, not bytes: ask for a whole number of them");
    assertThat(create(null, asking(DEFAULT, "1k")).getSpec().getSchedulerName())
        .isEqualTo("baetyl-gpu-scheduler");
  }

  @Test
  void anInitContainerAsksToo() {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withGenerateName("pod-")
            .endMetadata()
            .withNewSpec()
            .withInitContainers(asking(DEFAULT, "1"))
            .withContainers(plain())
            .endSpec()
            .build();

    var created = controlPlane.admin().resource(pod).create();

    assertThat(created.getSpec().getSchedulerName()).isEqualTo("baetyl-gpu-scheduler");
    assertThat(created.getSpec().getInitContainers().getFirst().getEnv())
        .extracting(EnvVar::getName)
        .containsExactly("FIRST", "LAST");
  }

  @Test
  void itsOwnChoiceOfCardsIsTakenAwayAndNothingElse() {
    var containers = create(null, asking(DEFAULT, "4"), plain()).getSpec().getContainers();

    assertThat(containers.getFirst().getEnv())
        .extracting(EnvVar::getName)
        .containsExactly("FIRST", "LAST");
    assertThat(containers.getLast().getEnv())
        .as(
            "a container beside it that asks for nothing is to see no card, whatever its image says")
        .containsExactly(new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null));
  }

  @Test
  void aContainerWithoutVariablesIsToldToSeeNoCardToo() {
    var silent = new ContainerBuilder().withName("silent").withImage("app").build();

    var containers = create(null, asking(DEFAULT, "4"), silent).getSpec().getContainers();

    assertThat(containers.getLast().getEnv())
        .containsExactly(new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null));
  }

  /** Admission does not read ConfigMaps, which may come after the pod. */
  @Test
  void whatComesByEnvFromIsOverriddenInContainersThatAskForNothingOnly() {
    var config = new EnvFromSourceBuilder().withNewConfigMapRef("cards", true).build();
    var asking = new ContainerBuilder(asking(DEFAULT, "4")).withEnvFrom(config).build();
    var beside = new ContainerBuilder(plain()).withEnvFrom(config).build();

    var containers = create(null, asking, beside).getSpec().getContainers();

    assertThat(containers).allMatch(container -> container.getEnvFrom().contains(config));
    assertThat(containers.getFirst().getEnv())
        .extracting(EnvVar::getName)
        .doesNotContain("NVIDIA_VISIBLE_DEVICES");
    assertThat(containers.getLast().getEnv())
        .containsExactly(new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null));
  }

  @Test
  void podsAreAdmittedByAnApiServerThatHasJustStarted() {
    controlPlane.restartApiServer();

    assertThat(create(null, asking(DEFAULT, "4")).getSpec().getSchedulerName())
        .isEqualTo("baetyl-gpu-scheduler");
  }

  @Test
  void zeroIsNotAsking() {
    var pod = create("other", asking(DEFAULT, "0"));

    assertThat(pod.getSpec().getSchedulerName()).isEqualTo("other");
  }

  @Test
  void otherPodsAreLeftAlone() {
    assertThat(create(null, plain()).getSpec().getSchedulerName()).isEqualTo("default-scheduler");
    assertThat(create(null, asking("example.com/fpga", "1")).getSpec().getSchedulerName())
        .isEqualTo("default-scheduler");
  }

  @Test
  void anotherSchedulerIsRefusedWithTheReason() {
    assertThatThrownBy(() -> create("volcano", asking(DEFAULT, "4")))
        .hasMessageContaining("not by volcano: remove schedulerName from the pod");
  }

  /** An API server before 1.36 has no MutatingAdmissionPolicy. */
  @Test
  void whereThePodCannotBeChangedItIsToldToNameTheScheduler() {
    var binding =
        Policies.sharingPods(new TreeSet<>(Set.of(DEFAULT))).stream()
            .filter(policy -> policy.getKind().equals("MutatingAdmissionPolicyBinding"))
            .findFirst()
            .orElseThrow();
    controlPlane.admin().resource(binding).delete();
    try {
      await("the pod is not changed, and refused")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> create(null, asking(DEFAULT, "4")))
                      .hasMessageContaining("set schedulerName: baetyl-gpu-scheduler in the pod"));
    } finally {
      controlPlane.admin().resource(binding).create();
      await("the policies are in force again")
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> create(null, asking(DEFAULT, "1")) != null);
    }
  }

  @Test
  void theMirrorPodOfAKubeletIsLetThrough() {
    try (var kubelet = controlPlane.asKubelet()) {
      assertThat(kubelet.resource(mirror()).create().getSpec().getSchedulerName())
          .isEqualTo("default-scheduler");
    }
  }

  @Test
  void nobodyElseMakesAMirrorPod() {
    assertThatThrownBy(() -> controlPlane.admin().resource(mirror()).create())
        .hasMessageContaining("remove the annotation kubernetes.io/config.mirror");
  }

  private static Pod mirror() {
    return new PodBuilder()
        .withNewMetadata()
        .withGenerateName("mirror-")
        .addToAnnotations("kubernetes.io/config.mirror", "x")
        .endMetadata()
        .withNewSpec()
        .withNodeName("edge-01")
        .withSchedulerName("default-scheduler")
        .withContainers(asking(DEFAULT, "1"))
        .endSpec()
        .build();
  }

  @Test
  void aContainerForDebuggingSeesNoCard() {
    var pod = create(null, asking(DEFAULT, "1"));

    var first = debug(pod, "first");
    var both = debug(first, "second");

    assertThat(both.getSpec().getEphemeralContainers())
        .hasSize(2)
        .allSatisfy(
            container ->
                assertThat(container.getEnv())
                    .containsExactly(
                        new EnvVar("OTHER", "1", null),
                        new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null)));
    assertThat(debug(create(null, plain()), "other").getSpec().getEphemeralContainers().getFirst())
        .extracting(container -> container.getEnv().getFirst().getValue())
        .isEqualTo("all");
  }

  private static Pod debug(Pod pod, String container) {
    return controlPlane
        .admin()
        .pods()
        .inNamespace("default")
        .withName(pod.getMetadata().getName())
        .ephemeralContainers()
        .edit(
            there ->
                new PodBuilder(there)
                    .editSpec()
                    .addNewEphemeralContainer()
                    .withName(container)
                    .withImage("debug")
                    .withEnv(
                        new EnvVar("NVIDIA_VISIBLE_DEVICES", "all", null),
                        new EnvVar("OTHER", "1", null))
                    .endEphemeralContainer()
                    .endSpec()
                    .build());
  }
}
