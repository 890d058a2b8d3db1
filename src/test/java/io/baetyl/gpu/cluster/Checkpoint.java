package io.baetyl.gpu.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/**
 * The kubelet's own books of devices, read from its checkpoint file: asking its PodResources API
 * instead would disturb what is watched, since a List while an Allocate is under way can make the
 * kubelet hand an id out twice.
 */
final class Checkpoint {
  private static final String FILE = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

  private Checkpoint() {}

  /** Ids that a container has been given. */
  record Entry(String podUid, String container, String resource, List<String> ids) {}

  static List<Entry> read(String node) {
    try {
      var entries = new ArrayList<Entry>();
      var data = new ObjectMapper().readTree(TestCluster.onNode(node, "cat", FILE)).path("Data");
      for (var entry : data.path("PodDeviceEntries")) {
        entries.add(
            new Entry(
                entry.path("PodUID").asText(),
                entry.path("ContainerName").asText(),
                entry.path("ResourceName").asText(),
                ids(entry.path("DeviceIDs"))));
      }
      return entries;
    } catch (JsonProcessingException halfWritten) {
      throw new AssertionError("the checkpoint of " + node + " cannot be read", halfWritten);
    }
  }

  private static List<String> ids(JsonNode byNumaNode) {
    var ids = new ArrayList<String>();
    byNumaNode.forEach(list -> list.forEach(id -> ids.add(id.asText())));
    return ids;
  }
}
