package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each page of {@code docs/accelerators} tells to apply, in its order; each pod runs. */
@Order(6)
class AcceleratorPagesClusterIT {
  private static final Pattern YAML = Pattern.compile("(?s)```yaml\n(.*?)```");

  @TempDir Path folder;

  static Stream<Arguments> pages() {
    return Stream.of(
        Arguments.of("nvidia", DeviceNode.NVIDIA),
        Arguments.of("jetson", DeviceNode.JETSON),
        Arguments.of("ascend", DeviceNode.ASCEND_310),
        Arguments.of("bitmain", DeviceNode.BM1684));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void whatThePageTellsWorks(String page, DeviceNode node) throws IOException {
    try (var sharing = node.found()) {
      for (var example : examples(page)) {
        if (Serialization.unmarshal(example) instanceof Pod pod) {
          hasWhatItAsksFor(sharing, node, pod);
        } else {
          apply(example);
        }
      }
    }
  }

  private static List<String> examples(String page) throws IOException {
    var text = Files.readString(Command.ROOT.resolve("docs/accelerators/" + page + ".md"));
    var examples = YAML.matcher(text).results().map(block -> block.group(1)).toList();
    assertThat(examples).anyMatch(example -> example.contains("kind: Pod"));
    return examples;
  }

  /** As it stands: a client of types would leave an empty spec out. */
  private void apply(String example) throws IOException {
    var file = Files.writeString(folder.resolve("example.yaml"), example);
    TestCluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", file.toString());
  }

  private static void hasWhatItAsksFor(Sharing sharing, DeviceNode node, Pod example) {
    var name = example.getMetadata().getName();
    sharing
        .client()
        .pods()
        .inNamespace(sharing.namespace())
        .resource(onNode(node, example))
        .create();
    sharing.awaitRunning(name, Duration.ofSeconds(60));
    await("the status tells what the pod has")
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () ->
                assertThat(sharing.gpuNode(node.name()).getStatus().allocations())
                    .extracting(Allocation::pod)
                    .contains(name));
    sharing.delete(name);
    sharing.awaitGone(name);
  }

  /** The example on this node, with an image that the node has. */
  private static Pod onNode(DeviceNode node, Pod example) {
    return new PodBuilder(example)
        .editSpec()
        .addToNodeSelector("kubernetes.io/hostname", node.name())
        .withTerminationGracePeriodSeconds(1L)
        .editFirstContainer()
        .withImage("localhost/toolbox:1")
        .withCommand("sleep", "3600")
        .endContainer()
        .endSpec()
        .build();
  }
}
