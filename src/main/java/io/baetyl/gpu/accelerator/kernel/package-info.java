/** What the kernel tells in procfs and sysfs. */
package io.baetyl.gpu.accelerator.kernel;
