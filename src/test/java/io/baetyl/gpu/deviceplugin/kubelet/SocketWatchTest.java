package io.baetyl.gpu.deviceplugin.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SocketWatchTest {
  @TempDir Path folder;

  private final List<WatchService> opened = new ArrayList<>();

  @Test
  void whatCannotWatchTheFolderIsNotLeftOpen() {
    try (var watch =
        new SocketWatch(
            folder.resolve("missing/kubelet.sock"),
            () -> {
              opened.add(FileSystems.getDefault().newWatchService());
              return opened.getLast();
            },
            () -> {})) {
      watch.ensure();
      watch.ensure();
    }

    assertThat(opened)
        .hasSize(2)
        .allSatisfy(
            service ->
                assertThatThrownBy(service::poll).isInstanceOf(ClosedWatchServiceException.class));
  }
}
