package io.baetyl.gpu.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rights that are shipped, as {@code verb resource.group} with the object's name where there is
 * one.
 */
class RbacTest {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final List<String> READ_CUSTOM_RESOURCES =
      all("get list watch", "gpunodes.gpu.baetyl.io", "gpushareprofiles.gpu.baetyl.io");
  private static final List<String> READ_GPU_NODES =
      all("get list watch", "gpunodes.gpu.baetyl.io");

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
      for (var group : texts(rule.path("apiGroups"))) {
        for (var resource : texts(rule.path("resources"))) {
          var right = verb + " " + resource + (group.isEmpty() ? "" : "." + group);
          var names = texts(rule.path("resourceNames"));
          if (names.isEmpty()) {
            rights.add(right);
          }
          names.forEach(name -> rights.add(right + " " + name));
        }
      }
    }
    return rights;
  }

  /** Each of the verbs, of each of the resources. */
  private static List<String> all(String verbs, String... resources) {
    return Arrays.stream(verbs.split(" "))
        .flatMap(verb -> Arrays.stream(resources).map(resource -> verb + " " + resource))
        .toList();
  }

  @SafeVarargs
  private static List<String> together(List<String>... rights) {
    return Arrays.stream(rights).flatMap(List::stream).toList();
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  @Test
  void theMetricsAgentWritesStatusOnly() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-accelerator-metrics"))
        .containsExactlyInAnyOrderElementsOf(
            together(
                READ_GPU_NODES,
                all("patch", "gpunodes/status.gpu.baetyl.io"),
                all("get", "runtimeclasses.node.k8s.io")));
  }

  @Test
  void theDevicePluginWritesStatusAndPods() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-accelerator-device-plugin"))
        .containsExactlyInAnyOrderElementsOf(
            together(
                READ_GPU_NODES,
                all("patch", "gpunodes/status.gpu.baetyl.io"),
                all("get list watch patch", "pods")));
  }

  @Test
  void theExtenderBindsAndWakesPods() throws IOException {
    assertThat(rights("ClusterRole", "baetyl-gpu-scheduler-extender"))
        .containsExactlyInAnyOrderElementsOf(
            together(
                READ_GPU_NODES,
                all("get list watch patch", "pods"),
                all("create", "pods/binding")));
  }

  @Test
  void theOperatorWritesStatusLabelsEventsAndItsPolicies() throws IOException {
    var policies = ".admissionregistration.k8s.io gpu-sharing-pods.gpu.baetyl.io";
    var counts = ".admissionregistration.k8s.io gpu-device-counts.gpu.baetyl.io";
    assertThat(rights("ClusterRole", "baetyl-gpu-operator"))
        .containsExactlyInAnyOrderElementsOf(
            together(
                READ_CUSTOM_RESOURCES,
                all(
                    "patch",
                    "gpunodes/status.gpu.baetyl.io",
                    "gpushareprofiles/status.gpu.baetyl.io"),
                all("get", "customresourcedefinitions.apiextensions.k8s.io gpunodes.gpu.baetyl.io"),
                all("get list watch patch", "nodes"),
                all("get list delete", "pods"),
                all("create", "events", "gpunodes.gpu.baetyl.io"),
                all(
                    "get create patch delete",
                    "mutatingadmissionpolicies" + policies,
                    "mutatingadmissionpolicybindings" + policies,
                    "validatingadmissionpolicies" + policies,
                    "validatingadmissionpolicybindings" + policies,
                    "mutatingadmissionpolicies" + counts,
                    "mutatingadmissionpolicybindings" + counts,
                    "validatingadmissionpolicies" + counts,
                    "validatingadmissionpolicybindings" + counts)));
  }

  @Test
  void theOperatorWritesObjectsOfItsOwnNamesOnly() throws IOException {
    assertThat(rights("Role", "baetyl-gpu-operator"))
        .containsExactlyInAnyOrderElementsOf(
            together(
                all("watch", "pods"),
                all("list", "events"),
                all("list watch", "daemonsets.apps", "deployments.apps"),
                all(
                    "get create patch delete",
                    "daemonsets.apps baetyl-accelerator-metrics",
                    "deployments.apps baetyl-gpu-scheduler-extender",
                    "deployments.apps baetyl-gpu-scheduler",
                    "services baetyl-gpu-scheduler-extender",
                    "configmaps baetyl-gpu-scheduler",
                    "secrets baetyl-gpu-ca",
                    "secrets baetyl-gpu-scheduler-extender-tls",
                    "secrets baetyl-gpu-scheduler-tls"),
                all("get create patch delete", devicePlugins())));
  }

  private static String[] devicePlugins() {
    return Vendors.requirements().stream()
        .flatMap(
            known ->
                known.allocations().stream()
                    .map(mode -> mode == AllocationMode.SHARED ? "-shared" : "")
                    .map(mode -> "baetyl-accelerator-device-plugin-" + known.type() + mode))
        .map(name -> "daemonsets.apps " + name)
        .toArray(String[]::new);
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
        .allMatch(right -> right.contains("secrets baetyl-gpu-"))
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
