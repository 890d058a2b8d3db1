package io.baetyl.gpu.deviceplugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PodCgroupsTest {
  private static final String UID = "5a8d9c1e-0b7f-4a63-9f0e-2d1c3b4a5f60";
  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kubepods/pod5a8d9c1e-0b7f-4a63-9f0e-2d1c3b4a5f60",
        "kubepods/burstable/pod5a8d9c1e-0b7f-4a63-9f0e-2d1c3b4a5f60",
        "cluster/node-edge-p4/kubepods/besteffort/pod5a8d9c1e-0b7f-4a63-9f0e-2d1c3b4a5f60",
        "kubepods.slice/kubepods-pod5a8d9c1e_0b7f_4a63_9f0e_2d1c3b4a5f60.slice",
        "kubepods.slice/kubepods-besteffort.slice/"
            + "kubepods-besteffort-pod5a8d9c1e_0b7f_4a63_9f0e_2d1c3b4a5f60.slice",
      })
  void findsThePodUnderEveryNaming(String cgroup) throws IOException {
    v2(cgroup, "populated 1\nfrozen 0\n");
    var cgroups = new PodCgroups(root);
    assertThat(cgroups.alive(UID)).isTrue();
    assertThat(cgroups.alive("another")).isFalse();
  }

  @Test
  void anEmptyCgroupIsNoLife() throws IOException {
    v2("kubepods/pod" + UID, "populated 0\nfrozen 0\n");
    assertThat(new PodCgroups(root).alive(UID)).isFalse();
  }

  /** Their ids are not to be seen from another PID namespace. */
  @Test
  void underV1ProcessesCountThoughTheyAreNotListed() throws IOException {
    var pod = root.resolve("pids/kubepods/burstable/pod" + UID);
    Files.createDirectories(pod.resolve("container"));
    Files.writeString(pod.resolve("container/cgroup.procs"), "");
    Files.writeString(pod.resolve("pids.current"), "2\n");
    var cgroups = new PodCgroups(root);
    assertThat(cgroups.alive(UID)).isTrue();
    Files.writeString(pod.resolve("pids.current"), "0\n");
    assertThat(cgroups.alive(UID)).isFalse();
  }

  @Test
  void whereNothingCountsTheProcessesACgroupIsLife() throws IOException {
    var pod = root.resolve("memory/kubepods/pod" + UID);
    Files.createDirectories(pod);
    var cgroups = new PodCgroups(root);
    assertThat(cgroups.alive(UID)).isTrue();
    Files.delete(pod);
    assertThat(cgroups.alive(UID)).isFalse();
  }

  @Test
  void aTreeThatComesLaterIsFound() throws IOException {
    var cgroups = new PodCgroups(root);
    assertThat(cgroups.alive(UID)).as("nobody can say that it has ended").isTrue();
    v2("kubepods/pod" + UID, "populated 0\n");
    assertThat(cgroups.alive(UID)).isFalse();
  }

  @Test
  void whatCannotBeReadMayLive() throws IOException {
    v2("kubepods/pod" + UID, "populated 0\n");
    var cgroups = new PodCgroups(root);
    assertThat(cgroups.alive(UID)).isFalse();
    var tree = root.resolve("kubepods");
    Files.move(tree, root.resolve("elsewhere"));
    Files.createSymbolicLink(tree, tree);
    assertThat(cgroups.alive(UID)).isTrue();
  }

  private void v2(String cgroup, String events) throws IOException {
    Files.writeString(root.resolve("cgroup.controllers"), "memory pids\n");
    Files.createDirectories(root.resolve(cgroup));
    Files.writeString(root.resolve(cgroup).resolve("cgroup.events"), events);
  }
}
