package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.cdi.CdiSpecs;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a container needs to use NVIDIA cards. Either CDI devices, where this node has specs that
 * hold all of them, or the variable that NVIDIA's runtime obeys together with the device nodes.
 * Never both: each injects the cards by itself.
 */
final class NvidiaContainerAccess {
  private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";

  /**
   * With this value NVIDIA's runtime behaves as plain runc does, while without the variable an
   * image that sets it to "all" would get every card beside its own.
   */
  private static final String LEFT_TO_CDI = "void";

  /** What every card needs beside its own node; the driver makes some of them late or never. */
  private static final List<String> CONTROL_NODES =
      List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");

  private final CdiSpecs specs;
  private final Path deviceRoot;

  /**
   * @param hostRoot under which the host's /etc/cdi and /run/cdi are
   * @param deviceRoot under which the host's /dev is: / where it is mounted in place
   */
  NvidiaContainerAccess(Path hostRoot, Path deviceRoot) {
    this.specs = CdiSpecs.of(hostRoot, "nvidia.com/gpu");
    this.deviceRoot = deviceRoot;
  }

  /**
   * Looks at the files of this node.
   *
   * @param cards all of them
   * @return what a container needs to use some of the cards
   */
  Function<List<Device>, ContainerAccess> look(List<Device> cards) {
    var cdiNames = new HashMap<String, String>();
    cards.forEach(card -> specs.nameOf(card.id()).ifPresent(name -> cdiNames.put(card.id(), name)));
    var controlNodes = CONTROL_NODES.stream().filter(this::exists).toList();
    var cardNodes =
        cards.stream()
            .map(Device::path)
            .filter(Objects::nonNull)
            .filter(this::exists)
            .collect(Collectors.toSet());
    return some -> access(some, cdiNames, controlNodes, cardNodes);
  }

  private boolean exists(String node) {
    return Files.exists(deviceRoot.resolve(node.substring(1)));
  }

  private static ContainerAccess access(
      List<Device> cards,
      Map<String, String> cdiNames,
      List<String> controlNodes,
      Set<String> cardNodes) {
    var ids = cards.stream().map(Device::id).toList();
    if (cdiNames.keySet().containsAll(ids)) {
      return new ContainerAccess(
          Map.of(VISIBLE_DEVICES, LEFT_TO_CDI),
          List.of(),
          List.of(),
          ids.stream().map(cdiNames::get).toList());
    }
    // The nodes are named as well, so that a reload of systemd, which writes the device rules of a
    // container anew, keeps those that the runtime's hook has added behind its back.
    var nodes =
        Stream.concat(
                cards.stream()
                    .map(Device::path)
                    .filter(Objects::nonNull)
                    .filter(cardNodes::contains),
                controlNodes.stream())
            .toList();
    return new ContainerAccess(
        Map.of(VISIBLE_DEVICES, String.join(",", ids)), nodes, List.of(), List.of());
  }
}
