package io.baetyl.gpu.cluster.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.cluster.oracle.Observation.Booked;
import io.baetyl.gpu.cluster.oracle.Observation.Card;
import io.baetyl.gpu.cluster.oracle.Observation.ContainerKey;
import io.baetyl.gpu.cluster.oracle.Observation.Row;
import io.baetyl.gpu.cluster.oracle.Observation.Running;
import io.baetyl.gpu.cluster.oracle.Observation.StatusClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Worlds that must not be, each of which the oracle has to see, beside those that may. */
class JudgeTest {
  private static final Map<String, Card> CARDS =
      Map.of("GPU-1", new Card(16, 4096), "GPU-2", new Card(16, 4096));

  private final Judge judge = new Judge("edge");
  private Instant now = Instant.EPOCH;

  @Test
  void aPeacefulLifeIsNotComplainedOf() {
    assertThat(look(List.of(), List.of(), claim())).isEmpty();
    assertThat(look(List.of(booked("a", "GPU-1", 0, 8)), List.of(), claim())).isEmpty();
    assertThat(
            look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running("a", "GPU-1", 8)), claim()))
        .isEmpty();
    now = now.plus(Judge.STATUS_GRACE);
    var told = claim(row("a", "GPU-1", 8, "Running"));
    assertThat(look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running("a", "GPU-1", 8)), told))
        .isEmpty();
    assertThat(look(List.of(), List.of(), claim())).isEmpty();
    assertThat(look(List.of(booked("b", "GPU-1", 0, 8)), List.of(running("b", "GPU-1", 8)), told))
        .isEmpty();
  }

  @Test
  void aUnitThatIsOutTwice() {
    assertThat(
            look(List.of(booked("a", "GPU-1", 0, 8), booked("b", "GPU-1", 7, 8)), List.of(), null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("unit GPU-1:7 is out twice")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("b/main is in the kubelet's books with GPU-1:7-14"));
  }

  @Test
  void unitsThatPassFromAnInitContainerToItsPod() {
    var init = new Booked(new ContainerKey("a", "init"), ids("GPU-1", 0, 8));

    assertThat(look(List.of(init, booked("a", "GPU-1", 0, 4)), List.of(), null)).isEmpty();
  }

  @Test
  void aUnitOfAPodThatStillRuns() {
    look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running("a", "GPU-1", 8)), null);
    assertThat(look(List.of(), List.of(running("a", "GPU-1", 8)), null)).isEmpty();

    assertThat(look(List.of(booked("b", "GPU-1", 3, 4)), List.of(running("a", "GPU-1", 8)), null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("given to b/main while a/main (ns/a), which had it")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-1")
                    .hasMessageContaining(
                        "a/main is no longer in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("b/main is in the kubelet's books with GPU-1:3-6"));
  }

  @Test
  void unitsOfTwoCards() {
    var both = new HashSet<>(ids("GPU-1", 0, 4));
    both.addAll(ids("GPU-2", 0, 4));

    assertThat(look(List.of(new Booked(new ContainerKey("a", "main"), both)), List.of(), null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("has units of 2 cards")
                    .hasMessageContaining("a/main is in the kubelet's books with")
                    .hasMessageContaining("GPU-2:0-3"));
  }

  @Test
  void anEnvironmentThatNamesAnotherCard() {
    assertThat(look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running("a", "GPU-2", 8)), null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("was told 2048 MiB of card GPU-2")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-2"));
  }

  @Test
  void aContainerThatIsShownAnotherCardThanItsOwn() {
    for (var visible : List.of("GPU-2", "GPU-1,GPU-2", "all", "")) {
      var other = new Judge("edge");
      var shown = new Running(new ContainerKey("a", "main"), "ns/a", "id", "GPU-1", visible, 2048);

      assertThat(
              other.judge(
                  new Observation(
                      "edge",
                      now,
                      List.of(booked("a", "GPU-1", 0, 8)),
                      List.of(shown),
                      Optional.empty())))
          .as("shown \"%s\"", visible)
          .hasValueSatisfying(
              violation ->
                  assertThat(violation)
                      .hasMessageContaining("is shown the cards \"" + visible + "\"")
                      .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                      .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-1"));
    }
  }

  @Test
  void aContainerThatHasItsCardByCdi() {
    var running =
        new Running(new ContainerKey("a", "main"), "ns/a", "a-id", "GPU-1", "void", 8 * 256);

    assertThat(look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running), null)).isEmpty();
  }

  @Test
  void anEnvironmentThatNamesAnotherAmount() {
    var books = List.of(booked("a", "GPU-1", 0, 8));
    var running = List.of(running("a", "GPU-1", 4));
    // The units may be others since the status was read.
    assertThat(look(books, running, null)).isEmpty();
    assertThat(look(books, running, null)).isEmpty();

    assertThat(look(books, running, claim()))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("was told 1024 MiB")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("a/main (ns/a) runs with 1024 MiB of GPU-1"));
  }

  @Test
  void unitsOfAnotherSizeOnceNobodyHoldsAny() {
    look(List.of(booked("a", "GPU-1", 0, 8)), List.of(running("a", "GPU-1", 8)), claim());
    look(List.of(), List.of(), claim());
    var books = List.of(booked("b", "GPU-1", 0, 4));
    var running = List.of(running("b", "GPU-1", 8));

    assertThat(look(books, running, null)).isEmpty();
    assertThat(look(books, running, inHalves())).isEmpty();
    assertThat(look(books, running, null)).isEmpty();
  }

  @Test
  void unitsOfAnotherSizeWhileSomebodyHoldsSome() {
    var books = List.of(booked("a", "GPU-1", 0, 8));
    var running = List.of(running("a", "GPU-1", 8));
    look(books, running, claim());

    look(books, running, inHalves());

    assertThat(look(books, running, inHalves()))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("was told 2048 MiB of card GPU-1, and has the units")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-1"));
  }

  private static StatusClaim inHalves() {
    return new StatusClaim(Map.of("GPU-1", new Card(8, 4096)), List.of(), 80, true, 512);
  }

  @Test
  void aContainerThatTheKubeletNeverGaveUnits() {
    look(List.of(), List.of(), null);
    // It may have come after the books were read.
    assertThat(look(List.of(), List.of(running("a", "GPU-1", 8)), null)).isEmpty();
    assertThat(look(List.of(), List.of(running("a", "GPU-1", 8)), null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("has never given it any units")
                    .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-1"));
  }

  @Test
  void aCardOverItsMemory() {
    look(List.of(), List.of(), claim());
    assertThat(
            look(
                List.of(booked("a", "GPU-1", 0, 10), booked("b", "GPU-1", 10, 7)),
                List.of(running("a", "GPU-1", 10), running("b", "GPU-1", 7)),
                null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("has 4096 MiB, and what runs on it was told 4352")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-9")
                    .hasMessageContaining("a/main (ns/a) runs with 2560 MiB of GPU-1")
                    .hasMessageContaining("b/main (ns/b) runs with 1792 MiB of GPU-1"));
  }

  @Test
  void aNeighbourOnACardThatIsHadAlone() {
    look(List.of(), List.of(), claim());
    assertThat(
            look(
                List.of(booked("a", "GPU-1", 0, 13), booked("b", "GPU-1", 13, 2)),
                List.of(running("a", "GPU-1", 13), running("b", "GPU-1", 2)),
                null))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("alone from 13 units on")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-12")
                    .hasMessageContaining("a/main (ns/a) runs with 3328 MiB of GPU-1")
                    .hasMessageContaining("b/main (ns/b) runs with 512 MiB of GPU-1"));
  }

  @Test
  void aCardWithoutUnitsWhileItHasNoProfile() {
    var without =
        new StatusClaim(
            Map.of("GPU-1", new Card(0, 4096)),
            List.of(row("a", "GPU-1", 8, "Running")),
            80,
            true,
            256);

    assertThat(
            look(
                List.of(booked("a", "GPU-1", 0, 8), booked("b", "GPU-1", 8, 2)),
                List.of(running("a", "GPU-1", 8), running("b", "GPU-1", 2)),
                without))
        .isEmpty();
  }

  @Test
  void aStatusThatHasMoreUnitsThanTheCard() {
    assertThat(
            look(
                List.of(),
                List.of(),
                claim(row("a", "GPU-1", 10, "Assumed"), row("b", "GPU-1", 7, "Assumed"))))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("has 17 units of card GPU-1, which has 16")
                    .hasMessageContaining("the status says: ns/a/main 10 of GPU-1 Assumed"));
  }

  @Test
  void aStatusThatDoesNotTellOfAContainerForLong() {
    var books = List.of(booked("a", "GPU-1", 0, 8));
    var running = List.of(running("a", "GPU-1", 8));
    assertThat(lookForLong(books, running, claim(row("a", "GPU-2", 8, "Running"))))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining("the status does not tell of a/main (ns/a)")
                    .hasMessageContaining("a/main is in the kubelet's books with GPU-1:0-7")
                    .hasMessageContaining("a/main (ns/a) runs with 2048 MiB of GPU-1")
                    .hasMessageContaining("the status says: ns/a/main 8 of GPU-2 Running"));
  }

  @Test
  void aStatusThatKeepsWhatNothingHolds() {
    assertThat(lookForLong(List.of(), List.of(), claim(row("a", "GPU-1", 8, "Terminating"))))
        .hasValueSatisfying(
            violation ->
                assertThat(violation)
                    .hasMessageContaining(
                        "8 units of GPU-1 Terminating for ns/a/main, which nothing")
                    .hasMessageContaining("the status says: ns/a/main 8 of GPU-1 Terminating"));
  }

  @Test
  void aStatusThatNobodyCouldWrite() {
    var stale = claim(row("a", "GPU-1", 8, "Running"));
    look(List.of(), List.of(), stale);
    now = now.plus(Judge.STATUS_GRACE).plusSeconds(60);

    assertThat(look(List.of(), List.of(), stale)).isEmpty();
  }

  @Test
  void aStatusThatNobodyCanWriteYetAfterAnOutage() {
    var stale = claim(row("a", "GPU-1", 8, "Running"));
    look(List.of(), List.of(), stale);
    now = now.plusSeconds(20);
    look(List.of(), List.of(), stale);

    now = now.plusSeconds(2);
    for (int second = 0; second < 40; second++) {
      look(List.of(), List.of(), stale);
    }
    assertThat(lookForLong(List.of(), List.of(), stale)).isPresent();
  }

  @Test
  void aRunningInitContainerIsToldByTheContainersToCome() {
    var init =
        new Running(new ContainerKey("a", "init"), "ns/a", "a-init", "GPU-1", "GPU-1", 8 * 256);
    var books = List.of(new Booked(init.key(), ids("GPU-1", 0, 8)));

    assertThat(lookForLong(books, List.of(init), claim(row("a", "GPU-1", 8, "Assumed")))).isEmpty();
    assertThat(lookForLong(books, List.of(init), claim(row("a", "GPU-1", 4, "Assumed"))))
        .isPresent();
  }

  private Optional<Violation> lookForLong(
      List<Booked> books, List<Running> running, StatusClaim claim) {
    var steps = Judge.STATUS_GRACE.toSeconds() + 2;
    for (int second = 0; second < steps; second++) {
      var violation = look(books, running, claim);
      if (violation.isPresent()) {
        assertThat(second).isGreaterThan(Math.toIntExact(Judge.STATUS_GRACE.toSeconds()) - 1);
        return violation;
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> look(List<Booked> books, List<Running> running, StatusClaim claim) {
    now = now.plus(Duration.ofSeconds(1));
    return judge.judge(new Observation("edge", now, books, running, Optional.ofNullable(claim)));
  }

  private static Booked booked(String pod, String card, int from, int units) {
    return new Booked(new ContainerKey(pod, "main"), ids(card, from, units));
  }

  private static Set<String> ids(String card, int from, int units) {
    return IntStream.range(from, from + units)
        .mapToObj(number -> card + ":" + number)
        .collect(Collectors.toSet());
  }

  private static Running running(String pod, String card, int units) {
    return new Running(
        new ContainerKey(pod, "main"), "ns/" + pod, pod + "-id", card, card, units * 256);
  }

  private static StatusClaim claim(Row... rows) {
    return new StatusClaim(CARDS, List.of(rows), 80, true, 256);
  }

  private static Row row(String pod, String card, int units, String state) {
    return new Row("ns/" + pod, pod, "main", card, units, state);
  }
}
