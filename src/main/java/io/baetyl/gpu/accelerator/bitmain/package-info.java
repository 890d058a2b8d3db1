/** Bitmain/Sophgo BM1684 and BM1684X: chips on PCIe cards and in SoC boxes, read through bmlib. */
package io.baetyl.gpu.accelerator.bitmain;
