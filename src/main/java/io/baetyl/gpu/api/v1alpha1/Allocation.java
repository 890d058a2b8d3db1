package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What one container holds of one device. The key is {@code uid, container, device}.
 *
 * @param namespace the pod's namespace
 * @param pod the pod's name
 * @param container the container's name; an init container is listed with what it needs beyond the
 *     app containers
 * @param uid the pod's UID, as the API server knows it
 * @param kubeletUid the pod's UID at the kubelet and in the names of its cgroups, where that is
 *     another: of a static pod, whose uid is that of its mirror
 * @param device the {@link Device#id}
 * @param resourceName the extended resource by which it is held, where that is another than the
 *     device plugin hands out now: since before the node's type or allocation was changed
 * @param units how many units, at least 1
 * @param state where the container is in its life
 * @param decidedBy who chose the card; null where whole devices are handed out, and in what an
 *     earlier version has written
 * @param since when this state began, RFC 3339 in whole seconds
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Allocation(
    String namespace,
    String pod,
    String container,
    String uid,
    String kubeletUid,
    String device,
    String resourceName,
    Integer units,
    AllocationState state,
    DecidedBy decidedBy,
    String since) {

  /** What a container of an ordinary pod holds that came by the scheduler. */
  public Allocation(
      String namespace,
      String pod,
      String container,
      String uid,
      String device,
      Integer units,
      AllocationState state,
      String since) {
    this(
        namespace,
        pod,
        container,
        uid,
        null,
        device,
        null,
        units,
        state,
        DecidedBy.SCHEDULER,
        since);
  }

  /** The same, by a resource that is handed out no more. */
  public Allocation heldBy(String otherResourceName) {
    return with(otherResourceName, state, since);
  }

  /** The same in a state, which began at a time if it is another. */
  public Allocation in(AllocationState now, String at) {
    return with(resourceName, now, now == state ? since : at);
  }

  private Allocation with(String heldByResourceName, AllocationState now, String sinceWhen) {
    return new Allocation(
        namespace,
        pod,
        container,
        uid,
        kubeletUid,
        device,
        heldByResourceName,
        units,
        now,
        decidedBy,
        sinceWhen);
  }

  /** The pod's UID in the names of its cgroups. */
  public String uidOnTheNode() {
    return kubeletUid == null ? uid : kubeletUid;
  }
}
