package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.config.Settings;
import io.baetyl.gpu.operator.resolve.Demand;
import io.baetyl.gpu.operator.resolve.PluginKind;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The workloads on a real API server, made with the rights that the operator has. */
class WorkloadsIT {
  private static final Blueprint BLUEPRINT =
      new Blueprint(
          Settings.of(
              Map.of(
                  "image-pull-policy", "Never",
                  "image-pull-secrets", "pull-secret",
                  "cluster-tolerations", "[]",
                  // 1000m reads back as 1, and 1024Mi as 1Gi.
                  "metrics-cpu-request", "1000m",
                  "metrics-memory-request", "1024Mi",
                  "metrics-memory-limit", "2Gi")),
          "localhost/gpu:1",
          "localhost/kube-scheduler:1");
  private static final String SCHEDULER_TLS = "baetyl-gpu-scheduler-tls";
  private static final PluginKind SHARED =
      new PluginKind(AcceleratorType.NVIDIA, AllocationMode.SHARED);
  private static final PluginKind WHOLE =
      new PluginKind(AcceleratorType.NVIDIA, AllocationMode.DEVICES);
  private static final Demand EVERYTHING = demand(List.of(SHARED), "baidu.com/vcuda-memory");
  private static final Demand NOTHING =
      new Demand(false, new TreeSet<>(), new TreeSet<>(), Map.of());

  private static final List<String> written = new CopyOnWriteArrayList<>();
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;
  private static Workloads workloads;

  private static Demand demand(List<PluginKind> plugins, String... resources) {
    return new Demand(true, new TreeSet<>(plugins), new TreeSet<>(List.of(resources)), Map.of());
  }

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    operator =
        controlPlane.as(
            "baetyl-gpu-operator",
            request -> {
              if (!request.method().equals("GET")) {
                written.add(request.method() + " " + request.uri());
              }
            });
  }

  private static Workloads reconciledBy(KubernetesClient client) {
    var clock = Clock.systemUTC();
    return new Workloads(
        client, Owner.current(client), new AdmissionKinds(client, clock), BLUEPRINT, clock);
  }

  @AfterAll
  static void stop() {
    operator.close();
    controlPlane.close();
  }

  @BeforeEach
  void withNothing() {
    workloads = reconciledBy(operator);
    workloads.reconcile(NOTHING);
  }

  /** Every object of ours, by kind and name, with its version. */
  private static Map<String, String> versions() {
    var versions = new TreeMap<String, String>();
    ours()
        .forEach(
            object ->
                versions.put(
                    object.getKind() + " " + object.getMetadata().getName(),
                    object.getMetadata().getResourceVersion()));
    return versions;
  }

  private static Stream<? extends HasMetadata> ours() {
    var admin = controlPlane.admin();
    return Stream.of(
            admin.apps().daemonSets().inAnyNamespace().list().getItems(),
            admin.apps().deployments().inAnyNamespace().list().getItems(),
            admin.services().inAnyNamespace().list().getItems(),
            admin.configMaps().inAnyNamespace().list().getItems(),
            admin.secrets().inAnyNamespace().list().getItems(),
            policies("MutatingAdmissionPolicy"),
            policies("MutatingAdmissionPolicyBinding"),
            policies("ValidatingAdmissionPolicy"),
            policies("ValidatingAdmissionPolicyBinding"))
        .flatMap(List::stream)
        .filter(ObjectStore::isOurs);
  }

  private static List<? extends HasMetadata> policies(String kind) {
    return controlPlane
        .admin()
        .genericKubernetesResources("admissionregistration.k8s.io/v1", kind)
        .list()
        .getItems();
  }

  @Test
  void everythingIsMadeWithTheOperatorsOwnRights() {
    workloads.reconcile(EVERYTHING);

    assertThat(versions().keySet())
        .containsExactlyInAnyOrder(
            "DaemonSet baetyl-accelerator-metrics",
            "DaemonSet baetyl-accelerator-device-plugin-nvidia-shared",
            "Deployment baetyl-gpu-scheduler-extender",
            "Deployment baetyl-gpu-scheduler",
            "Service baetyl-gpu-scheduler-extender",
            "ConfigMap baetyl-gpu-scheduler",
            "Secret baetyl-gpu-ca",
            "Secret baetyl-gpu-scheduler-extender-tls",
            "Secret baetyl-gpu-scheduler-tls",
            "MutatingAdmissionPolicy gpu-sharing-pods.gpu.baetyl.io",
            "MutatingAdmissionPolicyBinding gpu-sharing-pods.gpu.baetyl.io",
            "ValidatingAdmissionPolicy gpu-sharing-pods.gpu.baetyl.io",
            "ValidatingAdmissionPolicyBinding gpu-sharing-pods.gpu.baetyl.io");
  }

  /** So that the garbage collector clears up where the operator is removed with its resources. */
  @Test
  void everythingGoesWithTheDefinitionOfGpuNode() {
    workloads.reconcile(EVERYTHING);

    var definition = definition();
    assertThat(owners())
        .hasSize(13)
        .containsOnly(
            new OwnerReferenceBuilder()
                .withApiVersion("apiextensions.k8s.io/v1")
                .withKind("CustomResourceDefinition")
                .withName("gpunodes.gpu.baetyl.io")
                .withUid(definition.getMetadata().getUid())
                .build());
  }

  @Test
  void aDefinitionThatWasMadeAgainIsTheOwnerInPlaceOfTheOldOne() {
    workloads.reconcile(EVERYTHING);
    var before = definition();
    controlPlane.admin().resource(before).delete();
    await("the old definition is gone").until(() -> definition() == null);
    assertThatThrownBy(() -> Owner.current(operator))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("gpunodes.gpu.baetyl.io");
    before.getMetadata().setResourceVersion(null);
    before.getMetadata().setUid(null);
    var after = controlPlane.admin().resource(before).create();

    reconciledBy(operator).reconcile(EVERYTHING);

    assertThat(owners())
        .hasSize(13)
        .extracting(OwnerReference::getUid)
        .containsOnly(after.getMetadata().getUid());
  }

  /** Of every object of ours, the one owner. */
  private static List<OwnerReference> owners() {
    return ours().flatMap(object -> object.getMetadata().getOwnerReferences().stream()).toList();
  }

  private static CustomResourceDefinition definition() {
    return controlPlane
        .admin()
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("gpunodes.gpu.baetyl.io")
        .get();
  }

  /** Counted as requests: the API server drops an apply that changes nothing. */
  @Test
  void theSecondTimeNothingIsWritten() {
    workloads.reconcile(EVERYTHING);
    assertThat(written).as("the first time").isNotEmpty();
    written.clear();

    reconciledBy(operator).reconcile(EVERYTHING);

    assertThat(written).isEmpty();
  }

  @Test
  void whatIsRefusedIsToldAndStopsNothingElse() {
    var foreign = Extender.deployment(BLUEPRINT);
    var labels = Map.of("app", "foreign");
    foreign.getMetadata().setLabels(labels);
    foreign.getSpec().getSelector().setMatchLabels(labels);
    foreign.getSpec().getTemplate().getMetadata().setLabels(labels);
    controlPlane.admin().resource(foreign).create();
    try {
      var refusals = workloads.reconcile(EVERYTHING);

      assertThat(refusals).containsOnlyKeys(Names.EXTENDER);
      assertThat(refusals.get(Names.EXTENDER))
          .isEqualTo(
              "somebody else has made the Deployment baetyl-gpu-scheduler-extender: delete it if nobody needs it, or make it anew under another name");
      assertThat(versions().keySet())
          .contains(
              "DaemonSet baetyl-accelerator-metrics",
              "DaemonSet baetyl-accelerator-device-plugin-nvidia-shared",
              "Deployment baetyl-gpu-scheduler",
              "ValidatingAdmissionPolicyBinding gpu-sharing-pods.gpu.baetyl.io");
    } finally {
      controlPlane.admin().resource(foreign).delete();
    }
  }

  @Test
  void whatWaitsForAnotherTellsItsReason() {
    var foreign =
        new ServiceBuilder(Extender.service(BLUEPRINT))
            .editMetadata()
            .withLabels(Map.of())
            .endMetadata()
            .editSpec()
            .withClusterIP("None")
            .withPorts(new ServicePortBuilder().withPort(80).build())
            .endSpec()
            .build();
    controlPlane.admin().resource(foreign).create();
    try {
      var refusals = workloads.reconcile(EVERYTHING);

      assertThat(refusals.get(Names.EXTENDER))
          .startsWith("somebody else has made the Service baetyl-gpu-scheduler-extender");
      assertThat(refusals.get(Names.SCHEDULER)).isEqualTo(refusals.get(Names.EXTENDER));
    } finally {
      controlPlane.admin().resource(foreign).delete();
    }
  }

  /** What could be merged into ours without a word, and taken away with it. */
  @Test
  void whatSomebodyElseMadeStaysAsItIs() {
    var foreign =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(Names.SCHEDULER)
            .withNamespace("kube-system")
            .endMetadata()
            .addToData("theirs", "kept")
            .build();
    controlPlane.admin().resource(foreign).create();
    try {
      var refusals = workloads.reconcile(EVERYTHING);
      workloads.reconcile(NOTHING);

      assertThat(refusals.get(Names.SCHEDULER))
          .startsWith("somebody else has made the ConfigMap baetyl-gpu-scheduler");
      var there = controlPlane.admin().resource(foreign).get();
      assertThat(there.getData()).isEqualTo(Map.of("theirs", "kept"));
      assertThat(there.getMetadata().getOwnerReferences()).isEmpty();
    } finally {
      controlPlane.admin().resource(foreign).delete();
    }
  }

  @Test
  void whatHasLostItsLabelsIsStillOurs() {
    workloads.reconcile(EVERYTHING);
    var service = Extender.service(BLUEPRINT);
    controlPlane
        .admin()
        .resource(service)
        .edit(
            there ->
                new ServiceBuilder(there).editMetadata().withLabels(null).endMetadata().build());

    assertThat(workloads.reconcile(EVERYTHING)).isEmpty();

    assertThat(controlPlane.admin().resource(service).get().getMetadata().getLabels())
        .containsAllEntriesOf(Names.labels(Names.EXTENDER));
  }

  @Test
  void whatCannotBeChangedIsMadeAnewIfItIsOurs() {
    workloads.reconcile(EVERYTHING);
    var ours = controlPlane.admin().secrets().inNamespace("kube-system").withName(SCHEDULER_TLS);
    var before = ours.get();
    ours.delete();
    controlPlane
        .admin()
        .resource(
            new SecretBuilder(before)
                .editMetadata()
                .withResourceVersion(null)
                .withUid(null)
                .endMetadata()
                .withType("kubernetes.io/tls")
                .build())
        .create();

    assertThat(workloads.reconcile(EVERYTHING)).isEmpty();

    assertThat(ours.get().getType()).isEqualTo("Opaque");
  }

  @Test
  void nothingIsLeftWhenNothingIsNeeded() {
    workloads.reconcile(EVERYTHING);

    workloads.reconcile(NOTHING);

    assertThat(versions()).isEmpty();
  }

  @Test
  void theSchedulerIsRolledWhenAResourceComes() {
    workloads.reconcile(EVERYTHING);
    var before = schedulerChecksum();

    workloads.reconcile(demand(List.of(SHARED), "baidu.com/vcuda-memory", "example.com/memory"));

    assertThat(schedulerChecksum()).isNotEqualTo(before);
  }

  private static String schedulerChecksum() {
    return controlPlane
        .admin()
        .apps()
        .deployments()
        .inNamespace("kube-system")
        .withName(Names.SCHEDULER)
        .get()
        .getSpec()
        .getTemplate()
        .getMetadata()
        .getAnnotations()
        .get("checksum/config");
  }

  @Test
  void eachWayOfHandingOutHasAPluginOfItsOwn() {
    workloads.reconcile(EVERYTHING);

    workloads.reconcile(demand(List.of(WHOLE)));

    assertThat(versions().keySet())
        .containsExactlyInAnyOrder(
            "DaemonSet baetyl-accelerator-metrics",
            "DaemonSet baetyl-accelerator-device-plugin-nvidia");
    var pod =
        controlPlane
            .admin()
            .apps()
            .daemonSets()
            .inNamespace("kube-system")
            .withName(Names.of(WHOLE))
            .get()
            .getSpec()
            .getTemplate()
            .getSpec();
    assertThat(pod.getContainers().getFirst().getArgs())
        .containsExactly("device-plugin", "--accelerator=nvidia", "--allocation=Devices");
    assertThat(pod.getNodeSelector())
        .containsEntry("gpu.baetyl.io/accelerator", "nvidia")
        .containsEntry("gpu.baetyl.io/allocation", "devices");
  }

  @Test
  void anEditByHandIsUndone() {
    workloads.reconcile(EVERYTHING);
    controlPlane
        .admin()
        .apps()
        .daemonSets()
        .inNamespace("kube-system")
        .withName(Names.METRICS)
        .patch(
            "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"metrics\",\"image\":\"other\"}]}}}}");

    workloads.reconcile(EVERYTHING);

    assertThat(
            controlPlane
                .admin()
                .apps()
                .daemonSets()
                .inNamespace("kube-system")
                .withName(Names.METRICS)
                .get()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage())
        .isEqualTo("localhost/gpu:1");
  }

  @Test
  void nodesAreLabelledAndClearedAndOtherLabelsStay() {
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName("edge-01")
            .addToLabels("pool", "vision")
            .endMetadata()
            .build();
    controlPlane.admin().resource(node).create();
    var labels = Map.of("gpu.baetyl.io/accelerator", "nvidia", "gpu.baetyl.io/allocation", "none");
    var nodeLabels = new NodeLabels(operator);

    nodeLabels.reconcile(Map.of("edge-01", Map.of("pool", "vision")), Map.of("edge-01", labels));
    var labelled = controlPlane.admin().resource(node).get().getMetadata().getLabels();
    nodeLabels.reconcile(Map.of("edge-01", labelled), Map.of());

    assertThat(labelled).containsAllEntriesOf(labels).containsEntry("pool", "vision");
    assertThat(controlPlane.admin().resource(node).get().getMetadata().getLabels())
        .isEqualTo(Map.of("pool", "vision"));
  }

  @Test
  void aNodeThatCannotBeLabelledIsToldAndStopsNoOther() {
    var node = new NodeBuilder().withNewMetadata().withName("edge-02").endMetadata().build();
    controlPlane.admin().resource(node).create();
    var labels = Map.of("gpu.baetyl.io/accelerator", "nvidia");
    var there = new TreeMap<String, Map<String, String>>();
    there.put("a-node-that-just-went", Map.of());
    there.put("edge-02", Map.of());

    var refusals =
        new NodeLabels(operator)
            .reconcile(there, Map.of("a-node-that-just-went", labels, "edge-02", labels));

    assertThat(refusals).containsOnlyKeys("a-node-that-just-went");
    assertThat(controlPlane.admin().resource(node).get().getMetadata().getLabels())
        .containsAllEntriesOf(labels);
  }
}
