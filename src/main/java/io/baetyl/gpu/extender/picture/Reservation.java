package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.model.Holding;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Cards kept for a pod from the moment they are decided until the watch shows the pod bound, or the
 * API server says that it never will be. There is one at most for a pod.
 */
public final class Reservation {

  /** How far the binding has come. */
  public enum State {
    /** A call is writing it, or about to. */
    WRITING,
    /** It is written; the watch will show it. */
    BOUND,
    /** Whether it has been written could not be found out; it may yet be. */
    UNCLEAR,
    /** It will not be; the cards have been given back. */
    GIVEN_BACK
  }

  private final PodName pod;
  private final Node node;
  private final CardDecision decision;
  private final List<Holding> held;
  private final ReentrantLock writing = new ReentrantLock();
  private volatile Instant lastWrite;
  private volatile Instant lastLook = Instant.MIN;
  private volatile State state = State.WRITING;

  /**
   * Cards that have just been decided.
   *
   * @param now from when on the binding may be written
   */
  public Reservation(
      PodName pod, Node node, CardDecision decision, List<Holding> held, Instant now) {
    this.pod = pod;
    this.node = node;
    this.decision = decision;
    this.held = held;
    this.lastWrite = now;
  }

  public PodName pod() {
    return pod;
  }

  public Node node() {
    return node;
  }

  public CardDecision decision() {
    return decision;
  }

  List<Holding> held() {
    return held;
  }

  /** When the binding was last sent; until it has been, when the cards were decided. */
  public Instant lastWrite() {
    return lastWrite;
  }

  /** Says that the binding is about to be sent. */
  public void written(Instant now) {
    lastWrite = now;
  }

  /** Held by whoever writes the binding; a second call for the pod waits here for the first. */
  public ReentrantLock writing() {
    return writing;
  }

  /** When it was last looked up what has become of it; long ago where it never was. */
  public Instant lastLook() {
    return lastLook;
  }

  public void looked(Instant now) {
    lastLook = now;
  }

  public State state() {
    return state;
  }

  public void becomes(State next) {
    state = next;
  }
}
