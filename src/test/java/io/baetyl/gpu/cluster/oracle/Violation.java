package io.baetyl.gpu.cluster.oracle;

/** Something that must never be, with the history of what it concerns. */
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1;

  Violation(String node, String what, String history) {
    super("On %s %s%nHistory:%n%s".formatted(node, what, history));
  }
}
