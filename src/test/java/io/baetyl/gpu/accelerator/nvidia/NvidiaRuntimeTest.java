package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.baetyl.gpu.accelerator.nvidia.NvidiaRuntime.Facts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NvidiaRuntimeTest {
  private static final List<String> BOTH = List.of("GPU-a", "GPU-b");

  static Stream<Arguments> judgements() {
    return Stream.of(
        arguments(new Facts(0, List.of(), false, true), false, "NoDevices", "no card"),
        arguments(new Facts(2, List.of(), false, false), true, "CdiSpecs", "hold every card"),
        arguments(new Facts(2, BOTH, true, false), true, "DefaultRuntime", "default"),
        arguments(new Facts(2, List.of("GPU-b"), true, false), true, "DefaultRuntime", "default"),
        arguments(
            new Facts(2, List.of("GPU-b"), false, true),
            false,
            "CdiIncomplete",
            "do not hold GPU-b"),
        arguments(
            new Facts(2, BOTH, false, true), true, "RuntimeClass", "runtimeClassName: nvidia"),
        arguments(
            new Facts(2, BOTH, false, false), false, "RuntimeNotConfigured", "--set-as-default"));
  }

  @ParameterizedTest
  @MethodSource("judgements")
  void judges(Facts facts, boolean ready, String reason, String inMessage) {
    var finding = NvidiaRuntime.judge(facts);

    assertThat(finding.ready()).isEqualTo(ready);
    assertThat(finding.reason()).isEqualTo(reason);
    assertThat(finding.message()).contains(inMessage);
  }

  @Test
  void looksAtCdiSpecsAndTheOwnContainer(@TempDir Path root) throws IOException {
    var container = Files.createDirectories(root.resolve("container"));
    var host = root.resolve("host");
    var runtime = new NvidiaRuntime(container, host);
    assertThat(runtime.look(List.of("GPU-a"), () -> false).reason())
        .isEqualTo("RuntimeNotConfigured");

    Files.createDirectories(container.resolve("usr/lib64"));
    Files.createFile(container.resolve("usr/lib64/libnvidia-ml.so.1"));
    assertThat(runtime.look(List.of("GPU-a"), () -> false).reason()).isEqualTo("DefaultRuntime");

    Files.createDirectories(host.resolve("etc/cdi"));
    Files.writeString(
        host.resolve("etc/cdi/nvidia.yaml"),
        "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices: [{name: GPU-a}]\n");
    assertThat(runtime.look(List.of("GPU-a"), () -> false).reason()).isEqualTo("CdiSpecs");
  }
}
