package io.baetyl.gpu.operator;

import io.quarkus.bootstrap.runner.QuarkusEntryPoint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The operator, the one role that runs on Quarkus; it is configured by the environment alone. */
@Command(
    name = "operator",
    description = "Deploys the other roles for the GpuNodes and GpuShareProfiles of the cluster.",
    mixinStandardHelpOptions = true)
public final class OperatorCommand implements Callable<Integer> {

  @Override
  public Integer call() throws Exception {
    try {
      QuarkusEntryPoint.main();
      return 0;
    } catch (Exception | Error thrown) {
      throw thrown;
    } catch (Throwable other) {
      throw new IllegalStateException(other);
    }
  }
}
