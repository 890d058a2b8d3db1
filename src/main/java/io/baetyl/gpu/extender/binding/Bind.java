package io.baetyl.gpu.extender.binding;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.wire.Json;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;
import java.io.IOException;

/** Binds a pod ({@code ExtenderBindingArgs}, {@code ExtenderBindingResult}). */
public final class Bind implements Verb {
  private final PodBinding binding;
  private final Counters counters;

  public Bind(PodBinding binding, Counters counters) {
    this.binding = binding;
    this.counters = counters;
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Args(
      @JsonProperty("PodName") String podName,
      @JsonProperty("PodNamespace") String podNamespace,
      @JsonProperty("PodUID") String podUid,
      @JsonProperty("Node") String node) {}

  @Override
  public void answer(byte[] body, int length, JsonBytes out) throws MalformedCall {
    var args = read(body, length);
    var error = binding.bind(new PodName(args.podNamespace, args.podName, args.podUid), args.node);
    if (error.isEmpty()) {
      out.raw("{}");
    } else {
      counters.count(Counter.BIND_FAILURES);
      fail(error.get(), out);
    }
  }

  @Override
  public void fail(String error, JsonBytes out) {
    out.raw("{\"Error\":").string(error).raw('}');
  }

  private static Args read(byte[] body, int length) throws MalformedCall {
    Args args;
    try {
      args = Json.MAPPER.readValue(body, 0, length, Args.class);
    } catch (IOException unreadable) {
      throw Json.malformed(unreadable);
    }
    if (args == null || isEmpty(args.podName) || isEmpty(args.podNamespace)) {
      throw new MalformedCall("the call names no pod");
    }
    if (isEmpty(args.podUid) || isEmpty(args.node)) {
      throw new MalformedCall("the call names no UID of the pod, or no node");
    }
    return args;
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }
}
