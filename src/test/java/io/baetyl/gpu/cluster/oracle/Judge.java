package io.baetyl.gpu.cluster.oracle;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toSet;

import io.baetyl.gpu.cluster.oracle.Observation.Booked;
import io.baetyl.gpu.cluster.oracle.Observation.ContainerKey;
import io.baetyl.gpu.cluster.oracle.Observation.Row;
import io.baetyl.gpu.cluster.oracle.Observation.Running;
import io.baetyl.gpu.cluster.oracle.Observation.StatusClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Judges what is seen of one node, look by look. It does no I/O, so that it can be shown bad
 * worlds.
 *
 * <p>What must hold at every moment: a unit is out once; nobody is given a unit whose last holder
 * still runs; the units of a container are on one card, the one in its environment and the only one
 * that it is shown, and as many as its environment says; no card is over its memory; nobody runs
 * beside a pod that has a card alone. What must hold but for a while: the status tells what runs,
 * and nothing else.
 */
final class Judge {
  /**
   * How long the status may be wrong: 15 s, and as long as an agent that was killed may need to
   * come back on a busy machine.
   */
  static final Duration STATUS_GRACE = Duration.ofSeconds(45);

  /** Without a status for so long, the time in which nobody could write one does not count. */
  private static final Duration STATUS_GAP = Duration.ofSeconds(5);

  /**
   * An API server that stops takes its address away from the pods, and the agents reach it again
   * only when kube-proxy has heard that it is back. That tries after twice as long each time, up to
   * 30 s, and up to as much again at random (client-go's reflector).
   */
  private static final Duration LONGEST_REACH = Duration.ofSeconds(60);

  private final String node;
  private final History history = new History();

  /** What NVIDIA's runtime shows no card for: CDI brings it. */
  private static final String LEFT_TO_CDI = "void";

  /** The last units of each container that ever had any. */
  private final Map<ContainerKey, Set<String>> given = new HashMap<>();

  /** Who was the last to be given a unit. */
  private final Map<String, ContainerKey> holder = new HashMap<>();

  /** Of a unit, by the last claim that tells; it is read less often than the rest. */
  private int unitMiB = 256;

  /** The containers that have been told another amount than by the units of the last claim. */
  private final Set<String> doubtful = new HashSet<>();

  private List<Booked> books = List.of();
  private Map<String, Running> running = Map.of();
  private Set<String> runningAtFirst;
  private Optional<StatusClaim> claim = Optional.empty();
  private final Map<String, Instant> wrongSince = new HashMap<>();
  private Instant statusAt = Instant.MIN;
  private Instant reachedAgain = Instant.MIN;

  Judge(String node) {
    this.node = node;
  }

  /** The first thing that is wrong, or empty. */
  Optional<Violation> judge(Observation now) {
    var before = running;
    remember(now);
    return Stream.<Optional<Violation>>of(
            outTwice(now), givenTooEarly(now), units(now), environments(now, before), sums(now))
        .flatMap(Optional::stream)
        .findFirst()
        .or(() -> status(now));
  }

  private void remember(Observation now) {
    if (!now.books().equals(books)) {
      var before = Set.copyOf(books);
      var after = Set.copyOf(now.books());
      books.stream()
          .filter(booked -> !after.contains(booked))
          .forEach(booked -> note(now, booked, "is no longer in the kubelet's books with"));
      now.books().stream()
          .filter(booked -> !before.contains(booked))
          .forEach(booked -> note(now, booked, "is in the kubelet's books with"));
      books = now.books();
    }
    var after = new HashMap<String, Running>();
    now.running().forEach(container -> after.put(container.containerId(), container));
    running.values().stream()
        .filter(container -> !after.containsKey(container.containerId()))
        .forEach(container -> note(now, container, "runs no longer"));
    after.values().stream()
        .filter(container -> !running.containsKey(container.containerId()))
        .forEach(container -> note(now, container, "runs"));
    running = after;
    if (runningAtFirst == null) {
      runningAtFirst = after.keySet();
    }
    if (now.status().isPresent()) {
      if (!rows(now.status()).equals(rows(claim))) {
        noteRows(now);
      }
      claim = now.status();
      unitMiB = claim.get().unitMiB() == 0 ? unitMiB : claim.get().unitMiB();
    }
  }

  private static List<Row> rows(Optional<StatusClaim> claim) {
    return claim.map(StatusClaim::rows).orElse(List.of());
  }

  private void note(Observation now, Booked booked, String what) {
    var subjects = new HashSet<>(booked.ids());
    subjects.add(booked.key().podUid());
    booked.ids().forEach(id -> subjects.add(card(id)));
    history.add(
        now.at(), subjects, "%s %s %s".formatted(booked.key(), what, History.brief(booked.ids())));
  }

  private void note(Observation now, Running container, String what) {
    history.add(
        now.at(),
        Set.of(container.key().podUid(), container.card()),
        "%s (%s) %s with %d MiB of %s"
            .formatted(
                container.key(), container.pod(), what, container.memoryMiB(), container.card()));
  }

  private void noteRows(Observation now) {
    var rows = rows(now.status());
    var subjects = new HashSet<String>();
    Stream.concat(rows.stream(), rows(claim).stream())
        .forEach(row -> subjects.addAll(Set.of(row.card(), row.uid())));
    history.add(
        now.at(),
        subjects,
        "the status says: "
            + rows.stream()
                .map(
                    row ->
                        "%s/%s %d of %s %s"
                            .formatted(
                                row.pod(), row.container(), row.units(), row.card(), row.state()))
                .collect(joining("; ")));
  }

  private Optional<Violation> outTwice(Observation now) {
    var holders = new HashMap<String, ContainerKey>();
    for (var booked : now.books()) {
      for (var id : booked.ids()) {
        var other = holders.put(id, booked.key());
        // Within a pod the kubelet passes the units of an init container on.
        if (other != null && !other.podUid().equals(booked.key().podUid())) {
          return violation(
              "unit %s is out twice: %s and %s have it".formatted(id, other, booked.key()),
              Set.of(id, other.podUid(), booked.key().podUid()));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> givenTooEarly(Observation now) {
    for (var booked : now.books()) {
      for (var id : booked.ids()) {
        var last = holder.put(id, booked.key());
        if (last == null || last.podUid().equals(booked.key().podUid())) {
          continue;
        }
        var living =
            now.running().stream().filter(container -> container.key().equals(last)).findFirst();
        if (living.isPresent()) {
          return violation(
              "unit %s was given to %s while %s (%s), which had it, still runs"
                  .formatted(id, booked.key(), last, living.get().pod()),
              Set.of(id, last.podUid(), booked.key().podUid()));
        }
      }
      given.put(booked.key(), booked.ids());
    }
    return Optional.empty();
  }

  private Optional<Violation> units(Observation now) {
    for (var booked : now.books()) {
      var cards = booked.ids().stream().map(Judge::card).collect(toSet());
      if (cards.size() > 1) {
        return violation(
            "%s has units of %d cards: %s"
                .formatted(booked.key(), cards.size(), History.brief(booked.ids())),
            Set.of(booked.key().podUid()));
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> environments(Observation now, Map<String, Running> before) {
    for (var container : now.running()) {
      var ids = given.get(container.key());
      var subjects = Set.of(container.key().podUid(), container.card());
      if (ids == null) {
        // The books were read before the container was seen, so one look may be too early for it.
        if (before.containsKey(container.containerId())
            && !runningAtFirst.contains(container.containerId())) {
          return violation(
              "%s (%s) has a card, and the kubelet has never given it any units"
                  .formatted(container.key(), container.pod()),
              subjects);
        }
      } else if (!ids.stream().map(Judge::card).collect(toSet()).equals(Set.of(container.card()))
          || toldOtherwise(container, ids, now)) {
        return violation(
            "%s (%s) was told %d MiB of card %s, and has the units %s"
                .formatted(
                    container.key(),
                    container.pod(),
                    container.memoryMiB(),
                    container.card(),
                    History.brief(ids)),
            subjects);
      } else if (!Set.of(container.card(), LEFT_TO_CDI).contains(container.visible())) {
        return violation(
            "%s (%s) is shown the cards \"%s\", and has the units %s"
                .formatted(
                    container.key(), container.pod(), container.visible(), History.brief(ids)),
            subjects);
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a container has been told another amount than by its units. Units keep their size while
   * somebody holds some, so a claim that was read while it ran tells that size.
   */
  private boolean toldOtherwise(Running container, Set<String> ids, Observation now) {
    if (ids.size() * unitMiB == container.memoryMiB()) {
      doubtful.remove(container.containerId());
      return false;
    }
    return !doubtful.add(container.containerId()) && now.status().isPresent();
  }

  private Optional<Violation> sums(Observation now) {
    if (claim.isEmpty()) {
      return Optional.empty();
    }
    for (var card : claim.get().cards().entrySet()) {
      Map<String, Integer> memoryOfPods =
          now.running().stream()
              .filter(container -> container.card().equals(card.getKey()))
              .collect(
                  groupingBy(
                      container -> container.key().podUid(), summingInt(Running::memoryMiB)));
      int sum = total(memoryOfPods.values());
      var subjects = new HashSet<>(memoryOfPods.keySet());
      subjects.add(card.getKey());
      if (sum > card.getValue().memoryMiB()) {
        return violation(
            "card %s has %d MiB, and what runs on it was told %d MiB in all"
                .formatted(card.getKey(), card.getValue().memoryMiB(), sum),
            subjects);
      }
      int most = memoryOfPods.values().stream().mapToInt(Integer::intValue).max().orElse(0);
      int aloneFrom =
          Math.ceilDiv(card.getValue().units() * claim.get().exclusiveFromPercent(), 100);
      // Without a profile a card has no units for a while.
      boolean shared = card.getValue().units() > 0;
      if (shared && memoryOfPods.size() > 1 && most >= aloneFrom * unitMiB) {
        return violation(
            "card %s is to be had alone from %d units on, a pod has %d, and others run beside it"
                .formatted(card.getKey(), aloneFrom, most / unitMiB),
            subjects);
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> status(Observation now) {
    if (now.status().isEmpty()) {
      return Optional.empty();
    }
    if (statusAt.isBefore(now.at().minus(STATUS_GAP))) {
      wrongSince.clear();
      reachedAgain = reachedAgain(statusAt, now.at());
    }
    statusAt = now.at();
    var claimed = now.status().get();
    Map<String, Integer> unitsOfCards =
        claimed.rows().stream().collect(groupingBy(Row::card, summingInt(Row::units)));
    for (var card : unitsOfCards.entrySet()) {
      var known = claimed.cards().get(card.getKey());
      if (known != null && known.units() > 0 && card.getValue() > known.units()) {
        return violation(
            "the status has %d units of card %s, which has %d"
                .formatted(card.getValue(), card.getKey(), known.units()),
            Set.of(card.getKey()));
      }
    }
    return lastingContradiction(now, claimed);
  }

  private static Instant reachedAgain(Instant lost, Instant found) {
    if (lost.equals(Instant.MIN)) {
      return found;
    }
    var twice = Duration.between(lost, found).multipliedBy(2);
    return found.plus(twice.compareTo(LONGEST_REACH) < 0 ? twice : LONGEST_REACH);
  }

  private Optional<Violation> lastingContradiction(Observation now, StatusClaim claimed) {
    var contradictions = new HashMap<String, Set<String>>();
    if (claimed.serving()) {
      now.running().stream()
          .filter(container -> !told(container, claimed.rows(), now.running()))
          .forEach(
              container ->
                  contradictions.put(
                      "the status does not tell of %s (%s) with %d MiB of %s"
                          .formatted(
                              container.key(),
                              container.pod(),
                              container.memoryMiB(),
                              container.card()),
                      Set.of(container.key().podUid(), container.card())));
      var held = new HashSet<String>();
      now.books().forEach(booked -> held.add(booked.key().podUid()));
      now.running().forEach(container -> held.add(container.pod()));
      claimed.rows().stream()
          .filter(row -> !row.state().equals("Assumed"))
          // A static pod has another UID at the kubelet; it is told by its name while it runs.
          .filter(row -> !held.contains(row.uid()) && !held.contains(row.pod()))
          .forEach(
              row ->
                  contradictions.put(
                      "the status has %d units of %s %s for %s/%s, which nothing holds"
                          .formatted(
                              row.units(), row.card(), row.state(), row.pod(), row.container()),
                      Set.of(row.uid(), row.card())));
    }
    wrongSince.keySet().retainAll(contradictions.keySet());
    for (var contradiction : contradictions.entrySet()) {
      var since = wrongSince.computeIfAbsent(contradiction.getKey(), what -> since(now));
      if (Duration.between(since, now.at()).compareTo(STATUS_GRACE) > 0) {
        return violation(
            "for %s %s".formatted(STATUS_GRACE, contradiction.getKey()), contradiction.getValue());
      }
    }
    return Optional.empty();
  }

  private Instant since(Observation now) {
    return now.at().isBefore(reachedAgain) ? reachedAgain : now.at();
  }

  /**
   * Whether the status tells of a container: by a row of its own, or, for an init container, by
   * rows of the containers to come, which take its units over.
   */
  private boolean told(Running container, List<Row> rows, List<Running> running) {
    var ofPod =
        rows.stream()
            .filter(row -> row.pod().equals(container.pod()))
            .filter(row -> row.card().equals(container.card()))
            .toList();
    boolean byItself =
        ofPod.stream()
            .anyMatch(
                row ->
                    row.container().equals(container.key().container())
                        && row.units() * unitMiB == container.memoryMiB());
    var names =
        running.stream()
            .filter(other -> other.pod().equals(container.pod()))
            .map(other -> other.key().container())
            .collect(toSet());
    boolean othersToCome = ofPod.stream().anyMatch(row -> !names.contains(row.container()));
    return byItself
        || (othersToCome
            && total(ofPod.stream().map(Row::units).toList()) * unitMiB >= container.memoryMiB());
  }

  private Optional<Violation> violation(String what, Collection<String> subjects) {
    return Optional.of(new Violation(node, what, history.of(subjects)));
  }

  private static int total(Collection<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sum();
  }

  private static String card(String id) {
    int colon = Objects.requireNonNull(id).lastIndexOf(':');
    return colon < 0 ? id : id.substring(0, colon);
  }
}
