package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;

class IntentTest {
  private static ConfigMap wanted(String value) {
    return Intent.stamped(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("a")
            .endMetadata()
            .addToData("key", value)
            .build());
  }

  private static Pod pod(String cpu, String... containers) {
    var pod = new PodBuilder().withNewMetadata().withName("a").endMetadata().withNewSpec();
    for (var container : containers) {
      pod.addToContainers(
          new ContainerBuilder()
              .withName(container)
              .withNewResources()
              .addToRequests("cpu", new Quantity(cpu))
              .endResources()
              .build());
    }
    return pod.endSpec().build();
  }

  @Test
  void whatIsNotThereIsNotAsWanted() {
    assertThat(Intent.isMet(wanted("x"), null)).isFalse();
  }

  @Test
  void whatTheServerAddedDoesNotMatter() {
    var there =
        new ConfigMapBuilder(wanted("x"))
            .editMetadata()
            .withUid("1")
            .withResourceVersion("7")
            .addToLabels("by", "others")
            .endMetadata()
            .addToData("more", "y")
            .build();

    assertThat(Intent.isMet(wanted("x"), there)).isTrue();
  }

  @Test
  void aChangedFieldIsSeen() {
    var there = new ConfigMapBuilder(wanted("x")).addToData("key", "edited").build();

    assertThat(Intent.isMet(wanted("x"), there)).isFalse();
  }

  @Test
  void aFieldThatIsWantedNoLongerIsSeen() {
    var before =
        Intent.stamped(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("a")
                .endMetadata()
                .addToData("key", "x")
                .addToData("old", "y")
                .build());

    assertThat(Intent.isMet(wanted("x"), before)).isFalse();
  }

  @Test
  void quantitiesAreComparedByWhatTheyAmountTo() {
    assertThat(Intent.isMet(pod("1000m", "a"), pod("1", "a"))).isTrue();
    assertThat(Intent.isMet(pod("1000m", "a"), pod("2", "a"))).isFalse();
  }

  @Test
  void anArgumentThatSomebodyAddedIsSeen() {
    assertThat(Intent.isMet(calling("a", "b"), calling("a", "b"))).isTrue();
    assertThat(Intent.isMet(calling("a", "b"), calling("a", "added", "b"))).isFalse();
    assertThat(Intent.isMet(calling("a", "b"), calling("a", "b", "added"))).isFalse();
  }

  private static Pod calling(String... arguments) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("a")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withArgs(arguments)
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void anInjectedContainerDoesNotMatterButAMissingOneDoes() {
    assertThat(Intent.isMet(pod("1", "a", "b"), pod("1", "a", "injected", "b"))).isTrue();
    assertThat(Intent.isMet(pod("1", "a", "b"), pod("1", "a"))).isFalse();
  }
}
