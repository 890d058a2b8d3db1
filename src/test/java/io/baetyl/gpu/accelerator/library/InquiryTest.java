package io.baetyl.gpu.accelerator.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InquiryTest {
  private static final List<String> DEVICES = List.of("a", "b", "c");

  private final Inquiry<String, String> inquiry = new Inquiry<>(Duration.ofMillis(300));
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void stop() {
    release.countDown();
    inquiry.close();
  }

  private String hangAtB(String device) {
    if (device.equals("b")) {
      asked.incrementAndGet();
      try {
        release.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return device + "!";
  }

  @Test
  void oneThatHangsHidesNoOtherAndIsAskedOnce() throws DriverException {
    assertThat(inquiry.ask(DEVICES, this::hangAtB)).containsOnlyKeys("a", "c");
    assertThat(inquiry.ask(DEVICES, this::hangAtB))
        .containsEntry("a", "a!")
        .containsOnlyKeys("a", "c");
    assertThat(asked).hasValue(1);

    release.countDown();

    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> assertThat(inquiry.ask(DEVICES, this::hangAtB)).containsKeys("a", "b", "c"));
  }

  @Test
  void whatTheDriverSaysIsPassedOnAndAskedAnew() throws DriverException {
    var trouble = new DriverException(Reason.DRIVER_MISMATCH, "reboot");

    assertThatThrownBy(
            () ->
                inquiry.ask(
                    DEVICES,
                    device -> {
                      throw trouble;
                    }))
        .isSameAs(trouble);
    await()
        .atMost(Duration.ofSeconds(10))
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(inquiry.ask(DEVICES, device -> device))
                    .isEqualTo(Map.of("a", "a", "b", "b", "c", "c")));
  }

  @Test
  void aLibraryThatIsUnloadedMeanwhileIsNoTroubleOfTheDriver() {
    assertThatThrownBy(
            () ->
                inquiry.ask(
                    DEVICES,
                    device -> {
                      throw new IllegalStateException("unloaded");
                    }))
        .isInstanceOf(IllegalStateException.class);
  }
}
