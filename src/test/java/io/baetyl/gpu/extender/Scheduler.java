package io.baetyl.gpu.extender;

import com.fasterxml.jackson.databind.JsonNode;
import io.baetyl.gpu.api.v1alpha1.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Plays kube-scheduler, and the watch, before the extender's parts and a fake API server. */
final class Scheduler {
  final TestClock clock = new TestClock();
  final FakePodApi api = new FakePodApi(clock);
  final Picture picture = new Picture(clock);
  final WaitingPods waiting = new WaitingPods(clock);
  final Counters counters = new Counters();
  final BindingWrite bindings = new BindingWrite(picture, api, clock);
  final PodBinding binding = new PodBinding(picture, api, bindings, clock, counters);

  /** What filter answered. */
  record Filtered(List<String> passed, Map<String, String> failed, Map<String, String> lasting) {}

  Scheduler(Placement placement) {
    picture.putProfile(Nodes.profile(placement));
  }

  static Scheduler binpack() {
    return new Scheduler(Placement.BINPACK);
  }

  /** A pod that has just been made, and seen by the watch. */
  PodFacts create(PodFacts pod) {
    api.add(pod);
    picture.put(pod);
    return pod;
  }

  Filtered filter(PodFacts pod, String... nodes) {
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

  static JsonNode call(Verb verb, String body) {
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

  Optional<String> bind(PodFacts pod, String node) {
    return binding.bind(pod.pod(), node);
  }

  /** Filters, binds, and lets the watch show the result. */
  String place(PodFacts pod, String node) {
    create(pod);
    if (filter(pod, node).passed().isEmpty()) {
      return "refused";
    }
    var error = bind(pod, node);
    watch();
    return error.orElseGet(() -> card(pod));
  }

  String card(PodFacts pod) {
    return api.pod(pod.uid()).decision().orElseThrow().cards().get("main");
  }

  /** The watch catches up with what is bound. */
  void watch() {
    api.bound().forEach(picture::put);
  }
}
