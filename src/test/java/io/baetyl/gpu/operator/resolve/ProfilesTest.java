package io.baetyl.gpu.operator.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.NodeSelector;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProfilesTest {
  private static GpuShareProfile profile(
      String name, String resource, Map<String, String> labels, String created) {
    var profile = new GpuShareProfile();
    profile.setMetadata(
        new ObjectMetaBuilder().withName(name).withCreationTimestamp(created).build());
    profile.setSpec(
        new GpuShareProfileSpec(
            resource, null, null, null, null, labels == null ? null : new NodeSelector(labels)));
    return profile;
  }

  private static GpuShareProfile profile(String name, Map<String, String> labels) {
    return profile(name, "example.com/" + name, labels, "2026-01-01T00:00:00Z");
  }

  @Test
  void theNamedProfileWins() {
    var profiles = new Profiles(List.of(profile("a", Map.of()), profile("b", null)));

    assertThat(profiles.choose("b", Map.of()).profile()).isPresent();
    assertThat(profiles.choose("b", Map.of()).name()).isEqualTo("b");
  }

  @Test
  void elseTheFirstByNameThatSelectsTheNode() {
    var profiles =
        new Profiles(
            List.of(
                profile("c", Map.of("pool", "vision")),
                profile("b", Map.of("pool", "vision")),
                profile("a", Map.of("pool", "audio"))));

    assertThat(profiles.choose(null, Map.of("pool", "vision")).name()).isEqualTo("b");
  }

  @Test
  void anEmptySelectorSelectsEveryNodeAndAnAbsentOneNone() {
    assertThat(new Profiles(List.of(profile("all", Map.of()))).choose(null, Map.of()).name())
        .isEqualTo("all");
    assertThat(new Profiles(List.of(profile("none", null))).choose(null, Map.of()).name())
        .isEqualTo("default");
  }

  @Test
  void aProfileThatMayNotBeUsedTakesNoNodeFromAnother() {
    var inUse = profile("default", "example.com/memory", null, "2026-01-01T00:00:00Z");
    var late = profile("all", "example.com/memory", Map.of(), "2026-02-01T00:00:00Z");

    var choice = new Profiles(List.of(inUse, late)).choose(null, Map.of());

    assertThat(choice.name()).isEqualTo("default");
    assertThat(choice.profile()).contains(inUse);
  }

  @Test
  void aProfileThatIsNotThereIsNamedAllTheSame() {
    var choice = new Profiles(List.of()).choose(null, Map.of());

    assertThat(choice.name()).isEqualTo("default");
    assertThat(choice.profile()).isEmpty();
  }

  @Test
  void theOlderProfileKeepsTheResourceName() {
    var older = profile("z", "example.com/same", null, "2026-01-01T00:00:00Z");
    var newer = profile("a", "example.com/same", null, "2026-02-01T00:00:00Z");
    var profiles = new Profiles(List.of(older, newer));

    assertThat(profiles.rivalOf(newer)).contains(older);
    assertThat(profiles.rivalOf(older)).isEmpty();
    assertThat(profiles.choose("a", Map.of()).profile()).isEmpty();
    assertThat(profiles.choose("a", Map.of()).rival()).isEqualTo("z");
  }
}
