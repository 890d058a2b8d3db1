/**
 * A vendor's library in C: found on the host, called, asked about one device beside another, and
 * loaded anew when it has been replaced.
 */
package io.baetyl.gpu.accelerator.library;
