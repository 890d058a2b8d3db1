package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A driver with faults on demand; a call that hangs does so until it is let go. */
final class FakeDriver implements DeviceSource {
  static final Sample SAMPLE =
      new Sample(
          OptionalLong.of(100),
          OptionalLong.of(40),
          OptionalLong.of(60),
          OptionalDouble.of(0.5),
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          List.of(),
          Optional.empty());

  /** The id under which faults of the driver as a whole are kept. */
  static final String WHOLE = "";

  private final Map<String, FoundDevice> devices = new ConcurrentHashMap<>();
  private final Map<String, DriverException> faults = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> hangs = new ConcurrentHashMap<>();
  final AtomicInteger hanging = new AtomicInteger();
  final AtomicInteger answers = new AtomicInteger();

  FakeDriver(String... ids) {
    for (var id : ids) {
      devices.put(id, device(id));
    }
  }

  static FoundDevice device(String id) {
    return new FoundDevice(id, 0, "/dev/" + id, "Fake", null, 7611);
  }

  void fail(String id, Reason reason) {
    faults.put(id, new DriverException(reason, "fault of " + id));
  }

  void recover(String id) {
    faults.remove(id);
  }

  void remove(String id) {
    devices.remove(id);
    fail(id, Reason.DEVICE_REMOVED);
  }

  void hang(String id) {
    hangs.put(id, new CountDownLatch(1));
  }

  void letGo(String id) {
    hangs.remove(id).countDown();
  }

  void letAllGo() {
    hangs.keySet().forEach(this::letGo);
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.NVIDIA;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    pass(WHOLE);
    return devices.values().stream().filter(device -> !faults.containsKey(device.id())).toList();
  }

  @Override
  public Sample sample(String id) throws DriverException {
    pass(WHOLE);
    pass(id);
    return SAMPLE;
  }

  private void pass(String id) throws DriverException {
    var hang = hangs.get(id);
    if (hang != null) {
      hanging.incrementAndGet();
      try {
        hang.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } finally {
        hanging.decrementAndGet();
      }
    }
    answers.incrementAndGet();
    var fault = faults.get(id);
    if (fault != null) {
      throw fault;
    }
  }

  @Override
  public void close() {}
}
