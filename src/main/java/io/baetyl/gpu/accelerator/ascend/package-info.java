/** Huawei Ascend 310 and 310P: chips on cards, read through the driver's library DCMI. */
package io.baetyl.gpu.accelerator.ascend;
