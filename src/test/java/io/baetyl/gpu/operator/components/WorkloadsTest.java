package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.Vendors;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every workload has, and that every setting reaches every workload. */
class WorkloadsTest {
  private static final DaemonSet METRICS = MetricsAgent.of(Blueprints.withEverythingSet());
  private static final DaemonSet PLUGIN =
      DevicePlugin.of(Blueprints.withEverythingSet(), AgentPods.PLUGIN);
  private static final Deployment EXTENDER = Extender.deployment(Blueprints.withEverythingSet());
  private static final Deployment SCHEDULER =
      Scheduler.deployment(
          Blueprints.withEverythingSet(),
          "checksum",
          new TreeSet<>(List.of("example.com/a", "example.com/b")));

  static Stream<HasMetadata> all() {
    return Stream.of(METRICS, PLUGIN, EXTENDER, SCHEDULER);
  }

  private static PodTemplateSpec template(HasMetadata workload) {
    return switch (workload) {
      case DaemonSet daemonSet -> daemonSet.getSpec().getTemplate();
      case Deployment deployment -> deployment.getSpec().getTemplate();
      default -> throw new IllegalArgumentException(workload.getKind());
    };
  }

  private static PodSpec pod(HasMetadata workload) {
    return template(workload).getSpec();
  }

  private static Container container(HasMetadata workload) {
    return pod(workload).getContainers().getFirst();
  }

  @ParameterizedTest
  @MethodSource("all")
  void theSettingsReachIt(HasMetadata workload) {
    assertThat(workload.getMetadata().getNamespace()).isEqualTo("somewhere");
    assertThat(container(workload).getImage()).startsWith("registry.local/").endsWith(":7");
    assertThat(container(workload).getImagePullPolicy()).isEqualTo("Always");
    assertThat(pod(workload).getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("pull-secret");
    assertThat(pod(workload).getTolerations())
        .extracting(Toleration::getKey)
        .containsExactly(workload instanceof DaemonSet ? "agents" : "cluster");
    assertThat(pod(workload).getPriorityClassName())
        .isEqualTo(workload instanceof DaemonSet ? "agent-class" : "cluster-class");
  }

  @Test
  void eachHasResourcesOfItsOwn() {
    assertThat(all().map(WorkloadsTest::container))
        .extracting(each -> each.getResources().getLimits().get("memory").toString())
        .containsExactly("201Mi", "202Mi", "203Mi", "204Mi");
  }

  @ParameterizedTest
  @MethodSource("all")
  void itIsProbedConfinedAndKnownAsOurs(HasMetadata workload) {
    var container = container(workload);
    assertThat(container.getReadinessProbe()).isNotNull();
    assertThat(container.getLivenessProbe()).isNotNull();
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(workload.getMetadata().getLabels())
        .containsEntry("app.kubernetes.io/managed-by", "baetyl-gpu-operator");
    assertThat(template(workload).getMetadata().getLabels())
        .containsAllEntriesOf(workload.getMetadata().getLabels());
  }

  /** Admission keeps these annotations of pods for those who decide on cards. */
  @ParameterizedTest
  @MethodSource("all")
  void itsPodsCarryNoAnnotationOfOurGroup(HasMetadata workload) {
    var annotations = template(workload).getMetadata().getAnnotations();

    assertThat(annotations == null ? Map.<String, String>of() : annotations)
        .noneSatisfy((name, value) -> assertThat(name).startsWith("gpu.baetyl.io/"));
  }

  @Test
  void onlyTheMetricsAgentIsPrivileged() {
    assertThat(container(METRICS).getSecurityContext().getPrivileged()).isTrue();
    for (var workload : List.of(PLUGIN, EXTENDER, SCHEDULER)) {
      assertThat(container(workload).getSecurityContext().getPrivileged()).isNull();
      assertThat(container(workload).getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
      assertThat(container(workload).getSecurityContext().getCapabilities().getDrop())
          .containsExactly("ALL");
    }
  }

  @Test
  void thereIsNeverASecondDevicePluginOnANode() {
    assertThat(PLUGIN.getSpec().getUpdateStrategy().getRollingUpdate().getMaxSurge().getIntVal())
        .isZero();
  }

  @Test
  void thereIsNeverASecondExtenderOrScheduler() {
    assertThat(List.of(EXTENDER, SCHEDULER))
        .allSatisfy(
            deployment -> {
              assertThat(deployment.getSpec().getReplicas()).isEqualTo(1);
              assertThat(deployment.getSpec().getStrategy().getType()).isEqualTo("Recreate");
            });
  }

  @Test
  void theSchedulerTellsWhatItSchedulesFor() {
    assertThat(Scheduler.resources(List.of(EXTENDER, SCHEDULER)))
        .containsExactlyInAnyOrder("example.com/a", "example.com/b");
    assertThat(Scheduler.resources(List.of(EXTENDER))).isEmpty();
  }

  @Test
  void theDevicePluginRunsWhereNvidiaCardsAreSharedOnly() {
    assertThat(pod(PLUGIN).getNodeSelector())
        .isEqualTo(
            Map.of(
                "gpu.baetyl.io/accelerator", "nvidia",
                "gpu.baetyl.io/allocation", "shared"));
    var architectures =
        pod(PLUGIN)
            .getAffinity()
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms()
            .getFirst()
            .getMatchExpressions()
            .getFirst();
    assertThat(architectures.getKey()).isEqualTo("kubernetes.io/arch");
    assertThat(architectures.getValues()).containsExactly("amd64");
  }

  @Test
  void theDevicePluginSeesNoMoreOfTheHostThanItReads() {
    assertThat(pod(PLUGIN).getVolumes())
        .filteredOn(volume -> volume.getHostPath() != null)
        .extracting(volume -> volume.getHostPath().getPath())
        .containsExactlyInAnyOrder(
            "/opt/kubelet/device-plugins",
            "/opt/kubelet/pod-resources",
            "/sys/fs/cgroup",
            "/dev",
            "/etc/cdi",
            "/run/cdi");
    assertThat(container(PLUGIN).getVolumeMounts())
        .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
        .extracting(VolumeMount::getName)
        .containsExactlyInAnyOrder("device-plugins", "tmp");
    assertThat(pod(PLUGIN).getSecurityContext().getSeccompProfile().getType())
        .isEqualTo("RuntimeDefault");
  }

  @Test
  void theMetricsAgentSeesWhatEachVendorNames() {
    assertThat(pod(METRICS).getVolumes())
        .filteredOn(volume -> volume.getHostPath() != null)
        .extracting(volume -> volume.getHostPath().getPath())
        .containsExactlyInAnyOrder("/dev", "/etc/cdi", "/opt", "/run", "/usr");
    assertThat(container(METRICS).getVolumeMounts())
        .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
        .extracting(VolumeMount::getName)
        .containsExactlyInAnyOrder("dev", "tmp");
    var mounted =
        container(METRICS).getVolumeMounts().stream().map(VolumeMount::getMountPath).toList();
    assertThat(Vendors.ALL)
        .flatExtracting(vendor -> vendor.requirements().hostFolders())
        .allSatisfy(
            folder ->
                assertThat(mounted)
                    .anySatisfy(
                        path ->
                            assertThat(Path.of("/host" + folder)).startsWithRaw(Path.of(path))));
  }

  /** Not every library brings its own with it where the loader looks by itself. */
  @Test
  void theMetricsAgentsLoaderFindsWhatTheVendorsLibrariesNeed() {
    assertThat(container(METRICS).getEnv())
        .filteredOn(variable -> variable.getName().equals("LD_LIBRARY_PATH"))
        .extracting(EnvVar::getValue)
        .containsExactly(
            "/host/usr/local/Ascend/driver/lib64"
                + ":/host/usr/local/Ascend/driver/lib64/common"
                + ":/host/usr/local/Ascend/driver/lib64/driver"
                + ":/host/opt/sophon/libsophon-current/lib");
  }

  @Test
  void baetylFindsTheMetricsPods() {
    assertThat(template(METRICS).getMetadata().getLabels())
        .containsEntry("baetyl-service-name", "baetyl-accelerator-metrics");
    assertThat(container(METRICS).getPorts().getFirst().getContainerPort()).isEqualTo(30060);
  }
}
