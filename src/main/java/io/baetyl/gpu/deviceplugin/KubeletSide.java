package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.deviceplugin.allocation.Unit;
import java.util.List;
import java.util.Optional;

/** The kubelet, as far as the bookkeeper talks to it. */
interface KubeletSide {
  /** Tells the kubelet of the units. */
  void offer(List<Unit> units);

  /** Has the kubelet write to disk that units are free again. */
  void save();

  /** It is known now who has which units, so that they can be offered. */
  void settled();

  /** Whether it has asked for the units. */
  boolean listening();

  /** Why it cannot be told of the units, in a sentence; empty when it can. */
  Optional<String> obstacle();
}
