package io.baetyl.gpu.platform;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** Clients of the API server for the roles that run without Quarkus. */
public final class Clients {
  private Clients() {}

  /** A client configured by the pod's service account, or by KUBECONFIG outside of a cluster. */
  public static KubernetesClient create() {
    return builder().build();
  }

  /** The same, for a role that has settings of its own to add. */
  public static KubernetesClientBuilder builder() {
    // Without the search for kinds: it loads every class of the model, some 60 MB, and these roles
    // name the types that
    // they read.
    return new KubernetesClientBuilder()
        .withHttpClientFactory(new JdkHttpClientFactory())
        .withKubernetesSerialization(new KubernetesSerialization(new ObjectMapper(), false));
  }
}
