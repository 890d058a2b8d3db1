package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The device plugin as the kubelet sees it: registered, with units, answering. */
public final class KubeletPlugin {
  /** The kubelet takes no message of 4 MiB; some room is left for what else is in it. */
  static final int MAX_LIST_BYTES = 3_500_000;

  private final UnitStreams units = new UnitStreams();
  private final Registration registration;
  private final AdmissionWindow window;
  private volatile String oversize = "";

  /**
   * @param folder the kubelet's folder of device plugins
   * @param endpoint the name of the plugin's socket in it
   * @param access what a container needs to use what it was granted
   * @param onChange called when units were handed out, and when the kubelet comes or goes
   */
  public KubeletPlugin(
      DomainSockets sockets,
      Path folder,
      String endpoint,
      Allocator allocator,
      Function<Grant, ContainerAccess> access,
      AdmissionWindow window,
      Supplier<Optional<String>> resourceName,
      Runnable onChange) {
    this.window = window;
    var service =
        new DevicePluginService(
            allocator,
            access,
            units,
            window,
            new DevicePluginService.Listener() {
              @Override
              public void listening() {
                onChange.run();
              }

              @Override
              public void deaf() {
                if (!units.anyOpen()) {
                  registration().streamLost();
                  onChange.run();
                }
              }

              @Override
              public void allocated() {
                onChange.run();
              }
            });
    this.registration =
        new Registration(
            sockets,
            folder,
            endpoint,
            service,
            folder.getFileSystem()::newWatchService,
            resourceName,
            units::anyOpen);
  }

  private Registration registration() {
    return registration;
  }

  public void start() {
    registration.start();
  }

  /** The resource to register may be another one now. */
  public void resourceChanged() {
    registration.changed();
  }

  /** Tells the kubelet of the units, where they have changed. */
  public void offer(List<Unit> list) {
    var message = UnitStreams.encode(list);
    boolean fits = message.getSerializedSize() <= MAX_LIST_BYTES;
    oversize =
        fits
            ? ""
            : "The "
                + list.size()
                + " units of this node are more than the kubelet can be told of; choose a larger"
                + " unit in the GpuShareProfile";
    units.send(fits ? message : UnitStreams.encode(List.of()));
  }

  /**
   * Has the kubelet write its books to disk. It does so with each list of units, but not when it
   * drops pods that have ended; one that is started again would count their units as out until it
   * has admitted the pods that wait, and fail those for which no others are left.
   */
  public void save() {
    units.repeat();
  }

  /** Whether the kubelet has asked for the units. */
  public boolean listening() {
    return units.anyOpen();
  }

  /** Why the kubelet cannot be told of the units, in a sentence; empty when it can. */
  public Optional<String> obstacle() {
    return oversize.isEmpty() ? Optional.empty() : Optional.of(oversize);
  }

  /** Stops answering the kubelet, after what it has asked already. */
  public void stop(long graceMillis) {
    try {
      window.awaitNoCall(graceMillis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    registration.cease(graceMillis);
    units.end();
    registration.stop(graceMillis);
  }
}
