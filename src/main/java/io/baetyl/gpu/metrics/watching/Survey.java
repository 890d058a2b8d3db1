package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * What is known of the devices of this node at one moment.
 *
 * @param type the vendor whose driver is asked
 * @param driver how the driver is
 * @param settled whether every device has been judged once, so that one which is missing here is
 *     missing indeed
 * @param devices every device that was seen, or reported earlier, by their ids
 */
public record Survey(
    AcceleratorType type, Driver driver, boolean settled, List<WatchedDevice> devices) {

  /** How the driver is. */
  public sealed interface Driver {
    /** Not long enough asked to tell. */
    record Unasked() implements Driver {}

    record Answering() implements Driver {}

    /** It is missing or does not work. */
    record Troubled(DriverException.Reason reason, String message) implements Driver {}

    /** It hangs; {@link DeviceSource#whereHangsShow} tells where to look. */
    record Silent(Instant since, String whereToLook) implements Driver {}
  }

  public Survey {
    devices = List.copyOf(devices);
  }

  public boolean driverIsUp() {
    return driver instanceof Driver.Answering;
  }

  /**
   * The devices that count: those that are there, and of the others those that pods still hold,
   * which must not vanish from the books before their pods do.
   *
   * @param held the ids of devices that pods hold
   */
  public List<WatchedDevice> counting(Collection<String> held) {
    return devices.stream()
        .filter(
            watched ->
                switch (watched.presence()) {
                  case PRESENT, UNCERTAIN -> true;
                  case GONE -> held.contains(watched.device().id());
                })
        .toList();
  }
}
