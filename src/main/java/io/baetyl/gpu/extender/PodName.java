package io.baetyl.gpu.extender;

/** Which pod; the uid tells it from one made anew under the same name. */
record PodName(String namespace, String name, String uid) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
