package io.baetyl.gpu.deviceplugin.wholedevices;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class WholeDeviceAllocatorTest {
  private static final String C = "GPU-c";
  private static final Set<String> ALL = Set.of(A, B, C);

  private final Ledger ledger = new Ledger();
  private final Set<String> alive = ConcurrentHashMap.newKeySet();
  private final List<NodePod> pods = new ArrayList<>();
  private final List<ListedContainer> listed = new ArrayList<>();
  private List<Device> devices = List.of(card(A, 29), card(B, 29), card(C, 29));

  private final WholeDeviceAllocator allocator =
      new WholeDeviceAllocator(
          new AllocationStrategy.Dependencies(
              ledger,
              new NodePods() {
                @Override
                public Collection<NodePod> all() {
                  return pods;
                }

                @Override
                public Optional<NodePod> read(String namespace, String name) {
                  return Optional.empty();
                }
              },
              () -> listed,
              alive::contains,
              () -> true,
              List::of),
          () -> Optional.of(new WholeDevices("nvidia.com/gpu", devices)),
          () -> 0);

  private void admit(NodePod pod) {
    pods.add(pod);
    pod.requests()
        .forEach(
            request ->
                listed.add(
                    new ListedContainer(pod.namespace(), pod.name(), request.name(), Set.of())));
  }

  @Test
  void aContainerGetsAsManyDevicesAsItAsksFor() throws Exception {
    admit(pod("p", app("main", 2)));

    var ids = allocator.prefer(ALL, Set.of(), 2);
    var grant = allocator.allocate(ids);

    assertThat(ids).containsExactlyInAnyOrder(A, B);
    assertThat(grant.devices()).extracting(Device::id).containsExactlyInAnyOrder(A, B);
    assertThat(ledger.holderOf(A)).contains("uid-p");
  }

  /** The kubelet forgets the devices of a pod that was deleted by force, and offers them again. */
  @Test
  void whatAnotherPodHoldsIsGivenToNobody() throws Exception {
    ledger.take(new Admission(pod("old", app("main", 1)), "main"), Set.of(A));
    admit(pod("p", app("main", 1)));

    assertThat(allocator.prefer(ALL, Set.of(), 1)).containsExactly(B);
    assertThatThrownBy(() -> allocator.allocate(Set.of(A, B)))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining("another pod still holds");
  }

  @Test
  void twoContainersAreNotOfferedTheSameDevice() throws Exception {
    admit(pod("p", app("one", 1), app("two", 1)));

    var first = allocator.prefer(ALL, Set.of(), 1);
    allocator.allocate(first);
    listed.clear();
    listed.add(new ListedContainer("apps", "p", "one", first));
    listed.add(new ListedContainer("apps", "p", "two", Set.of()));

    assertThat(allocator.prefer(ALL, Set.of(), 1)).isNotEqualTo(first);
  }

  @Test
  void anUnhealthyDeviceIsPassedOver() throws Exception {
    devices = List.of(card(A, 29, Health.UNHEALTHY), card(B, 29));
    admit(pod("p", app("main", 1)));

    assertThat(allocator.prefer(Set.of(A, B), Set.of(), 1)).containsExactly(B);
    assertThatThrownBy(() -> allocator.allocate(Set.of(A)))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessage("Device GPU-a is unhealthy: XID 79");
  }

  @Test
  void whereThereAreTooFewItSaysHowMany() {
    devices = List.of(card(A, 29, Health.UNHEALTHY), card(B, 29));
    admit(pod("p", app("main", 2)));

    assertThatThrownBy(() -> allocator.prefer(Set.of(A, B), Set.of(), 2))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining("container \"main\" of pod apps/p asks for 2 of nvidia.com/gpu")
        .hasMessageContaining("only 1 are free");
  }

  @Test
  void theDevicesOfAnInitContainerAreGoneOnWith() throws Exception {
    admit(pod("p", app("main", 2)));

    assertThat(allocator.prefer(ALL, Set.of(C), 2)).hasSize(2).contains(C);
  }

  @Test
  void aDeviceThatIsNotHereIsRefused() {
    admit(pod("p", app("main", 1)));

    assertThatThrownBy(() -> allocator.allocate(Set.of("GPU-x")))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessage("This node has no device GPU-x (any more)");
  }

  @Test
  void moreThanAContainerAsksForIsRefused() throws Exception {
    var pod = pod("p", app("main", 1), app("other", 2));
    admit(pod);
    ledger.take(new Admission(pod, "main"), Set.of(A, B));

    assertThatThrownBy(() -> allocator.allocate(Set.of(A, B)))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining("asks for 1 units, and the kubelet wants 2 for it");
  }

  /** As the next Job is sent when the one before is over by its object. */
  @Test
  void aPodThatIsOverIsWaitedForUntilItsLastProcessIsGone() throws Exception {
    devices = List.of(card(A, 29));
    var old = pod("old", app("main", 1));
    ledger.take(new Admission(old, "main"), Set.of(A));
    pods.add(with(old, NodePod.Life.ENDED));
    alive.add("uid-old");
    admit(pod("p", app("main", 1)));

    var waiting = CompletableFuture.supplyAsync(this::preferOne);
    assertThat(waiting).isNotDone();
    alive.clear();

    assertThat(waiting).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Set.of(A));
  }

  private Set<String> preferOne() {
    try {
      return allocator.prefer(Set.of(A), Set.of(), 1);
    } catch (AllocationRefusedException refused) {
      throw new CompletionException(refused);
    }
  }
}
