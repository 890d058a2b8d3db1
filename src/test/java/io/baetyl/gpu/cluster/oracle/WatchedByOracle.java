package io.baetyl.gpu.cluster.oracle;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Lets the oracle watch the cluster during the tests of a class: a violation interrupts the test
 * and is what it fails with.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OracleExtension.class)
public @interface WatchedByOracle {}
