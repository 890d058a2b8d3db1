package io.baetyl.gpu.operator.components;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;

/**
 * What the operator wants an object to be, and whether it is so already. Everything that is wanted
 * has to be there; what others added (defaults, a service mesh's sidecar) does not matter, but for
 * lists of texts. A digest of the wish, kept as an annotation, tells when a field is wanted no
 * longer.
 */
final class Intent {
  static final String DIGEST = "gpu.baetyl.io/intent";

  private Intent() {}

  /** The object with the digest of itself; to be applied whole. */
  static <T extends HasMetadata> T stamped(T wanted) {
    var digest = digest(inOrder(wanted));
    var annotations = new HashMap<>(wanted.getMetadata().getAnnotations());
    annotations.put(DIGEST, digest);
    wanted.getMetadata().setAnnotations(annotations);
    return wanted;
  }

  /** Whether an object was applied with its digest once. */
  static boolean isNoted(HasMetadata object) {
    var annotations = object.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(DIGEST);
  }

  /** The order of a map's entries can differ from one run of the program to the next. */
  private static String inOrder(HasMetadata object) {
    try {
      return Serialization.jsonMapper()
          .writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .writeValueAsString(object);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Whether an object is as it is wanted.
   *
   * @param wanted with its digest
   * @param there as the API server returned it, or null
   */
  static boolean isMet(HasMetadata wanted, HasMetadata there) {
    return there != null && covers(tree(there), tree(wanted));
  }

  /** A digest of texts, short enough for an annotation. */
  static String digest(String... texts) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      for (var text : texts) {
        sha.update(text.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) 0);
      }
      return HexFormat.of().formatHex(sha.digest(), 0, 12);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static JsonNode tree(HasMetadata object) {
    return Serialization.jsonMapper().valueToTree(object);
  }

  private static boolean covers(JsonNode there, JsonNode wanted) {
    if (there == null || there.isNull()) {
      return wanted.isNull() || wanted.isEmpty() && wanted.isContainerNode();
    }
    if (wanted.isObject()) {
      return wanted.properties().stream()
          .allMatch(field -> covers(there.get(field.getKey()), field.getValue()));
    }
    if (wanted.isArray()) {
      return isOfObjects(wanted)
          ? coversInOrder(there.elements(), wanted.elements())
          : there.equals(wanted);
    }
    return there.equals(wanted) || sameQuantity(there.asText(), wanted.asText());
  }

  /** A list of texts, such as a command's arguments, is one value: nothing may be added to it. */
  private static boolean isOfObjects(JsonNode array) {
    return array.valueStream().allMatch(JsonNode::isObject);
  }

  /** Others may have put elements of theirs between ours. */
  private static boolean coversInOrder(Iterator<JsonNode> there, Iterator<JsonNode> wanted) {
    while (wanted.hasNext()) {
      var next = wanted.next();
      boolean found = false;
      while (!found && there.hasNext()) {
        found = covers(there.next(), next);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  /** The API server rewrites quantities: 1000m of CPU reads back as 1. */
  private static boolean sameQuantity(String one, String other) {
    try {
      return Quantity.getAmountInBytes(new Quantity(one))
              .compareTo(Quantity.getAmountInBytes(new Quantity(other)))
          == 0;
    } catch (IllegalArgumentException notQuantities) {
      return false;
    }
  }
}
