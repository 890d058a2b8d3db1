package io.baetyl.gpu.cluster.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.cluster.oracle.Observation.Booked;
import io.baetyl.gpu.cluster.oracle.Observation.Card;
import io.baetyl.gpu.cluster.oracle.Observation.ContainerKey;
import io.baetyl.gpu.cluster.oracle.Observation.Row;
import io.baetyl.gpu.cluster.oracle.Observation.StatusClaim;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the oracle reads, in the forms in which kubelet and API server have it. */
class ParsingTest {

  @Test
  void theKubeletsCheckpoint() throws Exception {
    var checkpoint =
        json(
            """
            {"Data": {"PodDeviceEntries": [
              {"PodUID": "a", "ContainerName": "main", "ResourceName": "baidu.com/vcuda-memory",
               "DeviceIDs": {"-1": ["GPU-1:3", "GPU-1:2"]}, "AllocResp": "Ch0="},
              {"PodUID": "b", "ContainerName": "main", "ResourceName": "other.example/device",
               "DeviceIDs": {"0": ["x"]}, "AllocResp": ""}],
             "RegisteredDevices": {"baidu.com/vcuda-memory": ["GPU-1:0"]}},
             "Checksum": 1}
            """);

    assertThat(NodeFiles.parseBooks(checkpoint, Set.of("baidu.com/vcuda-memory")))
        .containsExactly(new Booked(new ContainerKey("a", "main"), Set.of("GPU-1:2", "GPU-1:3")));
  }

  @Test
  void gpuNodesAndTheirProfile() throws Exception {
    var nodes =
        json(
            """
            {"items": [{"metadata": {"name": "edge"}, "status": {
              "shareProfile": "default", "sharing": {"unit": "512Mi", "reservedPerCard": "1Gi"}, "plugin": {"state": "Serving"},
              "devices": [{"id": "GPU-1", "memoryMiB": 4096, "units": 16}],
              "allocations": [{"namespace": "ns", "pod": "a", "uid": "u", "container": "main",
                "device": "GPU-1", "units": 8, "state": "Running"}]}}]}
            """);
    var profiles =
        json(
            """
            {"items": [{"metadata": {"name": "default"}, "spec": {"exclusiveFromPercent": 101}}]}
            """);

    assertThat(StatusReader.parse(nodes, profiles))
        .isEqualTo(
            Map.of(
                "edge",
                new StatusClaim(
                    Map.of("GPU-1", new Card(6, 4096)),
                    List.of(new Row("ns/a", "u", "main", "GPU-1", 8, "Running")),
                    101,
                    true,
                    512)));
  }

  @Test
  void theVariablesOfAContainer() {
    assertThat(
            NodeFiles.environmentOf(
                "PATH=/bin\0NVIDIA_VISIBLE_DEVICES=GPU-1\0BAETYL_GPU_UUID=GPU-1\0"
                    + "BAETYL_GPU_MEMORY_MIB=512\0NVIDIA_VISIBLE_DEVICES=all\0"))
        .isEqualTo(new NodeFiles.Environment("GPU-1", "all", 512));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return new ObjectMapper().readTree(text);
  }
}
