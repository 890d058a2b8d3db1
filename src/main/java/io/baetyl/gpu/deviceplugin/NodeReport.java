package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The device plugin's part of its node's status. */
public interface NodeReport {

  /**
   * What is reported.
   *
   * @param plugin whether the plugin serves; empty while it never has
   * @param allocations who holds what
   */
  record Content(Optional<PluginStatus> plugin, List<Allocation> allocations) {
    public Content {
      allocations = List.copyOf(allocations);
    }
  }

  /** What the API server has, as last watched; empty where the node has no GpuNode. */
  Optional<Content> current();

  /**
   * Writes the status.
   *
   * @throws IOException if the API server does not take it
   */
  void write(Content content) throws IOException;

  /**
   * Writes the status where the API server has still what is to be replaced, asked anew.
   *
   * @return false where it has something else, which is left alone
   * @throws IOException if the API server does not answer, or does not take it
   */
  boolean replace(Content expected, Content content) throws IOException;
}
