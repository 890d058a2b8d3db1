package io.baetyl.gpu.operator.components;

import java.util.SortedSet;
import java.util.stream.Collectors;

/** The file that tells the second kube-scheduler of the extender. */
final class SchedulerConfiguration {
  static final String TLS_FOLDER = "/etc/baetyl-gpu/tls";

  private SchedulerConfiguration() {}

  /**
   * The configuration.
   *
   * @param namespace of the extender
   * @param extenderAddress an IP address
   * @param resources the extended resources that the extender is asked about; of pods that ask for
   *     none of them it hears nothing
   */
  static String of(String namespace, String extenderAddress, SortedSet<String> resources) {
    var host = extenderAddress.contains(":") ? "[" + extenderAddress + "]" : extenderAddress;
    var managed =
        resources.stream()
            .map(resource -> "      - {name: \"" + resource + "\", ignoredByScheduler: false}\n")
            .collect(Collectors.joining());
    // A pod in backoff is not tried when room becomes free (before 1.33), so the backoff is short.
    // By default kube-scheduler stops looking once some 100 nodes have passed its own filters,
    // which
    // know of sums only: all the cards with room may be on the others.
    // There is one scheduler, and a second one beside it for a moment does no harm, since the
    // extender alone decides. With a lease it would end whenever the API server is away for some
    // seconds, and write to it every two seconds for ever.
    // A plugin of the scheduler counts 100 × its weight (1 to 3) at most, an extender 100 × its
    // weight. With 5 the use of the cards outweighs any one plugin, and not all of them.
    // The extender answers within 8 s, a bind against a silent API server included.
    return """
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    leaderElection:
      leaderElect: false
    clientConnection:
      qps: 100
      burst: 200
    percentageOfNodesToScore: 100
    podInitialBackoffSeconds: 1
    podMaxBackoffSeconds: 1
    profiles:
      - schedulerName: %1$s
    extenders:
      - urlPrefix: "https://%2$s"
        filterVerb: filter
        prioritizeVerb: prioritize
        bindVerb: bind
        preemptVerb: preempt
        weight: 5
        enableHTTPS: true
        nodeCacheCapable: true
        ignorable: false
        httpTimeout: 10s
        tlsConfig:
          serverName: %3$s
          certFile: %4$s/tls.crt
          keyFile: %4$s/tls.key
          caFile: %4$s/ca.crt
        managedResources:
    """
            .formatted(Names.SCHEDULER, host, Extender.serverName(namespace), TLS_FOLDER)
        + managed;
  }
}
