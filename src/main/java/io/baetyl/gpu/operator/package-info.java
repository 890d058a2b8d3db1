/**
 * The role that turns custom resources into running components and reports on them. {@code resolve}
 * says what is in force, {@code components} makes it so, {@code gpunode} and {@code
 * gpushareprofile} write what has come of it; {@code cluster} is what all of them look at.
 */
package io.baetyl.gpu.operator;
