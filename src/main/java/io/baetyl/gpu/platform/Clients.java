package io.baetyl.gpu.platform;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Status;
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

  /** A service address whose API server is away may not answer at all. */
  private static final int CONNECTION_TIMEOUT_MILLIS = 3_000;

  /** A watch's request is not repeated within itself, with pauses of its own: the watch is. */
  private static final int REQUEST_REPETITIONS = 1;

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
    return builder(config, REQUEST_REPETITIONS);
  }

  /**
   * The same, for a role that minds whether a write is repeated unseen.
   *
   * @param config where the API server is and who we are
   * @param repetitions how often the client by itself repeats a request that was not answered, or
   *     with 429 or 5xx; 0 for never
   */
  public static KubernetesClientBuilder builder(Config config, int repetitions) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(config)
                .withConnectionTimeout(CONNECTION_TIMEOUT_MILLIS)
                .withRequestRetryBackoffLimit(repetitions)
                .withWatchReconnectInterval(WATCH_RECONNECT_MILLIS)
                .build())
        .withHttpClientFactory(new JdkHttpClientFactory())
        .withKubernetesSerialization(kinds());
  }

  /**
   * The kinds that a client knows without being told at a call. Without the search for kinds: it
   * loads every class of the model, some 60 MB, and these roles name the types that they read.
   * Status is what a watch ends with; a client that does not know it repeats an expired watch for
   * ever.
   */
  public static KubernetesSerialization kinds() {
    var kinds = new KubernetesSerialization(new ObjectMapper(), false);
    kinds.registerKubernetesResource("v1", "Status", Status.class);
    return kinds;
  }
}
