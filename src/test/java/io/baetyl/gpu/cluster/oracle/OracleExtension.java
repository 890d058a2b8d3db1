package io.baetyl.gpu.cluster.oracle;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Ties the oracle to the tests of a class; there is one oracle for all classes. */
final class OracleExtension implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(OracleExtension.class);

  private int claimsBefore;
  private int containersBefore;
  private long looksBefore;

  private static Oracle oracle(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(Oracle.class, key -> new Oracle(), Oracle.class);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    claimsBefore = oracle(context).watch().claimsSeen();
    containersBefore = oracle(context).watch().containersSeen();
    looksBefore = oracle(context).watch().looks();
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> invocationContext,
      ExtensionContext context)
      throws Throwable {
    watched(invocation, oracle(context));
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> invocationContext,
      ExtensionContext context)
      throws Throwable {
    watched(invocation, oracle(context));
  }

  private static void watched(Invocation<Void> invocation, Oracle oracle) throws Throwable {
    Throwable failure = null;
    oracle.begins();
    try {
      invocation.proceed();
    } catch (Throwable failed) {
      failure = failed;
      throw failed;
    } finally {
      oracle.ends(failure);
    }
  }

  /**
   * What is left behind may show after the last test; and a witness that has seen nothing proves
   * nothing.
   */
  @Override
  public void afterAll(ExtensionContext context) {
    oracle(context).ends(context.getExecutionException().orElse(null));
    var watch = oracle(context).watch();
    int containers = watch.containersSeen() - containersBefore;
    int claims = watch.claimsSeen() - claimsBefore;
    long looks = watch.looks() - looksBefore;
    System.out.printf(
        "%s: the oracle saw %d containers with a card in %d looks, and %d GpuNodes%n",
        context.getDisplayName(), containers, looks, claims);
    if ((containers == 0 || claims == 0) && context.getExecutionException().isEmpty()) {
      throw new AssertionError(
          "the oracle has seen %d containers with a card and %d GpuNodes in %d looks"
              .formatted(containers, claims, looks));
    }
  }
}
