package io.baetyl.gpu.extender.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An answer in the making, in a buffer that is used again for the next one. */
public final class JsonBytes {
  private byte[] bytes = new byte[1 << 14];
  private int size;

  public void clear() {
    size = 0;
  }

  public int size() {
    return size;
  }

  public JsonBytes raw(byte[] json) {
    reserve(json.length);
    System.arraycopy(json, 0, bytes, size, json.length);
    size += json.length;
    return this;
  }

  public JsonBytes raw(char ascii) {
    reserve(1);
    bytes[size++] = (byte) ascii;
    return this;
  }

  public JsonBytes raw(String ascii) {
    return raw(ascii.getBytes(StandardCharsets.UTF_8));
  }

  public JsonBytes number(long number) {
    return raw(Long.toString(number));
  }

  /** A string in quotes, with whatever needs it escaped. */
  public JsonBytes string(String text) {
    return raw(quoted(text));
  }

  /** A string in quotes, with whatever needs it escaped. */
  public static byte[] quoted(String text) {
    var json = new StringBuilder(text.length() + 2).append('"');
    for (int index = 0; index < text.length(); index++) {
      char character = text.charAt(index);
      if (character == '"' || character == '\\') {
        json.append('\\').append(character);
      } else if (character < ' ') {
        json.append("\\u%04x".formatted((int) character));
      } else {
        json.append(character);
      }
    }
    return json.append('"').toString().getBytes(StandardCharsets.UTF_8);
  }

  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, size);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
