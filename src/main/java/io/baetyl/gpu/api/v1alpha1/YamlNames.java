package io.baetyl.gpu.api.v1alpha1;

/** The values of an enum by their names in YAML, which are what they say of themselves. */
final class YamlNames {
  private YamlNames() {}

  /** The value of this name, or null where it is one that this program does not know. */
  static <E extends Enum<E>> E find(E[] values, String name) {
    for (var candidate : values) {
      if (candidate.toString().equals(name)) {
        return candidate;
      }
    }
    return null;
  }
}
