package io.baetyl.gpu.platform;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that plays roles until SIGTERM. */
public final class RoleProcess {
  private static final Logger LOG = LoggerFactory.getLogger(RoleProcess.class);

  private RoleProcess() {}

  /**
   * Starts the roles, in order, and stops them, in the opposite order, when the process is told to
   * end.
   *
   * @return the exit code: 1 where a role could not start; never returns where all did
   */
  public static int run(List<Role> roles) {
    ConsoleLog.start();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> roles.reversed().forEach(Role::close), "shutdown"));
    try {
      for (var role : roles) {
        role.start();
      }
      new CountDownLatch(1).await();
      return 0;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return 0;
    } catch (Exception cannotStart) {
      LOG.error("Cannot start: {}", cannotStart.getMessage());
      LOG.debug("Cannot start", cannotStart);
      return 1;
    }
  }
}
