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

/**
 * The admission policies for pods that ask for shared memory: their YAML, with the names of the
 * resources that count put into it.
 */
final class Policies {
  private static final String FILE = "/policies/sharing-pods.yaml";

  private Policies() {}

  /**
   * @param resources the names of extended resources, as the custom resource's schema lets them
   *     pass: without quotes
   */
  static List<HasMetadata> all(SortedSet<String> resources) {
    try (var file = Policies.class.getResourceAsStream(FILE)) {
      var documents = new String(file.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^---\n");
      return Arrays.stream(documents).map(yaml -> policy(yaml, resources)).toList();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static HasMetadata policy(String yaml, SortedSet<String> resources) {
    var policy = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
    policy.getMetadata().setLabels(Names.labels(Names.SCHEDULER));
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
