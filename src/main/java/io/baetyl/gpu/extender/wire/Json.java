package io.baetyl.gpu.extender.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** How calls are read. */
public final class Json {
  /** Buffers are shared by all threads: calls run on virtual ones, which come and go. */
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder().recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool()).build();

  public static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

  private Json() {}

  /** The reason of a failure to read, without the excerpt of the input that Jackson adds. */
  public static MalformedCall malformed(IOException unreadable) {
    var message = String.valueOf(unreadable.getMessage());
    int excerpt = message.indexOf('\n');
    return new MalformedCall(
        "the call cannot be read: " + (excerpt < 0 ? message : message.substring(0, excerpt)));
  }
}
