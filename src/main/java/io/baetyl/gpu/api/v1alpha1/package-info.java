/**
 * The custom resources as Java values: what a user asks for in {@code spec}, what the product
 * reports in {@code status}, and the names that its parts agree on.
 *
 * <p>The contract is the YAML under {@code src/main/resources/crds}; a test fails when these types
 * drift from it. Every type ignores fields it does not know, so that an older program can read a
 * newer object, and a value that an older program does not know reads as absent.
 */
package io.baetyl.gpu.api.v1alpha1;
