package io.baetyl.gpu.extender.filtering;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.wire.Json;
import io.baetyl.gpu.extender.wire.MalformedCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The argument of filter and prioritize ({@code ExtenderArgs}): a pod, and the names of the nodes
 * in question. Nodes are looked up while the names are read; a name that is known leaves no object
 * behind. To be used again for call after call.
 */
final class NodeQuestion {
  private final Picture picture;
  private Node[] nodes = new Node[256];
  private int count;
  private final List<String> unknown = new ArrayList<>();
  private PodFacts pod;
  private boolean named;

  NodeQuestion(Picture picture) {
    this.picture = picture;
  }

  PodFacts pod() {
    return pod;
  }

  /** The number of nodes that are known. */
  int count() {
    return count;
  }

  Node node(int index) {
    return nodes[index];
  }

  /** The names of nodes that nothing is known of. */
  List<String> unknown() {
    return unknown;
  }

  void read(byte[] body, int length) throws MalformedCall {
    clear();
    try (var parser = Json.MAPPER.createParser(body, 0, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedCall("the call has no JSON object as its body");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        readField(parser);
      }
    } catch (IOException unreadable) {
      throw Json.malformed(unreadable);
    }
    if (pod == null || pod.uid() == null || pod.pod().name() == null) {
      throw new MalformedCall("the call names no pod");
    }
    if (!named) {
      throw new MalformedCall(
          "the call has no NodeNames: set nodeCacheCapable: true for this extender in the"
              + " scheduler's configuration");
    }
  }

  private void readField(JsonParser parser) throws IOException, MalformedCall {
    var field = parser.currentName();
    var value = parser.nextToken();
    // Go reads its field names in any case, so do we.
    if (field.equalsIgnoreCase("Pod") && value == JsonToken.START_OBJECT) {
      pod = PodFacts.read(parser);
    } else if (field.equalsIgnoreCase("NodeNames") && value == JsonToken.START_ARRAY) {
      readNames(parser);
    } else {
      parser.skipChildren();
    }
  }

  private void readNames(JsonParser parser) throws IOException, MalformedCall {
    named = true;
    for (var token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
      if (token != JsonToken.VALUE_STRING) {
        throw new MalformedCall("the call names a node that is no string");
      }
      var node =
          picture.node(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
      if (node == null) {
        unknown.add(parser.getText());
      } else {
        if (count == nodes.length) {
          nodes = Arrays.copyOf(nodes, 2 * count);
        }
        nodes[count++] = node;
      }
    }
  }

  private void clear() {
    Arrays.fill(nodes, 0, count, null);
    count = 0;
    unknown.clear();
    pod = null;
    named = false;
  }
}
