/** The status of GpuShareProfiles: observe, decide (pure), apply. */
package io.baetyl.gpu.operator.gpushareprofile;
