package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Admissions;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.EndedPods;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.Offers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands whole devices out: healthy ones that no process of another pod can be using. */
final class WholeDeviceAllocator implements Allocator {
  private static final Logger LOG = LoggerFactory.getLogger(WholeDeviceAllocator.class);

  /** Together some 3 s, in which the kubelet admits no other pod. */
  private static final int MOST_TRIES = 30;

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final EndedPods ended;
  private final Ledger ledger;
  private final Supplier<Optional<WholeDevices>> inventory;
  private final LongSupplier nanoTime;
  private final Admissions admissions;

  private final Object lock = new Object();
  private final Offers offers = new Offers();

  WholeDeviceAllocator(
      AllocationStrategy.Dependencies dependencies,
      Supplier<Optional<WholeDevices>> inventory,
      LongSupplier nanoTime) {
    this.ended = new EndedPods(dependencies);
    this.ledger = dependencies.ledger();
    this.inventory = inventory;
    this.nanoTime = nanoTime;
    this.admissions = new Admissions(ledger, dependencies.pods(), dependencies.kubelet());
  }

  /**
   * The scheduler sends the next pod as soon as one is over by its object, which can be a moment
   * before its last process is gone; that is waited for.
   */
  @Override
  public Set<String> prefer(Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException {
    var admission = admissions.preferring(mustInclude, size);
    for (int tries = 1; ; tries++) {
      var free = free(admission, available, mustInclude);
      if (size > 0 && free.size() >= size) {
        return offer(admission, free, size);
      }
      if (size <= 0 || tries == MOST_TRIES || !ended.someAreEnding()) {
        throw new AllocationRefusedException(
            "%s asks for %d of %s, and only %d are free: the others are unhealthy, held by other pods, or still used by processes of pods that are gone"
                .formatted(admission.describe(), size, devices().resourceName(), free.size()));
      }
      ended.releaseAfter(PAUSE);
    }
  }

  private List<String> free(Admission admission, Set<String> available, Set<String> mustInclude)
      throws AllocationRefusedException {
    var ids = new LinkedHashSet<>(mustInclude);
    own(admission).stream().filter(available::contains).forEach(ids::add);
    devices().devices().stream()
        .filter(Device::canBeHandedOut)
        .map(Device::id)
        .filter(available::contains)
        .filter(id -> ledger.holderOf(id).isEmpty())
        .filter(id -> !isOfferedToOther(id, admission))
        .forEach(ids::add);
    return List.copyOf(ids);
  }

  private boolean isOfferedToOther(String id, Admission admission) {
    synchronized (lock) {
      return offers.toOther(id, admission, nanoTime.getAsLong());
    }
  }

  private Set<String> offer(Admission admission, List<String> free, int size) {
    var chosen = Set.copyOf(free.subList(0, size));
    synchronized (lock) {
      offers.make(admission, chosen, nanoTime.getAsLong());
    }
    return chosen;
  }

  @Override
  public Grant allocate(Collection<String> requested) throws AllocationRefusedException {
    var ids = Set.copyOf(requested);
    var devices = healthy(devices(), ids);
    synchronized (lock) {
      var admission = offers.accept(ids).orElseGet(() -> admissions.allocating(ids));
      admission.refuseMoreThanAsked(ids.size());
      if (!ledger.take(admission, ids)) {
        throw new AllocationRefusedException(
            "The kubelet wants to hand out devices that another pod still holds ("
                + String.join(", ", ids)
                + "); delete the pod and it will be placed again");
      }
      LOG.info(
          "Devices handed out. pod={} container={} devices={}",
          admission.pod().qualifiedName(),
          admission.container(),
          ids);
    }
    return new Grant(devices, Map.of());
  }

  private static List<Device> healthy(WholeDevices inventory, Set<String> ids)
      throws AllocationRefusedException {
    var devices = new ArrayList<Device>();
    for (var id : ids) {
      var device = inventory.device(id);
      if (device.isEmpty()) {
        throw new AllocationRefusedException("This node has no device " + id + " (any more)");
      }
      if (!device.get().canBeHandedOut()) {
        throw new AllocationRefusedException(
            "Device " + id + " is unhealthy: " + device.get().healthReason());
      }
      devices.add(device.get());
    }
    return devices;
  }

  private Set<String> own(Admission admission) {
    return ledger
        .find(admission.pod())
        .map(held -> held.idsOf(admission.container()))
        .orElse(Set.of());
  }

  private WholeDevices devices() throws AllocationRefusedException {
    return inventory
        .get()
        .orElseThrow(
            () -> new AllocationRefusedException("The devices of this node are not known yet"));
  }
}
