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
 * given an owner, with which it goes.
 */
final class ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private static final int HTTP_INVALID = 422;

  private final KubernetesClient client;
  private final OwnerReference owner;

  ObjectStore(KubernetesClient client, OwnerReference owner) {
    this.client = client;
    this.owner = owner;
  }

  /** Makes an object what is wanted; returns it as it is then. */
  <T extends HasMetadata> T keep(T wanted) {
    wanted.getMetadata().setOwnerReferences(List.of(owner));
    Resource<T> resource = client.resource(Intent.stamped(wanted));
    T there = resource.get();
    if (Intent.isMet(wanted, there)) {
      return there;
    }
    LOG.info("Apply. kind={} name={}", wanted.getKind(), wanted.getMetadata().getName());
    try {
      return apply(resource);
    } catch (KubernetesClientException refused) {
      if (refused.getCode() != HTTP_INVALID || there == null) {
        throw refused;
      }
      return makeAnew(resource, there, refused);
    }
  }

  private static <T extends HasMetadata> T apply(Resource<T> resource) {
    return resource.fieldManager(FieldManagers.OPERATOR).forceConflicts().serverSideApply();
  }

  /** Some fields, such as a Secret's type, cannot be changed. */
  private <T extends HasMetadata> T makeAnew(
      Resource<T> resource, T there, KubernetesClientException refused) {
    if (!isOurs(there)) {
      throw new KubernetesClientException(
          "%s. Somebody else has made it: delete the %s %s if nobody needs it"
              .formatted(Troubles.reason(refused), there.getKind(), there.getMetadata().getName()),
          HTTP_INVALID,
          null);
    }
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

  static boolean isOurs(HasMetadata object) {
    var labels = object.getMetadata().getLabels();
    return labels != null
        && WellKnownLabels.OPERATOR.equals(labels.get(WellKnownLabels.MANAGED_BY));
  }
}
