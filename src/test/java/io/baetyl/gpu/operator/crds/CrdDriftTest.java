package io.baetyl.gpu.operator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema and the Java types say the same, in both directions. */
class CrdDriftTest {
  static Stream<Arguments> types() {
    return Stream.of(
        Arguments.of("gpunodes", "spec", GpuNodeSpec.class),
        Arguments.of("gpunodes", "status", GpuNodeStatus.class),
        Arguments.of("gpushareprofiles", "spec", GpuShareProfileSpec.class),
        Arguments.of("gpushareprofiles", "status", GpuShareProfileStatus.class));
  }

  @ParameterizedTest
  @MethodSource("types")
  void schemaAndRecordAgree(String plural, String part, Class<?> type) {
    var differences = new ArrayList<String>();

    compare(part, Crds.schema(plural).at("/properties/" + part), type, differences);

    assertThat(differences).isEmpty();
  }

  private static void compare(
      String path, JsonNode schema, Class<?> type, List<String> differences) {
    var inSchema = new TreeSet<String>();
    schema.path("properties").fieldNames().forEachRemaining(inSchema::add);
    var inRecord =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!inSchema.equals(inRecord)) {
      differences.add("%s: schema %s, record %s".formatted(path, inSchema, inRecord));
      return;
    }
    for (var component : type.getRecordComponents()) {
      compareField(
          path + "." + component.getName(),
          schema.at("/properties/" + component.getName()),
          component.getGenericType(),
          differences);
    }
  }

  private static void compareField(
      String path, JsonNode schema, Type type, List<String> differences) {
    switch (type) {
      case ParameterizedType generic when generic.getRawType() == List.class ->
          compareField(
              path + "[]", schema.path("items"), generic.getActualTypeArguments()[0], differences);
      case ParameterizedType generic when generic.getRawType() == Map.class ->
          expect(path, schema.at("/additionalProperties/type").asText(), "string", differences);
      case Class<?> record when record.isRecord() -> compare(path, schema, record, differences);
      case Class<?> enumeration when enumeration.isEnum() ->
          expect(path, texts(schema.path("enum")), values(enumeration), differences);
      case Class<?> plain when plain == String.class ->
          expect(path, schema.path("type").asText(), "string", differences);
      case Class<?> plain when plain == Integer.class ->
          expect(path, schema.path("format").asText(), "int32", differences);
      case Class<?> plain when plain == Long.class ->
          expect(path, schema.path("format").asText(), "int64", differences);
      default -> differences.add(path + " has the type " + type);
    }
  }

  private static void expect(
      String path, Object inSchema, Object inRecord, List<String> differences) {
    if (!inSchema.equals(inRecord)) {
      differences.add("%s: schema %s, record %s".formatted(path, inSchema, inRecord));
    }
  }

  private static Set<String> values(Class<?> enumeration) {
    return Arrays.stream(enumeration.getEnumConstants())
        .map(Object::toString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void aConditionIsSentWithTheFieldsOfTheSchemaOnly() {
    var condition =
        new Condition("Ready", "True", "Because", "of this", "2026-01-01T00:00:00Z", 1L);

    var sent = new TreeSet<String>();
    new ObjectMapper().valueToTree(condition).fieldNames().forEachRemaining(sent::add);

    assertThat(sent)
        .containsExactly(
            "lastTransitionTime", "message", "observedGeneration", "reason", "status", "type");
  }

  @Test
  void anObjectFromTheFutureCanBeRead() {
    var node =
        Serialization.unmarshal(
            """
            apiVersion: gpu.baetyl.io/v1alpha1
            kind: GpuNode
            metadata: {name: edge-01}
            spec: {accelerator: quantum, allocation: Shared, entangled: {with: edge-02}}
            status:
              phase: Superposed
              devices: [{id: GPU-1, health: Dreaming, qubits: 7}]
            """,
            GpuNode.class);

    assertThat(node.getSpec().accelerator()).isNull();
    assertThat(node.getSpec().allocation()).isEqualTo(AllocationMode.SHARED);
    assertThat(node.getStatus().devices().getFirst().health()).isNull();
  }

  @Test
  void anObjectWithoutAnythingCanBeRead() {
    var profile =
        Serialization.unmarshal(
            """
            apiVersion: gpu.baetyl.io/v1alpha1
            kind: GpuShareProfile
            metadata: {name: default}
            """,
            GpuShareProfile.class);

    assertThat(profile.specOrEmpty().unitInForce()).isEqualTo("256Mi");
    assertThat(profile.statusOrEmpty().conditions()).isEmpty();
  }
}
