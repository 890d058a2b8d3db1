package io.baetyl.gpu.platform;

import io.quarkus.bootstrap.logging.InitialConfigurator;
import java.util.logging.Handler;
import java.util.logging.Level;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.ConsoleHandler;

/**
 * The log of the roles that run without Quarkus. Its log manager is on the class path of all roles
 * and keeps every message back until Quarkus has started, which here is never.
 */
public final class ConsoleLog {
  private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5p [%c{1}] %s%e%n";

  private ConsoleLog() {}

  /** Lets the messages out, those kept back first. */
  public static void start() {
    var console = new ConsoleHandler(new PatternFormatter(PATTERN));
    console.setLevel(Level.INFO);
    InitialConfigurator.DELAYED_HANDLER.setHandlers(new Handler[] {console});
  }
}
