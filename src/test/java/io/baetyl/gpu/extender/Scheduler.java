package io.baetyl.gpu.extender;

import com.fasterxml.jackson.databind.JsonNode;
import io.baetyl.gpu.extender.apiserver.FakePodApi;
import io.baetyl.gpu.extender.binding.BindingWrite;
import io.baetyl.gpu.extender.binding.PodBinding;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.filtering.Filter;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.waking.WaitingPods;
import io.baetyl.gpu.extender.wire.Json;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Plays kube-scheduler, and the watch, before the extender's parts and a fake API server. */
public final class Scheduler {
  public final TestClock clock = new TestClock();
  public final FakePodApi api = new FakePodApi(clock);
  public final Picture picture = new Picture(clock);
  public final WaitingPods waiting = new WaitingPods(clock);
  public final Counters counters = new Counters();
  public final BindingWrite bindings = new BindingWrite(picture, api, clock);
  public final PodBinding binding = new PodBinding(picture, api, bindings, clock, counters);

  /** What filter answered. */
  public record Filtered(
      List<String> passed, Map<String, String> failed, Map<String, String> lasting) {}

  /** A pod that has just been made, and seen by the watch. */
  public PodFacts create(PodFacts pod) {
    api.add(pod);
    picture.put(pod);
    return pod;
  }

  public Filtered filter(PodFacts pod, String... nodes) {
    var args =
        """
        {"Pod":%s,"Nodes":null,"NodeNames":[%s]}\
        """
            .formatted(
                json(pod),
                Stream.of(nodes).map(name -> '"' + name + '"').collect(Collectors.joining(",")));
    var answer = call(new Filter(picture, waiting), args);
    var passed = new ArrayList<String>();
    answer.path("NodeNames").forEach(name -> passed.add(name.textValue()));
    return new Filtered(
        passed,
        texts(answer.path("FailedNodes")),
        texts(answer.path("FailedAndUnresolvableNodes")));
  }

  private static Map<String, String> texts(JsonNode object) {
    var texts = new TreeMap<String, String>();
    object.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().textValue()));
    return texts;
  }

  public static JsonNode call(Verb verb, String body) {
    var out = new JsonBytes();
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    try {
      verb.answer(bytes, bytes.length, out);
    } catch (MalformedCall malformed) {
      out.clear();
      verb.fail(malformed.getMessage(), out);
    }
    try {
      return Json.MAPPER.readTree(out.toString());
    } catch (java.io.IOException unreadable) {
      throw new AssertionError("not JSON: " + out, unreadable);
    }
  }

  private static String json(PodFacts pod) {
    int units =
        pod.demands().containsKey(Pods.RESOURCE) ? pod.demands().get(Pods.RESOURCE).units() : 0;
    var json = Pods.json(pod.pod().name(), units, pod.priority());
    return pod.nominated() == null
        ? json
        : json.replace("\"phase\"", "\"nominatedNodeName\":\"" + pod.nominated() + "\",\"phase\"");
  }

  public Optional<String> bind(PodFacts pod, String node) {
    return binding.bind(pod.pod(), node);
  }

  /** Filters, binds, and lets the watch show the result. */
  public String place(PodFacts pod, String node) {
    create(pod);
    if (filter(pod, node).passed().isEmpty()) {
      return "refused";
    }
    var error = bind(pod, node);
    watch();
    return error.orElseGet(() -> card(pod));
  }

  public String card(PodFacts pod) {
    return api.pod(pod.uid()).decision().orElseThrow().cards().get("main");
  }

  /** The watch catches up with what is bound. */
  public void watch() {
    api.bound().forEach(picture::put);
  }
}
