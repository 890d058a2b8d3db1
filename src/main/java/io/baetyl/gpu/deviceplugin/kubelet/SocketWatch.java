package io.baetyl.gpu.deviceplugin.kubelet;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a new socket of the kubelet the moment it appears. Where the kernel has no watch left to
 * give, the caller's clock has to do.
 */
final class SocketWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketWatch.class);

  /**
   * Which socket it is. An inode number alone is used again at once by some file systems.
   *
   * @param file the file's key
   * @param modifiedMillis when it was made
   */
  record Identity(Object file, long modifiedMillis) {}

  /** Where watches are had from, which a kernel has only so many of for a user. */
  @FunctionalInterface
  interface Watches {
    WatchService open() throws IOException;
  }

  private final Path socket;
  private final Watches source;
  private final Runnable onNew;
  private volatile WatchService watches;
  private boolean warned;

  SocketWatch(Path socket, Watches source, Runnable onNew) {
    this.socket = socket;
    this.source = source;
    this.onNew = onNew;
  }

  /** Watches the folder from now on, where it is not watched already. */
  void ensure() {
    if (watches != null) {
      return;
    }
    try {
      var service = watched();
      watches = service;
      warned = false;
      Thread.ofPlatform().name("kubelet-watch").daemon().start(() -> watch(service));
    } catch (IOException noWatch) {
      if (!warned) {
        warned = true;
        LOG.warn(
            "Cannot watch the kubelet's folder; looking into it every second. reason={}",
            noWatch.toString());
      }
    }
  }

  private WatchService watched() throws IOException {
    var service = source.open();
    try {
      socket
          .getParent()
          .register(
              service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.OVERFLOW);
      return service;
    } catch (IOException noWatch) {
      // It is tried again and again, and what is left open would take the other watches too.
      service.close();
      throw noWatch;
    }
  }

  /** The socket that is there now. */
  Optional<Identity> identity() {
    try {
      var attributes = Files.readAttributes(socket, BasicFileAttributes.class);
      return Optional.of(
          new Identity(attributes.fileKey(), attributes.lastModifiedTime().toMillis()));
    } catch (IOException absent) {
      return Optional.empty();
    }
  }

  private void watch(WatchService service) {
    try {
      boolean valid = true;
      while (valid) {
        var key = service.take();
        for (var event : key.pollEvents()) {
          if (event.kind() == StandardWatchEventKinds.OVERFLOW
              || socket.getFileName().equals(event.context())) {
            onNew.run();
          }
        }
        valid = key.reset();
      }
      LOG.warn("The kubelet's folder is gone; looking for it every second. path={}", socket);
      watches = null;
      service.close();
    } catch (ClosedWatchServiceException closed) {
      LOG.debug("Told to end");
    } catch (IOException cannotClose) {
      LOG.debug("Cannot close the watch. reason={}", cannotClose.toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    var service = watches;
    if (service != null) {
      try {
        service.close();
      } catch (IOException cannotClose) {
        LOG.debug("Cannot close the watch. reason={}", cannotClose.toString());
      }
    }
  }
}
