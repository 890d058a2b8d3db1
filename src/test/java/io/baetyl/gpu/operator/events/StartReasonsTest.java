package io.baetyl.gpu.operator.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Condition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartReasonsTest {

  @ParameterizedTest
  @CsvSource({
    "True,  Sharing,           Normal",
    "True,  NotInUse,          Normal",
    "False, ComponentStarting, Normal",
    "False, SchedulerStarting, Normal",
    "False, NotReportedYet,    Normal",
    "False, PluginNotServing,  Normal",
    "False, ComponentNotReady, Warning",
    "False, SchedulerNotReady, Warning",
    "False, ComponentOutdated, Warning",
    "False, NoHealthyDevice,   Warning",
    "False, ProfileNotFound,   Warning",
    "False, NodeNotFound,      Warning"
  })
  void whatOnlyStartsIsNoWarning(String status, String reason, String type) {
    var ready = new Condition("Ready", status, reason, "a message", null, null);

    assertThat(StartReasons.eventType(ready)).isEqualTo(type);
  }
}
