package io.baetyl.gpu.platform;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;

/** Clients of the API server for the roles that run without Quarkus. */
public final class Clients {
  private Clients() {}

  /** A client configured by the pod's service account, or by KUBECONFIG outside of a cluster. */
  public static KubernetesClient create() {
    return builder().build();
  }

  /** The same, for a role that has settings of its own to add. */
  public static KubernetesClientBuilder builder() {
    return new KubernetesClientBuilder().withHttpClientFactory(new JdkHttpClientFactory());
  }
}
