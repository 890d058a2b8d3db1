/** What the operator sees of the cluster; reading only. */
package io.baetyl.gpu.operator.cluster;
