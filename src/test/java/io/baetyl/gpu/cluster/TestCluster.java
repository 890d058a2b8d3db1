package io.baetyl.gpu.cluster;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The one {@code dev/cluster} that all tests share, with the product deployed as its manifests ship
 * it. A cluster that was already up is used as it is, and left up; one that the tests started is
 * taken down when they end.
 */
final class TestCluster {
  /** The namespace of the product's components. */
  static final String SYSTEM = "kube-system";

  private static final List<String> DEFAULT_NODES =
      List.of("edge-3090", "edge-p4", "edge-4g", "edge-plain");
  private static final Duration MINUTES = Duration.ofMinutes(6);
  private static TestCluster running;
  private static List<String> upWith = List.of();

  private final KubernetesClient client;

  private TestCluster(KubernetesClient client) {
    this.client = client;
  }

  /**
   * The cluster with at least the node {@code edge-3090}, and, if it was not up before, no other.
   */
  static synchronized TestCluster withOneNode() {
    return up(List.of("edge-3090"));
  }

  /** The cluster with the four default nodes. */
  static synchronized TestCluster withDefaultNodes() {
    return up(DEFAULT_NODES);
  }

  /**
   * The cluster with the four default nodes and these; they leave when a test needs them no more.
   */
  static synchronized TestCluster withDefaultNodesAnd(List<String> nodes) {
    return up(Stream.concat(DEFAULT_NODES.stream(), nodes.stream()).toList());
  }

  private static TestCluster up(List<String> nodes) {
    if (nodes.equals(upWith)) {
      return running;
    }
    if (running == null && dev("status").startsWith("the cluster is down")) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> dev("down"), "cluster down"));
    }
    upWith.stream().filter(node -> !nodes.contains(node)).forEach(TestCluster::remove);
    if (!upWith.containsAll(nodes)) {
      var files = nodes.stream().map(node -> nodeFile(node).toString());
      dev(Stream.concat(Stream.of("up"), files).toArray(String[]::new));
      make(running == null ? "deploy" : "load");
    }
    running = running == null ? new TestCluster(connect()) : running;
    upWith = nodes;
    return running;
  }

  private static void remove(String node) {
    running.client().resources(GpuNode.class).withName(node).delete();
    dev("remove", node);
  }

  /** A client of the cluster that is up with the product. */
  static synchronized KubernetesClient connected() {
    return running.client();
  }

  /** Deploys the product where a test has removed it. */
  static void deployAgain() {
    make("deploy");
  }

  private static void make(String target) {
    Command.run(MINUTES, List.of("make", "--no-print-directory", target));
  }

  private static KubernetesClient connect() {
    try {
      var kubeconfig = Files.readString(Path.of(dev("kubeconfig").strip()));
      return new KubernetesClientBuilder()
          .withHttpClientFactory(new JdkHttpClientFactory())
          .withConfig(
              new ConfigBuilder(Config.fromKubeconfig(kubeconfig)).withClientKeyAlgo("EC").build())
          .build();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static Path nodeFile(String node) {
    return Stream.of("dev/nodes/default", "dev/nodes")
        .map(folder -> Command.ROOT.resolve(folder).resolve(node + ".yaml"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no node file for " + node));
  }

  KubernetesClient client() {
    return client;
  }

  /** Runs a verb of {@code dev/cluster}. */
  static String dev(String... arguments) {
    var command = new ArrayList<>(List.of("dev/cluster"));
    command.addAll(List.of(arguments));
    return Command.run(MINUTES, command);
  }

  /** Where the files of a node are to be seen from the machine under it. */
  static Path root(String node) {
    var running = Pattern.compile(node + " +running \\(process (\\d+)\\)").matcher(dev("status"));
    if (!running.find()) {
      throw new AssertionError("the node " + node + " does not run");
    }
    return Path.of("/proc", running.group(1), "root");
  }

  /** Runs a command inside a node. */
  static String onNode(String node, String... command) {
    return dev(Stream.concat(Stream.of("exec", node), Stream.of(command)).toArray(String[]::new));
  }

  /** What kubectl prints. */
  static String kubectl(String... arguments) {
    return dev(Stream.concat(Stream.of("kubectl"), Stream.of(arguments)).toArray(String[]::new));
  }
}
