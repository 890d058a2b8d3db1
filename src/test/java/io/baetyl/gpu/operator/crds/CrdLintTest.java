package io.baetyl.gpu.operator.crds;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.Vendors;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every field of the custom resources has to have. */
class CrdLintTest {
  /** What a schema may say; a word beyond is most likely a description with an unquoted comma. */
  private static final Set<String> WORDS =
      Set.of(
          "type",
          "description",
          "properties",
          "additionalProperties",
          "items",
          "required",
          "enum",
          "format",
          "minimum",
          "maximum",
          "minLength",
          "maxLength",
          "maxItems",
          "maxProperties",
          "x-kubernetes-list-type",
          "x-kubernetes-list-map-keys",
          "x-kubernetes-validations");

  @ParameterizedTest
  @ValueSource(strings = {"gpunodes", "gpushareprofiles"})
  void everyFieldIsBoundedAndExplained(String plural) {
    var faults = new ArrayList<String>();

    Crds.visit("", Crds.schema(plural), (path, schema) -> faults.addAll(faults(path, schema)));

    assertThat(faults).isEmpty();
  }

  @Test
  void noProfileMayTakeAResourceThatCountsWholeDevices() {
    var rules =
        Crds.schema("gpushareprofiles")
            .at("/properties/spec/properties/resourceName/x-kubernetes-validations")
            .findValuesAsText("rule");
    var taken =
        rules.stream()
            .filter(rule -> rule.startsWith("!(self in ["))
            .flatMap(rule -> Pattern.compile("'([^']+)'").matcher(rule).results())
            .map(name -> name.group(1))
            .collect(toSet());

    assertThat(taken)
        .isEqualTo(
            Vendors.requirements().stream()
                .flatMap(known -> known.resources().stream())
                .map(DeviceResource::name)
                .collect(toSet()));
  }

  private static List<String> faults(String path, JsonNode schema) {
    var faults = new ArrayList<String>();
    var type = schema.path("type").asText();
    if (path.equals(".metadata")) {
      return faults;
    }
    if (!path.endsWith(".*") && !schema.has("description")) {
      faults.add(path + " has no description");
    }
    schema
        .fieldNames()
        .forEachRemaining(
            word -> {
              if (!WORDS.contains(word) && !(path.equals(".spec") && word.equals("nullable"))) {
                faults.add(path + " has the word " + word);
              }
            });
    switch (type) {
      case "string" -> require(schema, "maxLength", path, faults);
      case "integer" -> {
        require(schema, "format", path, faults);
        require(schema, "minimum", path, faults);
        require(schema, "maximum", path, faults);
      }
      case "array" -> {
        require(schema, "maxItems", path, faults);
        if (!schema.path("x-kubernetes-list-type").asText().equals("map")) {
          faults.add(path + " is not a list map");
        }
        var keys = schema.path("x-kubernetes-list-map-keys");
        if (!keys.equals(schema.at("/items/required"))
            && !texts(schema.at("/items/required")).containsAll(texts(keys))) {
          faults.add(path + " does not require its keys");
        }
      }
      case "object" -> {
        if (schema.has("additionalProperties")) {
          require(schema, "maxProperties", path, faults);
        }
      }
      default -> faults.add(path + " has the type " + type);
    }
    for (var rule : schema.path("x-kubernetes-validations")) {
      if (rule.path("message").asText().length() < 20) {
        faults.add(path + " has a rule that does not say what to do");
      }
    }
    return faults;
  }

  private static void require(JsonNode schema, String word, String path, List<String> faults) {
    if (!schema.has(word)) {
      faults.add(path + " has no " + word);
    }
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  @Test
  void kubectlGetReadsAsPromised() {
    assertThat(columns("gpunodes"))
        .containsExactly(
            "Accelerator",
            "Allocation",
            "Cards",
            "Units",
            "Allocated",
            "Free",
            "Largest",
            "Ready",
            "Age");
    assertThat(columns("gpushareprofiles"))
        .containsExactly(
            "Resource",
            "Unit",
            "Placement",
            "Nodes",
            "Units",
            "Allocated",
            "Free",
            "Largest",
            "Ready",
            "Age");
  }

  @Test
  void kubectlGetWideAddsWhatIsAskedNext() {
    assertThat(columns("gpunodes", 1)).containsExactly("Healthy", "Profile", "Message");
  }

  private static List<String> columns(String plural) {
    return columns(plural, 0);
  }

  private static List<String> columns(String plural, int priority) {
    return Stream.of(Crds.version(plural).path("additionalPrinterColumns"))
        .flatMap(list -> StreamSupport.stream(list.spliterator(), false))
        .filter(column -> column.path("priority").asInt() == priority)
        .map(column -> column.path("name").asText())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpunodes", "gpushareprofiles"})
  void statusIsWrittenApartFromTheSpec(String plural) {
    assertThat(Crds.version(plural).at("/subresources/status").isObject()).isTrue();
  }

  /** Beyond 256 KiB plain kubectl apply fails, since it keeps a copy in an annotation. */
  @ParameterizedTest
  @ValueSource(strings = {"gpunodes", "gpushareprofiles"})
  void theSchemaFitsIntoAnAnnotation(String plural) {
    assertThat(Crds.read(plural).toString().length()).isLessThan(200_000);
  }
}
