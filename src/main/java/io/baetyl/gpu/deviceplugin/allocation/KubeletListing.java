package io.baetyl.gpu.deviceplugin.allocation;

import java.io.IOException;
import java.util.List;

/** The kubelet's own account of who has which units. */
@FunctionalInterface
public interface KubeletListing {

  /**
   * The containers of all pods that the kubelet runs or is about to, those without units included.
   *
   * @throws IOException if the kubelet does not answer
   */
  List<ListedContainer> list() throws IOException;
}
