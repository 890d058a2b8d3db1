package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Sizes and offsets as gcc gives them for NVIDIA's header on 64-bit Linux. */
class NvmlStructsTest {

  @Test
  void sizesAreThoseOfTheHeader() {
    assertThat(NvmlStructs.MEMORY.byteSize()).isEqualTo(24);
    assertThat(NvmlStructs.MEMORY_V2.byteSize()).isEqualTo(40);
    assertThat(NvmlStructs.UTILIZATION.byteSize()).isEqualTo(8);
    assertThat(NvmlStructs.PCI_INFO.byteSize()).isEqualTo(68);
    assertThat(NvmlStructs.PROCESS_INFO_V1.byteSize()).isEqualTo(16);
    assertThat(NvmlStructs.PROCESS_INFO.byteSize()).isEqualTo(24);
  }

  @Test
  void offsetsAreThoseOfTheHeader() {
    assertThat(NvmlStructs.PCI_INFO_BUS_ID).isEqualTo(36);
    assertThat(NvmlStructs.MEMORY_V2_USED).isEqualTo(32);
    assertThat(NvmlStructs.PROCESS_INFO_USED_GPU_MEMORY).isEqualTo(8);
  }

  @Test
  void aVersionHoldsTheSizeAndTheNumber() {
    assertThat(NvmlStructs.version(NvmlStructs.MEMORY_V2, 2)).isEqualTo(0x02000028);
  }
}
