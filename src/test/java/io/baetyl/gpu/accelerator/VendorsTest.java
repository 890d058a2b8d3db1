package io.baetyl.gpu.accelerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class VendorsTest {
  private static List<String> resources(Requirements requirements) {
    return requirements.resources().stream().map(DeviceResource::name).toList();
  }

  /** The kubelet's account of a resource does not tell of what type a device was. */
  @Test
  void typesWithTheSameResourceAreNeverOnOneNode() {
    var all = Vendors.ALL.stream().map(Vendor::requirements).toList();
    for (var one : all) {
      assertThat(all)
          .filteredOn(other -> other.type() != one.type())
          .filteredOn(other -> !Collections.disjoint(resources(one), resources(other)))
          .allSatisfy(
              other ->
                  assertThat(one.architectures())
                      .doesNotContainAnyElementsOf(other.architectures()));
    }
  }
}
