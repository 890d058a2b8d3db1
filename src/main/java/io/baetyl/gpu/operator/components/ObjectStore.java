package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings objects to what is wanted of them, and writes nothing where they are so already. Each is
 * given an owner, with which it goes. One of the same name that somebody else made is left alone.
 */
final class ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private static final int HTTP_CONFLICT = 409;
  private static final int HTTP_INVALID = 422;

  private final KubernetesClient client;
  private final OwnerReference owner;

  ObjectStore(KubernetesClient client, OwnerReference owner) {
    this.client = client;
    this.owner = owner;
  }

  /**
   * Makes an object what is wanted; returns it as it is then.
   *
   * @throws KubernetesClientException if the API server is away or refuses it, or somebody else has
   *     made an object of this name
   */
  <T extends HasMetadata> T keep(T wanted) {
    wanted.getMetadata().setOwnerReferences(List.of(owner));
    Resource<T> resource = client.resource(Intent.stamped(wanted));
    T there = resource.get();
    if (Intent.isMet(wanted, there)) {
      return there;
    }
    if (there != null && !isOurs(there)) {
      throw new KubernetesClientException(
          "somebody else has made the %s %s: delete it if nobody needs it, or make it anew under another name"
              .formatted(there.getKind(), there.getMetadata().getName()),
          HTTP_CONFLICT,
          null);
    }
    LOG.info("Apply. kind={} name={}", wanted.getKind(), wanted.getMetadata().getName());
    try {
      return apply(resource);
    } catch (KubernetesClientException refused) {
      if (refused.getCode() != HTTP_INVALID || there == null) {
        throw refused;
      }
      return makeAnew(resource, there);
    }
  }

  private static <T extends HasMetadata> T apply(Resource<T> resource) {
    return resource.fieldManager(FieldManagers.OPERATOR).forceConflicts().serverSideApply();
  }

  /** Some fields, such as a Secret's type, cannot be changed. */
  private <T extends HasMetadata> T makeAnew(Resource<T> resource, T there) {
    LOG.info("Make anew. kind={} name={}", there.getKind(), there.getMetadata().getName());
    client.resource(there).delete();
    return apply(resource);
  }

  /** Removes an object of ours; one of the same name that somebody else made stays. */
  void drop(HasMetadata object) {
    var there = client.resource(object).get();
    if (there != null && isOurs(there)) {
      LOG.info("Delete. kind={} name={}", there.getKind(), there.getMetadata().getName());
      client.resource(there).delete();
    }
  }

  /** By its label, or where somebody has taken that away, by what was noted when it was made. */
  static boolean isOurs(HasMetadata object) {
    var metadata = object.getMetadata();
    var labels = metadata.getLabels();
    return labels != null && WellKnownLabels.OPERATOR.equals(labels.get(WellKnownLabels.MANAGED_BY))
        || Intent.isNoted(object);
  }
}
