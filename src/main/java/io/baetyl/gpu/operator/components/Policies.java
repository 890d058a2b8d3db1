package io.baetyl.gpu.operator.components;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The admission policies for pods that ask for shared memory, from their YAML. */
final class Policies {
  private static final String FILE = "/policies/sharing-pods.yaml";

  private Policies() {}

  static List<HasMetadata> all() {
    try (var file = Policies.class.getResourceAsStream(FILE)) {
      var documents = new String(file.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^---\n");
      return Arrays.stream(documents).map(Policies::parse).toList();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static HasMetadata parse(String yaml) {
    var policy = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
    policy.getMetadata().setLabels(Names.labels(Names.SCHEDULER));
    return policy;
  }
}
