/** The Container Device Interface: what a container runtime can give a container by a name. */
package io.baetyl.gpu.accelerator.cdi;
