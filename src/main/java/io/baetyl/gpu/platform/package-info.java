/**
 * What every role needs to run: its start and stop, its health, its client, its log. Nothing about
 * accelerators.
 */
package io.baetyl.gpu.platform;
