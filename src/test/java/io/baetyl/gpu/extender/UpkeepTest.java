package io.baetyl.gpu.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.extender.apiserver.FakePodApi.Fault;
import io.baetyl.gpu.extender.binding.BindingWrite;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.serving.Certificates;
import io.baetyl.gpu.extender.serving.TlsFiles;
import io.baetyl.gpu.extender.waking.Waker;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpkeepTest {
  @TempDir Path folder;

  private final Scheduler scheduler = new Scheduler();
  private final Waker waker =
      new Waker(
          scheduler.picture, scheduler.waiting, scheduler.api, scheduler.clock, scheduler.counters);
  private Upkeep upkeep;

  @BeforeEach
  void start() throws Exception {
    var authority = new Certificates();
    authority.writeServer(folder, authority.issue("extender"));
    upkeep =
        new Upkeep(
            scheduler.picture,
            scheduler.waiting,
            waker,
            scheduler.bindings,
            new TlsFiles(folder),
            scheduler.clock);
    scheduler.picture.put(Nodes.sharing("n", 16));
  }

  @AfterEach
  void stop() {
    waker.close();
  }

  @Test
  void podsThatWaitedBeforeThisProcessBeganAreRecalledOnceThePictureIsComplete() {
    scheduler.create(Pods.read(refused("a")));
    upkeep.run(() -> Optional.of("the pods are still being loaded"));
    assertThat(scheduler.waiting.isEmpty()).isTrue();
    ready();
    await().untilAsserted(() -> assertThat(scheduler.api.woken()).hasSize(1));
  }

  @Test
  void nothingThatIsThrownEndsIt() {
    upkeep.run(
        () -> {
          throw new StackOverflowError("from deep within");
        });
    scheduler.place(Pods.waiting("a", 10), "n");
    scheduler.picture.remove("uid-a");
    scheduler.clock.pass(Node.UNLISTED_PODS_LINGER);
    ready();
    assertThat(scheduler.picture.node("n").view().cards().largestFree()).isEqualTo(16);
  }

  @Test
  void whatHasBecomeOfAWriteIsLookedUpBesideItAndNotAllTheTime() {
    var pod = scheduler.create(Pods.waiting("a", 10));
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    scheduler.bind(pod, "n");
    int before = scheduler.api.looks();
    var gate = new CountDownLatch(1);
    scheduler.api.gateLooks(gate);
    scheduler.clock.pass(BindingWrite.WATCH_IS_LATE);
    ready();
    await().until(() -> scheduler.api.looks() == before + 1);
    for (int half = 0; half < 9; half++) {
      scheduler.clock.pass(Upkeep.PERIOD);
      ready();
    }
    gate.countDown();
    await().until(() -> !scheduler.picture.reservation(pod.uid()).writing().isLocked());
    assertThat(scheduler.api.looks()).isEqualTo(before + 1);
    scheduler.clock.pass(Upkeep.PERIOD);
    ready();
    await().until(() -> scheduler.api.looks() == before + 2);
  }

  private void ready() {
    upkeep.run(Optional::empty);
  }

  private static String refused(String name) {
    return Pods.json(name, 8, 0)
        .replace(
            "\"phase\"",
            "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"}],\"phase\"");
  }
}
