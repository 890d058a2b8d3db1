package io.baetyl.gpu.extender.watching;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.pods.WatchedPod;
import io.baetyl.gpu.extender.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class PictureStoreTest {
  private final List<String> removed = new ArrayList<>();
  private Predicate<WatchedPod> put = pod -> true;
  private final PictureStore<WatchedPod> store =
      new PictureStore<>(
          pod -> pod.getMetadata().getUid(),
          pod -> put.test(pod),
          removed::add,
          pod -> {
            var stub = new WatchedPod();
            stub.setMetadata(PictureStore.identity(pod));
            return stub;
          });

  @Test
  void onlyWhatTellsAPodFromOthersIsKept() {
    store.put("uid-a", pod());
    var kept = store.get("uid-a");
    assertThat(kept.getMetadata().getName()).isEqualTo("a");
    assertThat(kept.getMetadata().getLabels()).isNullOrEmpty();
    assertThat(kept.getSpec()).isNull();
  }

  @Test
  void anObjectThatThePictureHasNoUseForIsNotKept() {
    put = pod -> false;
    assertThat(store.put("uid-a", pod())).isNull();
    assertThat(store.size()).isZero();
    assertThat(removed).isEmpty();
  }

  @Test
  void anObjectThatCannotBeTakenIntoAccountEndsNothingAndLeavesNothing() {
    store.put("uid-a", pod());
    put =
        pod -> {
          throw new IllegalStateException("of no shape that was thought of");
        };
    assertThat(store.put("uid-a", pod())).isNotNull();
    assertThat(store.keySet()).isEmpty();
    assertThat(removed).as("what was known of it no longer holds").containsExactly("uid-a");
    put = pod -> true;
    store.put("uid-a", pod());
    assertThat(store.keySet()).containsExactly("uid-a");
  }

  @Test
  void whatIsRemovedLeavesThePictureOnce() {
    store.put("uid-a", pod());
    store.remove("uid-a");
    store.remove("uid-a");
    assertThat(removed).containsExactly("uid-a");
  }

  private static WatchedPod pod() {
    try {
      return Json.MAPPER.readValue(Pods.json("a", 8, 0), WatchedPod.class);
    } catch (java.io.IOException unreadable) {
      throw new IllegalArgumentException(unreadable);
    }
  }
}
