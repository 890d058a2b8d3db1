package io.baetyl.gpu.deviceplugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.NodeReport.Content;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.deviceplugin.sharing.SharedCards;
import io.baetyl.gpu.model.ShareRules;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StatusAccountTest {
  private static final Inventory STOCK =
      new SharedCards(ShareRules.of(GpuShareProfileSpec.EMPTY), List.of());
  private static final List<Allocation> ONE = List.of(row("one"));
  private static final List<Allocation> OTHER = List.of(row("other"));

  private final List<Content> writes = new ArrayList<>();
  private Content stored = new Content(Optional.empty(), List.of());
  private Optional<Content> watched = Optional.of(new Content(Optional.empty(), List.of()));
  private boolean listening = true;
  private Optional<String> obstacle = Optional.empty();
  private Instant now = Instant.parse("2026-11-30T07:00:00Z");

  private final NodeReport report =
      new NodeReport() {
        @Override
        public Optional<Content> current() {
          return watched;
        }

        @Override
        public void write(Content content) {
          writes.add(content);
          stored = content;
        }

        @Override
        public boolean replace(Content expected, Content content) {
          boolean unchanged = stored.equals(expected);
          if (unchanged) {
            write(content);
          }
          return unchanged;
        }
      };

  private final KubeletSide kubelet =
      new KubeletSide() {
        @Override
        public void offer(List<Unit> units) {}

        @Override
        public void save() {}

        @Override
        public void settled() {}

        @Override
        public boolean listening() {
          return listening;
        }

        @Override
        public Optional<String> obstacle() {
          return obstacle;
        }
      };

  private final StatusAccount account = new StatusAccount(report, kubelet, AcceleratorType.NVIDIA);

  @Test
  void whatDiffersIsWrittenOnceAndAgainOnlyIfTheWatchNeverShowsIt() throws IOException {
    account.write(STOCK, ONE, now);
    pass(Duration.ofMillis(4999));
    account.write(STOCK, ONE, now);
    assertThat(writes).as("on its way").hasSize(1);

    pass(Duration.ofMillis(1));
    account.write(STOCK, ONE, now);
    assertThat(writes).as("somebody has undone it").hasSize(2);

    watched = Optional.of(writes.getLast());
    pass(Duration.ofMinutes(1));
    account.write(STOCK, ONE, now);
    assertThat(writes).hasSize(2);
  }

  @Test
  void aBurstOfChangesMakesFewWrites() throws IOException {
    account.write(STOCK, ONE, now);
    pass(Duration.ofMillis(499));
    assertThat(account.write(STOCK, OTHER, now)).as("too early").isFalse();

    pass(Duration.ofMillis(1));
    assertThat(account.write(STOCK, OTHER, now)).isTrue();

    assertThat(writes).extracting(Content::allocations).containsExactly(ONE, OTHER);
  }

  @Test
  void statesGoOnFromWhatWasWrittenBeforeTheWatchShowsIt() throws IOException {
    assertThat(account.rows()).contains(List.of());
    account.write(STOCK, ONE, now);
    assertThat(account.rows()).contains(ONE);
  }

  @Test
  void aNodeWithoutGpuNodeHasNoAccount() throws IOException {
    watched = Optional.empty();

    assertThat(account.rows()).isEmpty();
    assertThat(account.write(STOCK, ONE, now)).isTrue();
    assertThat(writes).isEmpty();
  }

  @Test
  void aPluginThatHasNotServedYetSaysInWhichUnitsItCountsAndNoMore() throws IOException {
    listening = false;
    account.write(STOCK, ONE, now);
    assertThat(writes.getLast().plugin())
        .contains(
            new PluginStatus(
                null, null, "baidu.com/vcuda-memory", "256Mi", AcceleratorType.NVIDIA));
  }

  @Test
  void aRestartOfTheKubeletIsNoStop() throws IOException {
    account.write(STOCK, ONE, now);
    listening = false;
    pass(Duration.ofSeconds(1));
    account.write(STOCK, OTHER, now);

    assertThat(writes)
        .extracting(content -> content.plugin().orElseThrow().state())
        .containsExactly(PluginState.SERVING, PluginState.SERVING);
  }

  @Test
  void whatTheKubeletCannotBeToldIsSaid() throws IOException {
    obstacle = Optional.of("too many units");
    account.write(STOCK, ONE, now);

    assertThat(writes.getLast().plugin())
        .hasValueSatisfying(
            plugin -> {
              assertThat(plugin.state()).isEqualTo(PluginState.BLOCKED);
              assertThat(plugin.message()).isEqualTo("too many units");
            });
  }

  @Test
  void thatItStopsIsSaidAtOnceAndStays() throws IOException {
    account.write(STOCK, ONE, now);
    account.stopping();

    assertThat(account.write(STOCK, ONE, now)).isTrue();

    assertThat(writes).hasSize(2);
    assertThat(writes.getLast().plugin().orElseThrow().state()).isEqualTo(PluginState.STOPPING);
  }

  /** The watch need not have shown it yet, and the resource is the same. */
  @Test
  void theAccountOfTheNextProcessIsLeftAlone() throws IOException {
    account.write(STOCK, ONE, now);
    stored =
        new Content(
            Optional.of(
                new PluginStatus(
                    PluginState.SERVING, null, "baidu.com/vcuda-memory", "256Mi", null)),
            OTHER);
    account.stopping();

    assertThat(account.write(STOCK, ONE, now)).isTrue();
    assertThat(account.write(STOCK, OTHER, now)).isTrue();

    assertThat(writes).hasSize(1);
  }

  /** One that took everything over as it was has an account without ever having written. */
  @Test
  void anAccountThatWasRightFromTheStartIsOwn() throws IOException {
    account.write(STOCK, ONE, now);
    var next = writes.getLast();
    writes.clear();
    watched = Optional.of(next);
    var successor = new StatusAccount(report, kubelet, AcceleratorType.NVIDIA);
    successor.write(STOCK, ONE, now);
    successor.stopping();

    successor.write(STOCK, ONE, now);

    assertThat(writes).hasSize(1);
    assertThat(writes.getLast().plugin().orElseThrow().state()).isEqualTo(PluginState.STOPPING);
  }

  @Test
  void aProcessThatHasNoAccountWritesNoneAtItsEnd() throws IOException {
    account.stopping();

    assertThat(account.write(STOCK, ONE, now)).isTrue();

    assertThat(writes).isEmpty();
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private static Allocation row(String pod) {
    return new Allocation(
        "apps", pod, "main", "uid-" + pod, "GPU-a", 4, AllocationState.RUNNING, "now");
  }
}
