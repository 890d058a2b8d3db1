package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ComponentsLoopTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Troubles REFUSED =
      new Troubles(Map.of(Names.METRICS, "daemonsets.apps is forbidden"), Map.of());

  /** What the rounds come to, one after the other; afterwards all is well. */
  private final ConcurrentLinkedQueue<Supplier<Troubles>> results = new ConcurrentLinkedQueue<>();

  /** Of each round, whether it was to look at everything. */
  private final List<Boolean> rounds = new CopyOnWriteArrayList<>();

  private final List<Troubles> told = new CopyOnWriteArrayList<>();
  private final AtomicReference<Runnable> change = new AtomicReference<>();
  private final ComponentsLoop loop = new ComponentsLoop(this::round, change::set);

  private ComponentsLoop.Result round(boolean whole) {
    rounds.add(whole);
    var result = results.poll();
    return new ComponentsLoop.Result(
        new TreeSet<>(List.of("baidu.com/vcuda-memory")),
        result == null ? Troubles.NONE : result.get());
  }

  @SafeVarargs
  private void start(Supplier<Troubles>... comesTo) {
    results.addAll(List.of(comesTo));
    loop.onTroubles(() -> told.add(loop.troubles()));
    loop.start();
  }

  private void awaitRounds(int number) {
    await().atMost(SOON).untilAsserted(() -> assertThat(rounds).hasSize(number));
  }

  private static Troubles away() {
    throw new KubernetesClientException("the API server is away");
  }

  private static Troubles fault() {
    throw new IllegalStateException("a fault of ours");
  }

  @AfterEach
  void stop() {
    loop.stop();
  }

  @Test
  void theResourcesOfTheLastRoundAreKnown() {
    assertThat(loop.resources()).isEmpty();

    start();

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(loop.resources()).containsExactly("baidu.com/vcuda-memory"));
  }

  @Test
  void aChangeIsFollowedByARound() {
    start();
    awaitRounds(1);

    change.get().run();

    awaitRounds(2);
  }

  @Test
  void whatWasRefusedIsToldAndTriedAgainAsAWhole() {
    start(() -> REFUSED);

    await().atMost(SOON).untilAsserted(() -> assertThat(told).hasSize(2));
    assertThat(told).containsExactly(REFUSED, Troubles.NONE);
    assertThat(rounds).containsExactly(false, true);
  }

  @Test
  void theSameTroubleIsToldOnce() {
    start(() -> REFUSED, () -> REFUSED);

    awaitRounds(3);
    await().atMost(SOON).untilAsserted(() -> assertThat(loop.troubles().isEmpty()).isTrue());
    assertThat(told).containsExactly(REFUSED, Troubles.NONE);
  }

  @Test
  void anApiServerThatIsAwayIsTriedAgainAndWhatWasToldStaysSo() {
    var atTheThird = new AtomicReference<Troubles>();
    start(
        () -> REFUSED,
        ComponentsLoopTest::away,
        () -> {
          atTheThird.set(loop.troubles());
          return Troubles.NONE;
        });

    awaitRounds(3);
    assertThat(atTheThird).hasValue(REFUSED);
  }

  @Test
  void aFaultOfOursDoesNotEndIt() {
    start(ComponentsLoopTest::fault);

    awaitRounds(2);
    assertThat(rounds).containsExactly(false, true);
  }

  @Test
  void stopEndsARoundThatIsUnderWay() {
    var begun = new CountDownLatch(1);
    var interrupted = new AtomicBoolean();
    start(
        () -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException stopped) {
            interrupted.set(true);
            Thread.currentThread().interrupt();
          }
          return Troubles.NONE;
        });
    await().atMost(SOON).until(() -> begun.getCount() == 0);

    loop.stop();

    await().atMost(SOON).untilTrue(interrupted);
    assertThat(rounds).hasSize(1);
  }
}
