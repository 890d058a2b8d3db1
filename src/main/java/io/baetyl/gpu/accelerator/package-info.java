/**
 * What the product has to know of a vendor, as three questions: which devices are here and how are
 * they ({@link io.baetyl.gpu.accelerator.DeviceSource}), what does a container need to use one
 * ({@link io.baetyl.gpu.accelerator.ContainerAccess}), what does an agent need to be able to look
 * ({@link io.baetyl.gpu.accelerator.Requirements}). A folder below answers them for one vendor.
 */
package io.baetyl.gpu.accelerator;
