/**
 * What the extender asks of the API server beside its watches: to bind, to look at, and to touch
 * pods.
 */
package io.baetyl.gpu.extender.apiserver;
