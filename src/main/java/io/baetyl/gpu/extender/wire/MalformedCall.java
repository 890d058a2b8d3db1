package io.baetyl.gpu.extender.wire;

import java.io.Serial;

/** A call that cannot be answered, because of what it says; the message tells its sender why. */
public final class MalformedCall extends Exception {
  @Serial private static final long serialVersionUID = 1;

  public MalformedCall(String message) {
    super(message);
  }
}
