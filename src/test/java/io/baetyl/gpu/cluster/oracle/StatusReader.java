package io.baetyl.gpu.cluster.oracle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.cluster.oracle.Observation.Card;
import io.baetyl.gpu.cluster.oracle.Observation.Row;
import io.baetyl.gpu.cluster.oracle.Observation.StatusClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/** What all GpuNodes claim, read as plain JSON. */
final class StatusReader {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String API = "/apis/gpu.baetyl.io/v1alpha1/";
  private static final int EXCLUSIVE_FROM_PERCENT = 80;

  private final KubernetesClient client;

  StatusReader(KubernetesClient client) {
    this.client = client;
  }

  /** By the name of the node; empty where the API server does not answer, or not yet. */
  Map<String, StatusClaim> read() {
    try {
      var nodes = client.raw(API + "gpunodes");
      var profiles = client.raw(API + "gpushareprofiles");
      return nodes == null || profiles == null
          ? Map.of()
          : parse(JSON.readTree(nodes), JSON.readTree(profiles));
    } catch (KubernetesClientException | JsonProcessingException unanswered) {
      return Map.of();
    }
  }

  static Map<String, StatusClaim> parse(JsonNode nodes, JsonNode profiles) {
    var percents = new HashMap<String, Integer>();
    for (var profile : profiles.path("items")) {
      percents.put(
          profile.path("metadata").path("name").asText(),
          profile.path("spec").path("exclusiveFromPercent").asInt(EXCLUSIVE_FROM_PERCENT));
    }
    var claims = new HashMap<String, StatusClaim>();
    for (var node : nodes.path("items")) {
      var status = node.path("status");
      var cards = new HashMap<String, Card>();
      int unitMiB = mebiBytes(status.path("sharing").path("unit"));
      int reservedMiB = mebiBytes(status.path("sharing").path("reservedPerCard"));
      for (var device : status.path("devices")) {
        int memoryMiB = device.path("memoryMiB").asInt();
        // The units in the status are for a moment by the rules before.
        int units = unitMiB == 0 ? 0 : Math.max(0, memoryMiB - reservedMiB) / unitMiB;
        cards.put(device.path("id").asText(), new Card(units, memoryMiB));
      }
      var rows = new ArrayList<Row>();
      for (var row : status.path("allocations")) {
        rows.add(
            new Row(
                row.path("namespace").asText() + "/" + row.path("pod").asText(),
                row.path("uid").asText(),
                row.path("container").asText(),
                row.path("device").asText(),
                row.path("units").asInt(),
                row.path("state").asText()));
      }
      claims.put(
          node.path("metadata").path("name").asText(),
          new StatusClaim(
              cards,
              rows,
              percents.getOrDefault(status.path("shareProfile").asText(), EXCLUSIVE_FROM_PERCENT),
              status.path("plugin").path("state").asText().equals("Serving"),
              unitMiB));
    }
    return claims;
  }

  private static int mebiBytes(JsonNode amount) {
    var text = amount.asText("0Mi");
    int number = Integer.parseInt(text.substring(0, text.length() - 2));
    return text.endsWith("Gi") ? 1024 * number : number;
  }
}
