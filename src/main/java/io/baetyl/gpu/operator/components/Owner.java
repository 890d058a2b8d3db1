package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * The owner of all that the operator makes: the definition of GpuNode. Whoever removes operator and
 * definitions at once leaves nobody but the cluster's garbage collector to clear up. The definition
 * is cluster-scoped, so it may own what is in a namespace and what is not.
 */
final class Owner {
  private static final String NAME = CustomResource.getCRDName(GpuNode.class);

  private Owner() {}

  /**
   * The owner as it is now. To be asked for each time: a definition that is made again has another
   * UID, and the garbage collector removes what names the old one.
   *
   * @throws IllegalStateException if the definition is not there
   * @throws KubernetesClientException if it cannot be read
   */
  static OwnerReference current(KubernetesClient client) {
    var definition = client.apiextensions().v1().customResourceDefinitions().withName(NAME).get();
    if (definition == null) {
      throw new IllegalStateException(
          "there is no CustomResourceDefinition %s: apply config/default again".formatted(NAME));
    }
    return new OwnerReferenceBuilder()
        .withApiVersion(definition.getApiVersion())
        .withKind(definition.getKind())
        .withName(NAME)
        .withUid(definition.getMetadata().getUid())
        .build();
  }
}
