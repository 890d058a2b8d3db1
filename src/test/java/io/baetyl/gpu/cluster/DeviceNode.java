package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;

/**
 * A node of {@code dev/nodes} whose devices are handed out whole.
 *
 * @param resource what its pods ask for
 * @param devices how many it has
 */
record DeviceNode(String name, String resource, int devices) {
  static final DeviceNode NVIDIA = new DeviceNode("edge-16g", "nvidia.com/gpu", 2);
  static final DeviceNode JETSON = new DeviceNode("edge-jetson", "nvidia.com/gpu", 1);
  static final DeviceNode ASCEND_310 = new DeviceNode("edge-ascend", "huawei.com/Ascend310", 4);
  static final DeviceNode ASCEND_310P = new DeviceNode("edge-310p", "huawei.com/Ascend310P", 2);
  static final DeviceNode BM1684 = new DeviceNode("edge-bm1684", "bitmain.com/bm1684", 1);
  static final List<DeviceNode> OF_EVERY_TYPE =
      List.of(NVIDIA, JETSON, ASCEND_310, ASCEND_310P, BM1684);

  /** A device is reported within seconds, and kubelet tells the API server every ten. */
  private static final Duration CHANGE = Duration.ofSeconds(90);

  /** Its GpuNode says nothing of a type: that is found. Returns when pods can come. */
  Sharing found() {
    var cluster =
        TestCluster.withDefaultNodesAnd(OF_EVERY_TYPE.stream().map(DeviceNode::name).toList());
    handOut(cluster.client());
    var sharing = Sharing.ofNothing(cluster, name);
    awaitAllocatable(sharing, devices);
    awaitReady(sharing);
    return sharing;
  }

  /** Asks for its devices to be handed out, and for no type. */
  void handOut(KubernetesClient client) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(name).build());
    gpuNode.setSpec(new GpuNodeSpec(null, null, AllocationMode.DEVICES, null));
    client.resource(gpuNode).serverSideApply();
  }

  void awaitReady(Sharing sharing) {
    await("GpuNode " + name + " is Ready")
        .atMost(CHANGE)
        .untilAsserted(
            () ->
                assertThat(
                        Condition.find(
                            sharing.gpuNode(name).getStatus().conditions(), ConditionType.READY))
                    .hasValueSatisfying(ready -> assertThat(ready.isTrue()).isTrue()));
  }

  void awaitAllocatable(Sharing sharing, int count) {
    await(count + " of " + resource + " can be allocated on " + name)
        .atMost(CHANGE)
        .untilAsserted(
            () ->
                assertThat(sharing.allocatable(name, resource))
                    .as("conditions: %s", sharing.gpuNode(name).statusOrEmpty().conditions())
                    .isEqualTo(count));
  }

  SharingPod pod(String pod, int count) {
    return SharingPod.of(pod, count).of(resource);
  }

  /** What a shell prints in a pod, by line. */
  static List<String> inside(Sharing sharing, String pod, String script) {
    return TestCluster.kubectl("exec", "-n", sharing.namespace(), pod, "--", "sh", "-c", script)
        .lines()
        .toList();
  }

  /** What Prometheus scrapes, by line. */
  List<String> metrics() {
    return get("/metrics").lines().toList();
  }

  /** What Baetyl gets of this node. */
  JsonNode collected() {
    try {
      return new ObjectMapper().readTree(get("/v1/collect")).path(name);
    } catch (JsonProcessingException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private String get(String path) {
    return Components.get("baetyl-accelerator-metrics", name, 30060, path);
  }
}
