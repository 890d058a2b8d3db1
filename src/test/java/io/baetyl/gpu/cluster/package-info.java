/**
 * Tests against a real Kubernetes, with accelerators simulated below the vendor's library. A test
 * says what is true in the world: inside the container, in the kubelet's books, in the status of
 * the GpuNode.
 */
package io.baetyl.gpu.cluster;
