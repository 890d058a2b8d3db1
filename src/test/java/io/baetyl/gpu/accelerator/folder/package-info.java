/**
 * A fifth vendor, of which there are tests alone: a device is a folder of files. It is written by
 * docs/add-an-accelerator.md and shows that this is enough.
 */
package io.baetyl.gpu.accelerator.folder;
