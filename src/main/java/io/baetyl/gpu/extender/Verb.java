package io.baetyl.gpu.extender;

/** One of the calls that kube-scheduler makes. */
interface Verb {

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
