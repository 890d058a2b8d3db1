/** The settings of the operator, and what they come to once every default is resolved. */
package io.baetyl.gpu.operator.config;
