package io.baetyl.gpu.operator.components;

import static java.util.stream.Collectors.joining;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/** The admission policies: their YAML, with the names of the resources that count put into it. */
final class Policies {

  private Policies() {}

  /**
   * For pods that ask for shared memory.
   *
   * @param resources the names of extended resources, as the custom resource's schema lets them
   *     pass: without quotes
   */
  static List<HasMetadata> sharingPods(SortedSet<String> resources) {
    return read("sharing-pods", Names.SCHEDULER, resources);
  }

  /**
   * For pods that ask for devices of which a container can have one only.
   *
   * @param resources the names of extended resources
   */
  static List<HasMetadata> deviceCounts(SortedSet<String> resources) {
    return read("device-counts", Names.DEVICE_COUNTS, resources);
  }

  private static List<HasMetadata> read(String name, String whose, SortedSet<String> resources) {
    try (var file = Policies.class.getResourceAsStream("/policies/" + name + ".yaml")) {
      var documents = new String(file.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^---\n");
      return Arrays.stream(documents).map(yaml -> policy(yaml, whose, resources)).toList();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static HasMetadata policy(String yaml, String whose, SortedSet<String> resources) {
    var policy = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
    policy.getMetadata().setLabels(Names.labels(whose));
    List<Map<String, Object>> variables = policy.get("spec", "variables");
    if (variables != null) {
      variables.stream()
          .filter(variable -> variable.get("name").equals("resources"))
          .forEach(variable -> variable.put("expression", list(resources)));
    }
    return policy;
  }

  /** A list of texts in CEL. */
  private static String list(SortedSet<String> texts) {
    return texts.stream().map(text -> "'" + text + "'").collect(joining(", ", "[", "]"));
  }
}
