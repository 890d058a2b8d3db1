/**
 * What the custom resources come to, pure: which type, mode and profile is in force on a node, and
 * what all nodes together need. References are resolved here and nowhere else.
 */
package io.baetyl.gpu.operator.resolve;
