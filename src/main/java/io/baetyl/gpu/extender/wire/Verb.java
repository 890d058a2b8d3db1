package io.baetyl.gpu.extender.wire;

import java.time.Duration;

/** One of the calls that kube-scheduler makes. */
public interface Verb {
  /**
   * How long a call may take. kube-scheduler hangs up after 10 s (httpTimeout in its
   * configuration), and would then not hear what is known of the bind.
   */
  Duration LONGEST_CALL = Duration.ofSeconds(8);

  /**
   * Answers a call.
   *
   * @param body its body, in a buffer that belongs to the next call after this one
   * @param length how much of the buffer is the body
   */
  void answer(byte[] body, int length, JsonBytes out) throws MalformedCall;

  /** Answers that the call failed, in the form that the caller reads. */
  void fail(String error, JsonBytes out);
}
