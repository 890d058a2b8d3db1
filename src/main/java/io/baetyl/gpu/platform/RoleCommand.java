package io.baetyl.gpu.platform;

import java.util.List;
import java.util.concurrent.Callable;

/** The command line of a role: its options, with defaults from the environment. */
public interface RoleCommand extends Callable<Integer> {

  /** The role as its options say, not started. */
  Role role();

  @Override
  default Integer call() {
    return RoleProcess.run(List.of(role()));
  }
}
