package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Admissions;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.Handout;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.Offers;
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

  private final Ledger ledger;
  private final Supplier<Optional<WholeDevices>> stock;
  private final LongSupplier nanoTime;
  private final Admissions admissions;

  private final Object lock = new Object();
  private final Offers offers = new Offers();

  WholeDeviceAllocator(
      Handout.Parts parts, Supplier<Optional<WholeDevices>> stock, LongSupplier nanoTime) {
    this.ledger = parts.ledger();
    this.stock = stock;
    this.nanoTime = nanoTime;
    this.admissions = new Admissions(ledger, parts.pods(), parts.kubelet());
  }

  @Override
  public Set<String> prefer(Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException {
    var devices = devices();
    var admission = admissions.preferring(mustInclude, size);
    synchronized (lock) {
      var ids = new LinkedHashSet<>(mustInclude);
      own(admission).stream().filter(available::contains).forEach(ids::add);
      devices.devices().stream()
          .filter(Device::canBeHandedOut)
          .map(Device::id)
          .filter(available::contains)
          .filter(id -> ledger.holderOf(id).isEmpty())
          .filter(id -> !offers.toOther(id, admission, nanoTime.getAsLong()))
          .forEach(ids::add);
      if (size <= 0 || ids.size() < size) {
        throw new AllocationRefusedException(
            "%s asks for %d of %s, and only %d can be handed out: the others fail, or processes of pods that are gone still use them"
                .formatted(admission.describe(), size, devices.resourceName(), ids.size()));
      }
      var chosen = Set.copyOf(ids.stream().limit(size).toList());
      offers.make(admission, chosen, nanoTime.getAsLong());
      return chosen;
    }
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

  private static List<Device> healthy(WholeDevices stock, Set<String> ids)
      throws AllocationRefusedException {
    var devices = new ArrayList<Device>();
    for (var id : ids) {
      var device = stock.device(id);
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
    return stock
        .get()
        .orElseThrow(
            () -> new AllocationRefusedException("The devices of this node are not known yet"));
  }
}
