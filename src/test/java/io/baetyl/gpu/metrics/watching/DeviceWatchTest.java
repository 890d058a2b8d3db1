package io.baetyl.gpu.metrics.watching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceWatchTest {
  private final HandClock clock = new HandClock();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
  private final AtomicInteger questions = new AtomicInteger();
  private FakeDriver driver;

  @AfterEach
  void letThreadsGo() {
    driver.letAllGo();
    await().until(() -> questions.get() == 0);
    threads.shutdownNow();
  }

  private DeviceWatch watching(FakeDriver fake) {
    return watching(fake, fake);
  }

  private DeviceWatch watching(FakeDriver fake, DeviceSource source) {
    driver = fake;
    return new DeviceWatch(source, this::execute, clock);
  }

  private void execute(Runnable question) {
    questions.incrementAndGet();
    threads.execute(
        () -> {
          question.run();
          questions.decrementAndGet();
        });
  }

  /** Lets the watch run in two-second steps until something holds. */
  private void untilAsserted(DeviceWatch watch, Runnable assertion) {
    for (int step = 1; ; step++) {
      watch.ask();
      // The clock must not run away from questions that are only slow to get a processor.
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> questions.get() <= driver.hanging.get());
      clock.pass(Duration.ofSeconds(2));
      try {
        assertion.run();
        return;
      } catch (AssertionError notYet) {
        if (step == 60) {
          throw notYet;
        }
      }
    }
  }

  private static WatchedDevice device(DeviceWatch watch, String id) {
    return watch.survey().devices().stream()
        .filter(watched -> watched.device().id().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError(id + " is not in " + watch.survey()));
  }

  private static Health health(DeviceWatch watch, String id) {
    return device(watch, id).health();
  }

  @Test
  void findsDevicesAndTheirFigures() {
    var watch = watching(new FakeDriver("a", "b"));
    assertThat(watch.survey().driver()).isEqualTo(new Driver.Unasked());

    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());

    assertThat(watch.survey().driver()).isEqualTo(new Driver.Answering());
    assertThat(watch.survey().devices())
        .extracting(watched -> watched.device().id())
        .containsExactly("a", "b");
    assertThat(device(watch, "a").figures()).contains(FakeDriver.SAMPLE);
    assertThat(health(watch, "a")).isEqualTo(Health.HEALTHY);
  }

  @Test
  void aDeviceThatHangsHidesNoOther() {
    var driver = new FakeDriver("a", "b");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.hang("a");

    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.UNHEALTHY));

    assertThat(device(watch, "a").healthReason())
        .startsWith("The driver has not answered about it since 2026-11-30T07:")
        .contains(": look at the node's kernel log;");
    assertThat(device(watch, "a").figures()).as("the last ones").contains(FakeDriver.SAMPLE);
    assertThat(device(watch, "a").presence()).isEqualTo(Presence.PRESENT);
    int answered = driver.answers.get();
    untilAsserted(watch, () -> assertThat(driver.answers.get()).isGreaterThan(answered + 20));
    assertThat(health(watch, "b")).isEqualTo(Health.HEALTHY);
    assertThat(watch.survey().driverIsUp()).isTrue();
    assertThat(driver.hanging.get()).as("threads that hang").isEqualTo(1);

    driver.letGo("a");
    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.HEALTHY));
  }

  @Test
  void aHangIsSeenWithinTenSeconds() {
    var driver = new FakeDriver("a");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.hang("a");
    var start = clock.instant();

    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.UNHEALTHY));

    assertThat(Duration.between(start, clock.instant()))
        .isLessThanOrEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aDriverThatHangsKeepsOneThreadPerQuestion() {
    var driver = new FakeDriver("a", "b");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.hang(FakeDriver.WHOLE);

    untilAsserted(
        watch, () -> assertThat(watch.survey().driver()).isInstanceOf(Driver.Silent.class));
    for (int i = 0; i < 100; i++) {
      watch.ask();
      clock.pass(Duration.ofSeconds(2));
    }

    assertThat(driver.hanging.get()).isEqualTo(3);
    assertThat(watch.survey().devices())
        .extracting(WatchedDevice::health)
        .containsOnly(Health.UNHEALTHY);
    assertThat(device(watch, "b").figures()).contains(FakeDriver.SAMPLE);
    driver.letGo(FakeDriver.WHOLE);
    untilAsserted(watch, () -> assertThat(health(watch, "b")).isEqualTo(Health.HEALTHY));
  }

  @Test
  void aLostDeviceStaysAndComesBack() {
    var driver = new FakeDriver("a", "b");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.fail("a", Reason.DEVICE_LOST);

    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.UNHEALTHY));

    assertThat(device(watch, "a").healthReason()).isEqualTo("fault of a");
    assertThat(watch.survey().counting(Set.of())).hasSize(2);
    driver.recover("a");
    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.HEALTHY));
  }

  @Test
  void aRemovedDeviceCountsAsLongAsItIsHeld() {
    var driver = new FakeDriver("a", "b");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.remove("a");

    untilAsserted(watch, () -> assertThat(device(watch, "a").presence()).isEqualTo(Presence.GONE));

    assertThat(watch.survey().counting(Set.of("a"))).hasSize(2);
    assertThat(watch.survey().counting(Set.of("b"))).hasSize(1);
  }

  @Test
  void recalledDevicesAreJudgedBeforeTheSurveyIsSettled() {
    var driver = new FakeDriver("a");
    driver.fail("gone", Reason.DEVICE_REMOVED);
    var watch = watching(driver);
    watch.recall(List.of(reported("a"), reported("gone")));
    assertThat(watch.survey().settled()).isFalse();

    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());

    assertThat(health(watch, "a")).isEqualTo(Health.HEALTHY);
    assertThat(device(watch, "gone").presence()).isEqualTo(Presence.GONE);
    assertThat(device(watch, "gone").device().model()).isEqualTo("Recalled");
  }

  @Test
  void aRecalledDeviceIsWatchedThoughDiscoveryHangs() {
    var driver = new FakeDriver("a", "b");
    driver.hang("b");
    var watch = watching(driver, new DiscoveryOf(driver, "b"));
    watch.recall(List.of(reported("a"), reported("b")));

    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    untilAsserted(watch, () -> assertThat(health(watch, "b")).isEqualTo(Health.UNHEALTHY));

    assertThat(health(watch, "a")).isEqualTo(Health.HEALTHY);
    assertThat(watch.survey().driverIsUp()).isTrue();
    driver.letGo("b");
  }

  @Test
  void aMissingDriverIsSaidWithItsReason() {
    var driver = new FakeDriver();
    driver.fail(FakeDriver.WHOLE, Reason.DRIVER_NOT_FOUND);
    var watch = watching(driver);

    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());

    assertThat(watch.survey().driver())
        .isEqualTo(new Driver.Troubled(Reason.DRIVER_NOT_FOUND, "fault of "));
    assertThat(watch.survey().driverIsUp()).isFalse();
  }

  @Test
  void devicesOutliveTheLossOfTheirDriver() {
    var driver = new FakeDriver("a");
    var watch = watching(driver);
    untilAsserted(watch, () -> assertThat(watch.survey().settled()).isTrue());
    driver.fail(FakeDriver.WHOLE, Reason.DRIVER_NOT_FOUND);

    untilAsserted(watch, () -> assertThat(health(watch, "a")).isEqualTo(Health.UNHEALTHY));

    assertThat(watch.survey().counting(Set.of())).hasSize(1);
  }

  private static Device reported(String id) {
    return new Device(id, 0, "/dev/" + id, "Recalled", 7611L, null, null, Health.HEALTHY, null);
  }
}
