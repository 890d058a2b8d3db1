package io.baetyl.gpu.metrics.watching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnyVendorTest {

  /** A vendor that always says the same. */
  private record Fixed(AcceleratorType type, List<String> ids, Reason trouble)
      implements DeviceSource {
    @Override
    public List<FoundDevice> discover() throws DriverException {
      if (trouble != null) {
        throw new DriverException(trouble, type + ": " + trouble.value());
      }
      return ids.stream().map(FakeDriver::device).toList();
    }

    @Override
    public Sample sample(String id) {
      return FakeDriver.SAMPLE;
    }

    @Override
    public void close() {}
  }

  private static Fixed has(AcceleratorType type, String... ids) {
    return new Fixed(type, List.of(ids), null);
  }

  private static Fixed troubled(AcceleratorType type, Reason trouble) {
    return new Fixed(type, List.of(), trouble);
  }

  private static AnyVendor vendors(AcceleratorType wanted, DeviceSource... vendors) {
    return new AnyVendor(
        List.of(vendors), () -> Optional.ofNullable(wanted), Optional::<AcceleratorType>empty);
  }

  @Test
  void theFirstThatHasDevicesIsFound() throws DriverException {
    var found =
        vendors(
            null,
            troubled(AcceleratorType.NVIDIA, Reason.DRIVER_NOT_FOUND),
            has(AcceleratorType.JETSON),
            has(AcceleratorType.ASCEND, "chip"));

    assertThat(found.discover()).extracting(FoundDevice::id).containsExactly("chip");
    assertThat(found.type()).isEqualTo(AcceleratorType.ASCEND);
  }

  @Test
  void theOneThatIsAskedForComesFirst() throws DriverException {
    var both =
        vendors(
            AcceleratorType.ASCEND,
            has(AcceleratorType.NVIDIA, "card"),
            has(AcceleratorType.ASCEND, "chip"));

    both.discover();

    assertThat(both.type()).isEqualTo(AcceleratorType.ASCEND);
  }

  @Test
  void anotherIsFoundWhereTheOneThatIsAskedForHasNone() throws DriverException {
    var other =
        vendors(
            AcceleratorType.ASCEND,
            has(AcceleratorType.NVIDIA, "card"),
            troubled(AcceleratorType.ASCEND, Reason.DRIVER_NOT_FOUND));

    other.discover();

    assertThat(other.type()).isEqualTo(AcceleratorType.NVIDIA);
  }

  @Test
  void theTroubleOfTheOneThatIsAskedForIsTold() {
    var none =
        vendors(
            AcceleratorType.ASCEND,
            troubled(AcceleratorType.NVIDIA, Reason.DRIVER_MISMATCH),
            troubled(AcceleratorType.ASCEND, Reason.DRIVER_NOT_FOUND));

    assertThatThrownBy(none::discover).hasMessage("ascend: DriverNotFound");
  }

  /** A driver that is there and does not work says more than those that are not there. */
  @Test
  void theTroubleThatCanBeMendedIsTold() {
    var none =
        vendors(
            null,
            troubled(AcceleratorType.NVIDIA, Reason.DRIVER_NOT_FOUND),
            has(AcceleratorType.JETSON),
            troubled(AcceleratorType.ASCEND, Reason.DRIVER_MISMATCH));

    assertThatThrownBy(none::discover).hasMessage("ascend: DriverMismatch");
    assertThat(none.type()).isEqualTo(AcceleratorType.ASCEND);
  }

  @Test
  void aDriverThatKnowsNoDeviceIsToldBeforeThoseThatAreMissing() throws DriverException {
    var none =
        vendors(
            null,
            troubled(AcceleratorType.NVIDIA, Reason.DRIVER_NOT_FOUND),
            has(AcceleratorType.JETSON));

    assertThat(none.discover()).isEmpty();
    assertThat(none.type()).isEqualTo(AcceleratorType.JETSON);
  }

  @Test
  void untilItsDriverHasAnsweredTheReportedOneIsMeant() {
    var restarted =
        new AnyVendor(
            List.of(has(AcceleratorType.NVIDIA, "card"), has(AcceleratorType.ASCEND, "chip")),
            Optional::empty,
            () -> Optional.of(AcceleratorType.ASCEND));

    assertThat(restarted.type()).isEqualTo(AcceleratorType.ASCEND);
  }

  @Test
  void noOtherIsAskedOnceDevicesAreFound() throws DriverException {
    var unasked =
        new DeviceSource() {
          @Override
          public AcceleratorType type() {
            return AcceleratorType.NVIDIA;
          }

          @Override
          public List<FoundDevice> discover() {
            throw new AssertionError("may hang");
          }

          @Override
          public Sample sample(String id) {
            return FakeDriver.SAMPLE;
          }

          @Override
          public void close() {}
        };
    var found =
        new AnyVendor(
            List.of(unasked, has(AcceleratorType.ASCEND, "chip")),
            Optional::empty,
            () -> Optional.of(AcceleratorType.ASCEND));

    assertThat(found.discover()).extracting(FoundDevice::id).containsExactly("chip");
  }
}
