package io.baetyl.gpu.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoleProcessStopTest {
  private final List<String> closed = new ArrayList<>();

  private Role role(String name, Runnable atItsEnd) {
    return new Role() {
      @Override
      public void start() {}

      @Override
      public void close() {
        closed.add(name);
        atItsEnd.run();
      }
    };
  }

  @Test
  void aRoleThatCannotStopKeepsNoOtherFromIt() {
    var first = role("first", () -> {});
    var second =
        role(
            "second",
            () -> {
              throw new IllegalStateException("a fault");
            });

    RoleProcess.stop(List.of(first, second));

    assertThat(closed).containsExactly("second", "first");
  }
}
