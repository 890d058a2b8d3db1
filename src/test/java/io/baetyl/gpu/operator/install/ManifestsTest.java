package io.baetyl.gpu.operator.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.model.ShareRules;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code kubectl apply -k config/default} installs. */
class ManifestsTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static JsonNode read(Path file) throws IOException {
    return YAML.readTree(file.toFile());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"config/rbac", "config/policy", "config/operator", "src/main/resources/crds"})
  void everyFileIsInstalled(String folder) throws IOException {
    var installed = new TreeSet<String>();
    read(Path.of(folder, "kustomization.yaml"))
        .path("resources")
        .forEach(resource -> installed.add(resource.asText()));

    try (var files = Files.list(Path.of(folder))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> !name.equals("kustomization.yaml"))
          .containsExactlyInAnyOrderElementsOf(installed);
    }
  }

  @Test
  void everyPolicyIsBound() throws IOException {
    try (var files = Files.list(Path.of("config/policy"))) {
      for (var file : files.filter(each -> !each.endsWith("kustomization.yaml")).toList()) {
        try (MappingIterator<JsonNode> documents =
            YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
          var all = documents.readAll();
          assertThat(all).hasSize(2);
          assertThat(all.getLast().at("/spec/policyName"))
              .isEqualTo(all.getFirst().at("/metadata/name"));
        }
      }
    }
  }

  @Test
  void theOperatorIsConfinedProbedNeverTwiceAndRunsOnTheControlPlaneToo() throws IOException {
    var deployment =
        Serialization.unmarshal(
            Files.readString(Path.of("config/operator/deployment.yaml")), Deployment.class);
    var pod = deployment.getSpec().getTemplate().getSpec();
    var container = pod.getContainers().getFirst();

    assertThat(deployment.getSpec().getStrategy().getType()).isEqualTo("Recreate");
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getTolerations())
        .extracting(Toleration::getKey, Toleration::getOperator)
        .containsExactly(tuple("node-role.kubernetes.io/control-plane", "Exists"));
    assertThat(container.getName()).isEqualTo("operator");
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(
            List.of(
                container.getStartupProbe(),
                container.getReadinessProbe(),
                container.getLivenessProbe()))
        .doesNotContainNull();
  }

  /** One that goes on would have lost the thread to which it happened, and still answer probes. */
  @Test
  void everyRoleEndsWhenItIsOutOfMemory() throws IOException {
    var entryPoint =
        Files.readAllLines(Path.of("Dockerfile")).stream()
            .filter(line -> line.startsWith("ENTRYPOINT "))
            .map(line -> line.substring("ENTRYPOINT ".length()))
            .findFirst()
            .orElseThrow();

    assertThat(YAML.readTree(entryPoint))
        .extracting(JsonNode::asText)
        .startsWith("java")
        .contains("-XX:+ExitOnOutOfMemoryError");
  }

  @Test
  void theSamplesSayWhatTheyMean() throws IOException {
    var node =
        Serialization.unmarshal(
            Files.readString(Path.of("config/samples/gpunode.yaml")), GpuNode.class);
    var profile =
        Serialization.unmarshal(
            Files.readString(Path.of("config/samples/gpushareprofile.yaml")),
            GpuShareProfile.class);

    assertThat(node.getSpec().accelerator()).isNotNull();
    assertThat(node.getSpec().allocation()).isNotNull();
    assertThat(ShareRules.of(profile.getSpec()).unitsOf(24259)).isEqualTo(94);
  }

  @Test
  void theInstallationShipsNoCustomResource() throws IOException {
    var resources = read(Path.of("config/default/kustomization.yaml")).path("resources");

    assertThat(StreamSupport.stream(resources.spliterator(), false).map(JsonNode::asText))
        .noneMatch(resource -> resource.contains("samples"));
  }
}
