package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.PodDemand;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A pod of this node, as far as cards are concerned.
 *
 * @param namespace its namespace
 * @param name its name, under which the kubelet's PodResources list it
 * @param uid its UID at the API server, which for a static pod is that of its mirror; empty where
 *     the API server does not know the pod yet
 * @param kubeletUid its UID at the kubelet and in the names of cgroups; for a static pod the hash
 *     of its file
 * @param created when it was created
 * @param requests its containers that ask for units, in the order in which the kubelet allocates
 * @param decision the cards decided for it when it was bound
 * @param life where it is in its life
 * @param started whether the kubelet has started a container of it, and so has given it all that it
 *     asks for
 */
public record NodePod(
    String namespace,
    String name,
    String uid,
    String kubeletUid,
    Instant created,
    List<ContainerRequest> requests,
    Optional<CardDecision> decision,
    Life life,
    boolean started) {

  /** Where a pod is in its life, by its object. */
  public enum Life {
    /** It waits or runs. */
    LIVING,
    /** It is being deleted; its containers may run on for as long as they like to. */
    DELETING,
    /** It has failed or succeeded. */
    ENDED
  }

  /** A pod that the kubelet has and the API server does not know. */
  public static NodePod unknown(String namespace, String name) {
    return new NodePod(
        namespace, name, "", "", Instant.EPOCH, List.of(), Optional.empty(), Life.LIVING, false);
  }

  /** A pod of which only the status still tells. */
  public static NodePod gone(Allocation row) {
    return new NodePod(
        row.namespace(),
        row.pod(),
        row.uid(),
        row.uidOnTheNode(),
        Instant.EPOCH,
        List.of(),
        Optional.empty(),
        Life.ENDED,
        true);
  }

  /**
   * What the ledger calls it: UIDs where there are some, since names are used again. What a mirror
   * says of its static pod may be a lie, so it counts for a pod of that name only.
   */
  public String key() {
    if (kubeletUid.isEmpty()) {
      return qualifiedName();
    }
    return isStatic() ? qualifiedName() + "/" + kubeletUid : kubeletUid;
  }

  public String qualifiedName() {
    return namespace + "/" + name;
  }

  public PodDemand demand() {
    return PodDemand.of(requests);
  }

  /** A pod from a file of the node: the kubelet runs it whatever the API server says. */
  public boolean isStatic() {
    return !kubeletUid.equals(uid);
  }

  public Optional<ContainerRequest> request(String container) {
    return requests.stream().filter(request -> request.name().equals(container)).findFirst();
  }
}
