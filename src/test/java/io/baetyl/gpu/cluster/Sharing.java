package io.baetyl.gpu.cluster;

import static io.baetyl.gpu.cluster.SharingPod.RESOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.model.ShareRules;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Nodes that share their cards by one profile, and the pods of one test in a namespace of its own.
 */
final class Sharing implements AutoCloseable {
  /** The rules that a profile without a spec has; written out, since an empty spec is not sent. */
  static final GpuShareProfileSpec BINPACK =
      new GpuShareProfileSpec(null, null, Placement.BINPACK, null, null, null);

  /**
   * How long a pod may take from its creation, or from room becoming free, to running on 2 cores.
   */
  static final Duration POD_START = Duration.ofSeconds(30);

  private static final String STATIC_PODS = "/etc/kubernetes/manifests/";

  private final KubernetesClient client;
  private final ShareRules rules;
  private final String namespace;
  private final String node;

  private Sharing(KubernetesClient client, ShareRules rules, String namespace, String node) {
    this.client = client;
    this.rules = rules;
    this.namespace = namespace;
    this.node = node;
  }

  /**
   * Shares the cards of these nodes by a profile; returns when pods can come. The test's pods go to
   * the first of them.
   */
  static Sharing of(TestCluster cluster, GpuShareProfileSpec spec, String... nodes) {
    var client = cluster.client();
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName(GpuShareProfile.DEFAULT_NAME).build());
    profile.setSpec(spec);
    client.resource(profile).serverSideApply();
    var wanted = List.of(nodes);
    wanted.forEach(node -> share(client, node));
    wanted.forEach(node -> awaitReady(client, node));
    // A product that was there before is replaced while its GpuNodes stay Ready.
    Components.awaitRolledOut(client);
    wanted.forEach(node -> awaitReady(client, node));
    return new Sharing(client, ShareRules.of(spec), namespace(client), wanted.getFirst());
  }

  /** A namespace for the pods of a node that shares nothing. */
  static Sharing ofNothing(TestCluster cluster, String node) {
    var client = cluster.client();
    return new Sharing(client, ShareRules.of(BINPACK), namespace(client), node);
  }

  private static String namespace(KubernetesClient client) {
    var namespace = "sharing-" + UUID.randomUUID().toString().substring(0, 8);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    // No pod is admitted before; the controllers need up to a minute after the API server was away.
    await("the service account of " + namespace)
        .atMost(Duration.ofSeconds(90))
        .until(
            () ->
                client.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
    return namespace;
  }

  private static void share(KubernetesClient client, String node) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(node).build());
    gpuNode.setSpec(new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, null));
    client.resource(gpuNode).serverSideApply();
  }

  private static void awaitReady(KubernetesClient client, String node) {
    await("GpuNode " + node + " is Ready")
        .atMost(Duration.ofSeconds(120))
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(
            () -> {
              var gpuNode = client.resources(GpuNode.class).withName(node).get();
              assertThat(Condition.find(gpuNode.statusOrEmpty().conditions(), ConditionType.READY))
                  .as("conditions: %s", gpuNode.statusOrEmpty().conditions())
                  .hasValueSatisfying(
                      ready -> assertThat(ready.status()).isEqualTo(Condition.TRUE));
              assertThat(allocatable(client, node, RESOURCE))
                  .isEqualTo(gpuNode.getStatus().summary().units());
            });
  }

  private static int allocatable(KubernetesClient client, String node, String resource) {
    return client
        .nodes()
        .withName(node)
        .get()
        .getStatus()
        .getAllocatable()
        .getOrDefault(resource, new Quantity("0"))
        .getNumericalAmount()
        .intValue();
  }

  int allocatable(String node) {
    return allocatable(node, RESOURCE);
  }

  int allocatable(String node, String resource) {
    return allocatable(client, node, resource);
  }

  ShareRules rules() {
    return rules;
  }

  KubernetesClient client() {
    return client;
  }

  String namespace() {
    return namespace;
  }

  GpuNode gpuNode(String node) {
    return client.resources(GpuNode.class).withName(node).get();
  }

  Summary summary(String node) {
    return gpuNode(node).getStatus().summary();
  }

  Pod create(SharingPod pod) {
    return client.pods().inNamespace(namespace).resource(here(pod).build()).create();
  }

  /** The pod, to run on the test's node. */
  SharingPod here(SharingPod pod) {
    return pod.on(node);
  }

  Pod pod(String name) {
    return client.pods().inNamespace(namespace).withName(name).get();
  }

  /** Creates pods one after the other, each when the one before runs. */
  void run(SharingPod... pods) {
    for (var pod : pods) {
      var created = create(pod);
      awaitRunning(created.getMetadata().getName());
    }
  }

  void awaitRunning(String name) {
    awaitRunning(name, POD_START);
  }

  void awaitRunning(String name, Duration limit) {
    await(name + " runs")
        .atMost(limit)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () ->
                assertThat(pod(name).getStatus())
                    .as("events: %s", messages(name))
                    .satisfies(
                        status -> {
                          assertThat(status.getPhase()).isEqualTo("Running");
                          assertThat(status.getContainerStatuses())
                              .allMatch(container -> container.getReady());
                        }));
  }

  void delete(String name) {
    client.pods().inNamespace(namespace).withName(name).delete();
  }

  void awaitGone(String name) {
    await(name + " is gone").atMost(Duration.ofSeconds(60)).until(() -> pod(name) == null);
  }

  /** Lets the scheduler have a pod that was created with {@link SharingPod#gated}. */
  void openGates(String name) {
    patch(name, "{\"spec\": {\"schedulingGates\": null}}");
  }

  /** Changes a pod, whatever the kubelet writes into its status meanwhile. */
  void patch(String name, String mergePatch) {
    client
        .pods()
        .inNamespace(namespace)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), mergePatch);
  }

  void awaitBound(String name) {
    await(name + " is bound")
        .atMost(POD_START)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> pod(name).getSpec().getNodeName() != null);
  }

  /**
   * Has the kubelet of the node run a pod from a file.
   *
   * @return the name of its mirror at the API server
   */
  String createStatic(SharingPod pod) {
    var built = pod.build();
    built.getMetadata().setNamespace(namespace);
    built.getSpec().setNodeSelector(null);
    var manifest =
        Base64.getEncoder()
            .encodeToString(Serialization.asJson(built).getBytes(StandardCharsets.UTF_8));
    var file = STATIC_PODS + built.getMetadata().getName() + ".json";
    // The kubelet leaves files alone whose names begin with a dot.
    TestCluster.onNode(
        node,
        "sh",
        "-c",
        "cd %s && echo %s | base64 -d > .part && mv .part %s"
            .formatted(STATIC_PODS, manifest, file));
    return built.getMetadata().getName() + "-" + node;
  }

  void deleteStatic(SharingPod pod) {
    var name = pod.build().getMetadata().getName();
    TestCluster.onNode(node, "rm", "-f", STATIC_PODS + name + ".json");
    awaitGone(name + "-" + node);
  }

  /** The card of each container by the decision that was made when the pod was bound. */
  Map<String, String> decided(String name) {
    var metadata = pod(name).getMetadata();
    return CardDecision.parse(
            metadata.getAnnotations().get(WellKnownAnnotations.CARDS), metadata.getUid())
        .map(CardDecision::cards)
        .orElse(Map.of());
  }

  /** The messages of a pod's events, oldest first. */
  List<String> messages(String pod) {
    return events(pod).stream().map(Event::getMessage).toList();
  }

  /** The events of all pods that had a name, oldest first. */
  List<Event> events(String pod) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", pod)
        .list()
        .getItems();
  }

  /** Waits until the scheduler has said of a pod why it does not fit. */
  void awaitRefusal(String pod, String reason) {
    await(pod + " is refused: " + reason)
        .atMost(POD_START)
        .untilAsserted(
            () -> {
              assertThat(messages(pod)).anySatisfy(message -> assertThat(message).contains(reason));
              assertThat(pod(pod).getStatus().getPhase()).isEqualTo("Pending");
            });
  }

  /**
   * The shares on a node, after checking that the containers, the kubelet's books and the status
   * agree on each, and that no card is over its units.
   */
  Set<Held> agreed(String node) {
    return new Agreement(this, node).await();
  }

  /** Waits until the status is right, though pods may be on their way to the node. */
  void awaitStatus(String node) {
    new Agreement(this, node).awaitStatus();
  }

  /** What a container has seen, or empty while it has not said all of it. */
  Optional<InsideContainer> inside(Pod pod, String container) {
    return InsideContainer.parse(
        client
            .pods()
            .inNamespace(namespace)
            .withName(pod.getMetadata().getName())
            .inContainer(container)
            .getLog());
  }

  /** Deletes the test's pods and waits until the cards are free again. */
  @Override
  public void close() {
    // A test that the oracle has stopped cleans up as well.
    Thread.interrupted();
    client.pods().inNamespace(namespace).withGracePeriod(0).delete();
    client.namespaces().withName(namespace).delete();
    await("nothing of " + namespace + " is held")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                client.resources(GpuNode.class).list().getItems().stream()
                    .flatMap(node -> node.statusOrEmpty().allocations().stream())
                    .noneMatch(allocation -> allocation.namespace().equals(namespace)));
  }
}
