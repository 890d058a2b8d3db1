/** A vendor's library in C: called, and loaded anew when it has been replaced. */
package io.baetyl.gpu.accelerator.library;
