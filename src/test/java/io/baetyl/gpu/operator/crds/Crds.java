package io.baetyl.gpu.operator.crds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/** The CRDs as they are shipped. */
final class Crds {
  private static final Path FOLDER = Path.of("src/main/resources/crds");

  private Crds() {}

  static JsonNode read(String plural) {
    try {
      return new YAMLMapper().readTree(FOLDER.resolve(plural + ".gpu.baetyl.io.yaml").toFile());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static JsonNode version(String plural) {
    return read(plural).at("/spec/versions/0");
  }

  static JsonNode schema(String plural) {
    return version(plural).at("/schema/openAPIV3Schema");
  }

  /** Calls a visitor with the path of every schema below one, itself included. */
  static void visit(String path, JsonNode schema, BiConsumer<String, JsonNode> visitor) {
    visitor.accept(path, schema);
    schema
        .path("properties")
        .properties()
        .forEach(property -> visit(path + "." + property.getKey(), property.getValue(), visitor));
    if (schema.has("items")) {
      visit(path + "[]", schema.get("items"), visitor);
    }
    if (schema.path("additionalProperties").isObject()) {
      visit(path + ".*", schema.get("additionalProperties"), visitor);
    }
  }
}
