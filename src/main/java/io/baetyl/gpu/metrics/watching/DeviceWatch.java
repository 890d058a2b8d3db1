package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.metrics.watching.DriverCall.Answer;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/**
 * Watches the devices of a node through a driver that may hang. Each device has a question of its
 * own, so that one that hangs does not hide the others. All methods return at once.
 */
public final class DeviceWatch {
  /** Looking for devices may have to start the driver, which takes seconds. */
  static final Duration DISCOVERY_DEADLINE = Duration.ofSeconds(10);

  static final Duration SAMPLE_DEADLINE = Duration.ofSeconds(5);
  static final Duration DISCOVERY_INTERVAL = Duration.ofSeconds(10);

  private final DeviceSource source;
  private final Executor driverThreads;
  private final Clock clock;
  private final DriverCall<List<FoundDevice>> discovery;
  private final Map<String, Card> cards = new TreeMap<>();
  private Instant discoveryDue = Instant.MIN;
  private Answer<List<FoundDevice>> discovered;
  private volatile Survey survey;

  /**
   * @param driverThreads give every question a thread at once, at most one more than there are
   *     devices
   */
  public DeviceWatch(DeviceSource source, Executor driverThreads, Clock clock) {
    this.source = source;
    this.driverThreads = driverThreads;
    this.clock = clock;
    this.discovery = new DriverCall<>(source::discover, driverThreads, clock, this::absorb);
    this.survey = new Survey(source.type(), new Driver.Unasked(), false, List.of());
  }

  /** What is known now. */
  public Survey survey() {
    return survey;
  }

  /**
   * Recalls devices that were reported before this process began, so that one which is gone now is
   * not just forgotten, and one that can be asked is asked although another makes the driver hang.
   */
  public synchronized void recall(List<Device> reported) {
    for (var device : reported) {
      cards.computeIfAbsent(device.id(), id -> card(Card.found(device)));
    }
    absorb();
  }

  /** Asks the driver whatever is due. To be called every few seconds. */
  public synchronized void ask() {
    var now = clock.instant();
    if (!now.isBefore(discoveryDue)) {
      discoveryDue = now.plus(DISCOVERY_INTERVAL);
      discovery.ask();
    }
    if (hasAnswered() || isLate(discovery, DISCOVERY_DEADLINE, now)) {
      cards.values().forEach(Card::ask);
    }
    absorb();
  }

  private boolean hasAnswered() {
    return discovered != null;
  }

  private synchronized void absorb() {
    var now = clock.instant();
    discovery.take().ifPresent(this::absorb);
    var type = source.type();
    cards.values().forEach(card -> card.absorb(now, SAMPLE_DEADLINE));
    var devices = cards.values().stream().filter(Card::isKnown).map(Card::picture).toList();
    var driver = driver(devices, now);
    boolean settled = !(driver instanceof Driver.Unasked) && devices.size() == cards.size();
    survey = new Survey(type, driver, settled, devices);
  }

  private void absorb(Answer<List<FoundDevice>> answer) {
    discovered = answer;
    if (answer instanceof Answer.Told<List<FoundDevice>>(var found)) {
      for (var device : found) {
        cards.computeIfAbsent(device.id(), id -> card(device)).identify(device);
      }
    }
    // Only now, since a driver that has not been found yet refuses every question.
    cards.values().forEach(Card::ask);
  }

  private Card card(FoundDevice device) {
    return new Card(
        device,
        new DriverCall<>(() -> source.sample(device.id()), driverThreads, clock, this::absorb),
        source::whereHangsShow);
  }

  private Driver driver(List<WatchedDevice> devices, Instant now) {
    if (isLate(discovery, DISCOVERY_DEADLINE, now)) {
      // Looking for devices may hang at the first that does; the driver as a whole is up if others
      // still answer.
      return devices.stream().anyMatch(WatchedDevice::answering)
          ? new Driver.Answering()
          : new Driver.Silent(discovery.waitingSince().orElse(now), source.whereHangsShow());
    }
    return switch (discovered) {
      case null -> new Driver.Unasked();
      case Answer.Told<List<FoundDevice>> told -> new Driver.Answering();
      case Answer.Refused<List<FoundDevice>>(var why) ->
          new Driver.Troubled(why.reason(), why.getMessage());
    };
  }

  static boolean isLate(DriverCall<?> call, Duration deadline, Instant now) {
    return call.waitingSince().filter(since -> !now.isBefore(since.plus(deadline))).isPresent();
  }

  /** Lets go of the driver, if it lets go of us. */
  public void close() {
    driverThreads.execute(source::close);
  }
}
