/**
 * What the product has to know of a vendor, as four questions: which devices are here and how are
 * they ({@link io.baetyl.gpu.accelerator.DeviceSource}), what does a container need to use some
 * ({@link io.baetyl.gpu.accelerator.ContainerAccess}), what would stop it ({@link
 * io.baetyl.gpu.accelerator.RuntimeFinding}), and what do the agents and pods need to know ({@link
 * io.baetyl.gpu.accelerator.Requirements}). A folder below answers them for one {@link
 * io.baetyl.gpu.accelerator.Vendor}; nothing else knows it but the list of them, {@link
 * io.baetyl.gpu.accelerator.Vendors}.
 */
package io.baetyl.gpu.accelerator;
