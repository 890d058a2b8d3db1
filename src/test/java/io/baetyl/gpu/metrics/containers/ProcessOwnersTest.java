package io.baetyl.gpu.metrics.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessOwnersTest {
  private static final String UID = "7e3b1c9a-8f2d-4d61-9c3e-0a1b2c3d4e5f";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod7e3b1c9a_8f2d_4d61_9c3e_0a1b2c3d4e5f.slice/cri-containerd-0123.scope\n",
        "0::/kubepods.slice/kubepods-pod7e3b1c9a_8f2d_4d61_9c3e_0a1b2c3d4e5f.slice/crio-0123.scope/container\n",
        "0::/kubepods/besteffort/pod7e3b1c9a-8f2d-4d61-9c3e-0a1b2c3d4e5f/0123\n",
        "0::/../../pod7e3b1c9a-8f2d-4d61-9c3e-0a1b2c3d4e5f/0123\n",
        "12:memory:/kubepods/pod7e3b1c9a-8f2d-4d61-9c3e-0a1b2c3d4e5f/0123\n1:name=systemd:/kubepods/pod7e3b1c9a-8f2d-4d61-9c3e-0a1b2c3d4e5f/0123\n"
      })
  void findsThePod(String cgroups) {
    assertThat(ProcessOwners.podUid(cgroups)).contains(UID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0af1c2d3e4f5061728394a5b6c7d8e9f.slice/cri-containerd-0123.scope\n",
        "0::/kubepods/besteffort/pod0af1c2d3e4f5061728394a5b6c7d8e9f/0123\n"
      })
  void findsAStaticPodByTheHashOfItsFile(String cgroups) {
    assertThat(ProcessOwners.podUid(cgroups)).contains("0af1c2d3e4f5061728394a5b6c7d8e9f");
  }

  @Test
  void aProcessThatHasEndedIsInNoPod(@TempDir Path proc) {
    assertThat(new ProcessOwners(proc).podUid(4711)).isEmpty();
  }

  @Test
  void aProcessOfTheHostIsInNoPod() {
    assertThat(ProcessOwners.podUid("0::/system.slice/containerd.service\n")).isEmpty();
  }
}
