package io.baetyl.gpu.platform;

import io.quarkus.bootstrap.logging.InitialConfigurator;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.ConsoleHandler;

/**
 * The log of the roles that run without Quarkus. Its log manager is on the class path of all roles
 * and keeps every message back until Quarkus has started, which here is never.
 */
public final class ConsoleLog {
  private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5p [%c{1}] %s%e%n";

  /**
   * Classes of the client that print a stack trace whenever the API server is away, again and
   * again. The roles say so themselves, in a line. Held here, since a logger nobody holds forgets
   * its level.
   */
  private static final List<Logger> CHATTY =
      Stream.of(
              "io.fabric8.kubernetes.client.informers.impl.cache.Reflector",
              "io.fabric8.kubernetes.client.dsl.internal.AbstractWatchManager",
              "io.fabric8.kubernetes.client.dsl.internal.VersionUsageUtils",
              "io.fabric8.kubernetes.client.jdkhttp.JdkWebSocketImpl")
          .map(Logger::getLogger)
          .toList();

  private ConsoleLog() {}

  /** Lets the messages out, those kept back first. */
  public static void start() {
    var console = new ConsoleHandler(new PatternFormatter(PATTERN));
    console.setLevel(Level.INFO);
    CHATTY.forEach(logger -> logger.setLevel(Level.SEVERE));
    InitialConfigurator.DELAYED_HANDLER.setHandlers(new Handler[] {console});
  }
}
