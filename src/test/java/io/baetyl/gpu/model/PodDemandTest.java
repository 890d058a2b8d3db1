package io.baetyl.gpu.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.baetyl.gpu.model.PodDemand.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodDemandTest {

  @Test
  void appContainersAreDecidedOneByOne() {
    var demand = PodDemand.of(List.of(app("main", 4), app("helper", 8)));
    assertThat(demand.parts())
        .containsExactly(new Part(List.of("main"), 4), new Part(List.of("helper"), 8));
    assertThat(demand.units()).isEqualTo(12);
    assertThat(demand.largestPart()).isEqualTo(8);
    assertThat(demand.held()).containsExactly(app("main", 4), app("helper", 8));
  }

  @Test
  void aGreaterInitContainerCountsAsTheWholePod() {
    var demand = PodDemand.of(List.of(init("load", 10), app("main", 4)));
    assertThat(demand.parts()).containsExactly(new Part(List.of("load", "main"), 10));
    assertThat(demand.held()).containsExactly(app("main", 4), init("load", 6));
  }

  @Test
  void aSmallerInitContainerAddsNothing() {
    var demand = PodDemand.of(List.of(init("load", 4), app("main", 10)));
    assertThat(demand.parts()).containsExactly(new Part(List.of("load", "main"), 10));
    assertThat(demand.held()).containsExactly(app("main", 10));
  }

  @Test
  void aSidecarRunsBesideWhatFollowsIt() {
    var demand =
        PodDemand.of(
            List.of(init("early", 7), sidecar("proxy", 3), init("late", 6), app("main", 2)));
    assertThat(demand.units()).as("proxy and late together").isEqualTo(9);
    assertThat(demand.held())
        .containsExactlyInAnyOrder(sidecar("proxy", 3), app("main", 2), init("late", 4));
  }

  @Test
  void aPodThatAsksForNothingHasNoParts() {
    assertThat(PodDemand.of(List.of())).isEqualTo(PodDemand.NOTHING);
  }

  @Test
  void absurdAmountsDoNotOverflow() {
    var demand =
        PodDemand.of(
            List.of(
                app("a", Integer.MAX_VALUE),
                app("b", Integer.MAX_VALUE),
                app("c", Integer.MAX_VALUE)));
    assertThat(demand.units()).isEqualTo(PodDemand.MOST_UNITS);
    var one = PodDemand.of(List.of(sidecar("a", Integer.MAX_VALUE), init("b", Integer.MAX_VALUE)));
    assertThat(one.units()).isEqualTo(PodDemand.MOST_UNITS);
  }

  private static ContainerRequest app(String name, int units) {
    return new ContainerRequest(name, units, Kind.APP);
  }

  private static ContainerRequest init(String name, int units) {
    return new ContainerRequest(name, units, Kind.INIT);
  }

  private static ContainerRequest sidecar(String name, int units) {
    return new ContainerRequest(name, units, Kind.SIDECAR);
  }
}
