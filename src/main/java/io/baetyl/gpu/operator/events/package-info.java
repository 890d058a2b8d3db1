/** Events on the custom resources. */
package io.baetyl.gpu.operator.events;
