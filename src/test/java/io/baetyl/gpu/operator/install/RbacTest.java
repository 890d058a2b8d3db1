package io.baetyl.gpu.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rights that are shipped, as {@code verb resource} with a name where there is one. */
class RbacTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static List<JsonNode> documents() throws IOException {
    var documents = new ArrayList<JsonNode>();
    try (var files = Files.list(Path.of("config/rbac"))) {
      for (var file : files.sorted().toList()) {
        try (MappingIterator<JsonNode> inFile =
            YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
          documents.addAll(inFile.readAll());
        }
      }
    }
    return documents;
  }

  private static List<JsonNode> roles(String kind) throws IOException {
    return documents().stream()
        .filter(document -> document.path("kind").asText().equals(kind))
        .toList();
  }

  private static Set<String> rights(String kind, String name) throws IOException {
    var rights = new TreeSet<String>();
    for (var role : roles(kind)) {
      if (role.at("/metadata/name").asText().equals(name)) {
        role.path("rules").forEach(rule -> rights.addAll(rights(rule)));
      }
    }
    return rights;
  }

  private static Set<String> rights(JsonNode rule) {
    var rights = new TreeSet<String>();
    for (var verb : texts(rule.path("verbs"))) {
      for (var resource : texts(rule.path("resources"))) {
        var names = texts(rule.path("resourceNames"));
        if (names.isEmpty()) {
          rights.add(verb + " " + resource);
        }
        names.forEach(name -> rights.add(verb + " " + resource + "/" + name));
      }
    }
    return rights;
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  @Test
  void theMetricsAgentWritesStatusOnly() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-accelerator-metrics"))
        .containsExactlyInAnyOrder(
            "get gpunodes",
            "list gpunodes",
            "watch gpunodes",
            "get gpushareprofiles",
            "list gpushareprofiles",
            "watch gpushareprofiles",
            "patch gpunodes/status",
            "get runtimeclasses");
  }

  @Test
  void theDevicePluginWritesStatusPodsAndEvents() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-accelerator-device-plugin"))
        .filteredOn(right -> !right.matches("(get|list|watch) .*"))
        .containsExactlyInAnyOrder(
            "patch gpunodes/status", "patch pods", "create events", "patch events");
  }

  @Test
  void theExtenderBindsAndWakesPods() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-gpu-scheduler-extender"))
        .filteredOn(right -> !right.matches("(get|list|watch) .*"))
        .containsExactlyInAnyOrder("create pods/binding", "patch pods");
  }

  @Test
  void theOperatorWritesStatusLabelsEventsAndItsPolicies() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-gpu-operator"))
        .filteredOn(right -> !right.matches("(get|list|watch) .*"))
        .filteredOn(right -> !right.contains("policies/") && !right.contains("policybindings/"))
        .containsExactlyInAnyOrder(
            "patch gpunodes/status",
            "patch gpushareprofiles/status",
            "patch nodes",
            "create events",
            "delete pods");
  }

  @Test
  void theOperatorWritesObjectsOfItsOwnNamesOnly() throws IOException {
    assertThat(rights("Role", "baetyl-gpu-operator"))
        .filteredOn(right -> right.matches("(create|patch|delete) .*"))
        .allMatch(right -> right.contains("/baetyl-"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ClusterRole", "Role"})
  void noRoleIsBoundless(String kind) throws IOException {
    for (var role : roles(kind)) {
      for (var rule : role.path("rules")) {
        assertThat(rights(rule))
            .as("%s %s", kind, role.at("/metadata/name").asText())
            .noneMatch(right -> right.contains("*"))
            .noneMatch(right -> right.matches("(escalate|bind|impersonate|deletecollection) .*"));
      }
    }
  }

  @Test
  void nobodyReadsSecretsButTheOperatorItsOwnByName() throws IOException {
    for (var role : roles("ClusterRole")) {
      assertThat(role.path("rules").findValuesAsText("resources").toString())
          .doesNotContain("secrets");
      for (var rule : role.path("rules")) {
        assertThat(texts(rule.path("resources"))).doesNotContain("secrets");
      }
    }
    assertThat(rights("Role", "baetyl-gpu-operator"))
        .filteredOn(right -> right.contains("secrets"))
        .allMatch(right -> right.contains("secrets/baetyl-gpu-"))
        .noneMatch(right -> right.startsWith("list") || right.startsWith("watch"));
  }

  @Test
  void everySubjectIsAnAccountThatIsShipped() throws IOException {
    var accounts =
        roles("ServiceAccount").stream().map(account -> account.at("/metadata/name").asText());
    var subjects =
        documents().stream()
            .flatMap(
                document -> StreamSupport.stream(document.path("subjects").spliterator(), false))
            .map(subject -> subject.path("name").asText())
            .distinct();

    assertThat(subjects).isSubsetOf(accounts.toList());
  }
}
