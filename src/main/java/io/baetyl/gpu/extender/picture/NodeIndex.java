package io.baetyl.gpu.extender.picture;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds nodes by a name that lies somewhere in a buffer of characters, so that a call about 5,000
 * nodes makes no 5,000 strings. Open addressing; read without a lock, replaced as a whole when a
 * node comes or goes.
 */
final class NodeIndex {
  private volatile Node[] slots = new Node[64];
  private int size;

  /** The node of a name, or null. */
  Node find(char[] text, int offset, int length) {
    var table = slots;
    int hash = hash(text, offset, length);
    for (int slot = hash & (table.length - 1); ; slot = (slot + 1) & (table.length - 1)) {
      var node = table[slot];
      if (node == null || (node.hash() == hash && node.isNamed(text, offset, length))) {
        return node;
      }
    }
  }

  /** The node of a name, or null. */
  Node find(String name) {
    return find(name.toCharArray(), 0, name.length());
  }

  List<Node> all() {
    var nodes = new ArrayList<Node>();
    for (var node : slots) {
      if (node != null) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  synchronized void add(Node node) {
    // Never more than half full, so that a search ends soon, and at an empty slot.
    boolean grow = 2 * (size + 1) > slots.length;
    var table = grow ? new Node[2 * slots.length] : slots.clone();
    if (grow) {
      for (var known : slots) {
        if (known != null) {
          put(table, known);
        }
      }
    }
    put(table, node);
    size++;
    slots = table;
  }

  synchronized void remove(Node node) {
    var table = new Node[slots.length];
    size = 0;
    for (var known : slots) {
      if (known != null && known != node) {
        put(table, known);
        size++;
      }
    }
    slots = table;
  }

  private static void put(Node[] table, Node node) {
    int slot = node.hash() & (table.length - 1);
    while (table[slot] != null) {
      slot = (slot + 1) & (table.length - 1);
    }
    table[slot] = node;
  }

  static int hash(char[] text, int offset, int length) {
    int hash = 0;
    for (int index = offset; index < offset + length; index++) {
      hash = 31 * hash + text[index];
    }
    // Node names differ in their last characters; the table looks at the low bits only.
    hash ^= hash >>> 16;
    hash *= 0x85ebca6b;
    return hash ^ (hash >>> 13);
  }
}
