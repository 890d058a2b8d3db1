package io.baetyl.gpu.extender.apiserver;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.extender.pods.WatchedPod;
import io.baetyl.gpu.platform.Clients;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** The client of the API server, which reads pods as {@link WatchedPod}. */
public final class ExtenderClient {
  /** Short of the time that kube-scheduler waits for an answer, a look after it included. */
  private static final int REQUEST_TIMEOUT_MILLIS = 4_000;

  private ExtenderClient() {}

  public static KubernetesClient create() {
    return create(Config.autoConfigure(null));
  }

  public static KubernetesClient create(Config config) {
    var kinds = Clients.kinds();
    kinds.registerKubernetesResource(WatchedPod.class);
    kinds.registerKubernetesResource(GpuNode.class);
    // A write that the client repeats unseen may land long after its caller has asked what became
    // of it. Who needs another try makes it.
    return Clients.builder(
            new ConfigBuilder(config).withRequestTimeout(REQUEST_TIMEOUT_MILLIS).build(), 0)
        .withKubernetesSerialization(kinds)
        .build();
  }
}
