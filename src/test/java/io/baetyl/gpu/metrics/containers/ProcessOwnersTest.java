package io.baetyl.gpu.metrics.containers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

  @Test
  void aProcessOfTheHostIsInNoPod() {
    assertThat(ProcessOwners.podUid("0::/system.slice/containerd.service\n")).isEmpty();
  }
}
