package io.baetyl.gpu.platform;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** Clients of the API server for the roles that run without Quarkus. */
public final class Clients {
  /** Doubles up to 32 times: 6.4 s between two tries after a long outage. */
  private static final int WATCH_RECONNECT_MILLIS = 200;

  private Clients() {}

  /** A client configured by the pod's service account, or by KUBECONFIG outside of a cluster. */
  public static KubernetesClient create() {
    return builder(Config.autoConfigure(null)).build();
  }

  /**
   * The same, for a role that has settings of its own to add.
   *
   * @param config where the API server is and who we are
   */
  public static KubernetesClientBuilder builder(Config config) {
    // Without the search for kinds: it loads every class of the model, some 60 MB, and these roles
    // name the types that they read.
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(config).withWatchReconnectInterval(WATCH_RECONNECT_MILLIS).build())
        .withHttpClientFactory(new JdkHttpClientFactory())
        .withKubernetesSerialization(new KubernetesSerialization(new ObjectMapper(), false));
  }
}
