package io.baetyl.gpu.metrics.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ContainerMemoriesTest {
  private static final long UNIT = 256L << 20;
  private static final Map<Integer, String> PODS = Map.of(10, "uid-1", 11, "uid-1", 20, "uid-2");

  private static Allocation holds(
      String pod, String container, String uid, String card, int units) {
    return new Allocation(
        "shop", pod, container, uid, card, units, AllocationState.RUNNING, "2026-11-30T07:00:00Z");
  }

  private static List<ContainerMemory> of(
      Map<String, List<ProcessUse>> processes, Allocation... allocations) {
    return ContainerMemories.of(
        List.of(allocations),
        OptionalLong.of(UNIT),
        processes,
        pid -> Optional.ofNullable(PODS.get(pid)));
  }

  private static ContainerMemory memory(String pod, String container, long units, long usedBytes) {
    return new ContainerMemory(
        "shop",
        pod,
        container,
        "card",
        OptionalLong.of(units * UNIT),
        usedBytes < 0 ? OptionalLong.empty() : OptionalLong.of(usedBytes));
  }

  @Test
  void aContainerUsesWhatItsProcessesHold() {
    var processes =
        Map.of(
            "card", List.of(new ProcessUse(10, 100), new ProcessUse(11, 50), new ProcessUse(20, 7)),
            "other", List.of(new ProcessUse(20, 1000)));

    assertThat(
            of(
                processes,
                holds("a", "main", "uid-1", "card", 4),
                holds("b", "main", "uid-2", "card", 8)))
        .containsExactly(memory("a", "main", 4, 150), memory("b", "main", 8, 7));
  }

  @Test
  void theProcessesOfAStaticPodAreThoseOfItsUidOnTheNode() {
    var mirrored =
        new Allocation(
            "shop",
            "a",
            "main",
            "mirror",
            "uid-1",
            "card",
            null,
            4,
            AllocationState.RUNNING,
            DecidedBy.DEVICE_PLUGIN,
            "now");

    assertThat(of(Map.of("card", List.of(new ProcessUse(10, 100))), mirrored))
        .containsExactly(memory("a", "main", 4, 100));
  }

  @Test
  void withoutProcessesTheUseIsUnknownAndNotTheCards() {
    assertThat(of(Map.of("card", List.of()), holds("a", "main", "uid-1", "card", 4)))
        .containsExactly(memory("a", "main", 4, -1));
  }

  @Test
  void aProcessOfNoPodIsNobodys() {
    assertThat(
            of(
                Map.of("card", List.of(new ProcessUse(99, 100))),
                holds("a", "main", "uid-1", "card", 4)))
        .containsExactly(memory("a", "main", 4, -1));
  }

  @Test
  void twoContainersOfAPodOnOneCardCannotBeToldApart() {
    assertThat(
            of(
                Map.of("card", List.of(new ProcessUse(10, 100))),
                holds("a", "one", "uid-1", "card", 4),
                holds("a", "two", "uid-1", "card", 2)))
        .containsExactly(memory("a", "one", 4, -1), memory("a", "two", 2, -1));
  }

  @Test
  void aPodThatGoesAndItsSuccessorOfThatNameAreOneSeries() {
    assertThat(
            of(
                Map.of("card", List.of(new ProcessUse(10, 100))),
                holds("a", "main", "uid-1", "card", 4),
                holds("a", "main", "uid-2", "card", 4)))
        .containsExactly(memory("a", "main", 8, 100));
  }

  /** Its units are of another size. */
  @Test
  void whatIsHeldSinceBeforeAChangeHasNoRequestInBytes() {
    var earlier = holds("a", "main", "uid-1", "card", 4).heldBy("example.com/memory");

    assertThat(of(Map.of(), earlier))
        .singleElement()
        .satisfies(memory -> assertThat(memory.requestedBytes()).isEmpty());
  }
}
