package io.baetyl.gpu.platform;

import io.fabric8.kubernetes.client.KubernetesClientException;
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
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(roles), "shutdown"));
    if (!start(roles)) {
      return 1;
    }
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  /** Starts the roles; false where one cannot, which is said in the log. */
  static boolean start(List<Role> roles) {
    try {
      for (var role : roles) {
        role.start();
      }
      return true;
    } catch (KubernetesClientException cannotStart) {
      LOG.error("Cannot start: {}", cannotStart.getMessage());
      return false;
    } catch (RuntimeException | Error bug) {
      // Only whoever mends the program can do something about it, and needs to know where it was.
      LOG.error("Cannot start, by a fault of the program", bug);
      return false;
    } catch (Exception cannotStart) {
      LOG.error("Cannot start: {}", cannotStart.getMessage());
      return false;
    }
  }

  /** Stops the roles in the opposite order; one that cannot stop keeps no other from it. */
  static void stop(List<Role> roles) {
    for (var role : roles.reversed()) {
      try {
        role.close();
      } catch (RuntimeException | Error fault) {
        LOG.error("Cannot stop a role in good order", fault);
      }
    }
  }
}
