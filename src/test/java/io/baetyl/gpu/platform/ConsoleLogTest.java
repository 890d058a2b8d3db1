package io.baetyl.gpu.platform;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.bootstrap.logging.InitialConfigurator;
import java.io.IOException;
import java.util.Properties;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConsoleLogTest {

  @Test
  void p12WhatIsForDebuggingIsNotPrinted() {
    ConsoleLog.start();

    assertThat(InitialConfigurator.DELAYED_HANDLER.getHandlers()).hasSize(1);
    assertThat(printed(Level.INFO)).isTrue();
    assertThat(printed(Level.FINE)).isFalse();
  }

  @Test
  void p12NorByTheOperator() throws IOException {
    var settings = new Properties();
    try (var file = ConsoleLog.class.getResourceAsStream("/application.properties")) {
      settings.load(file);
    }

    assertThat(settings.getProperty("quarkus.log.level")).isEqualTo("INFO");
    assertThat(settings.entrySet())
        .filteredOn(setting -> setting.getKey().toString().startsWith("quarkus.log.category"))
        .extracting(setting -> setting.getValue().toString())
        .doesNotContain("DEBUG", "TRACE", "ALL");
  }

  private static boolean printed(Level level) {
    return Stream.of(InitialConfigurator.DELAYED_HANDLER.getHandlers())
        .anyMatch((Handler handler) -> handler.isLoggable(new LogRecord(level, "a message")));
  }
}
