package io.baetyl.gpu.extender.pods;

/** Which pod; the uid tells it from one made anew under the same name. */
public record PodName(String namespace, String name, String uid) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
