package io.baetyl.gpu.extender;

import java.io.Serial;

/** A call that cannot be answered, because of what it says; the message tells its sender why. */
final class MalformedCall extends Exception {
  @Serial private static final long serialVersionUID = 1;

  MalformedCall(String message) {
    super(message);
  }
}
