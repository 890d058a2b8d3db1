package io.baetyl.gpu.cluster.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.cluster.oracle.Observation.Booked;
import io.baetyl.gpu.cluster.oracle.Observation.ContainerKey;
import io.baetyl.gpu.cluster.oracle.Observation.Running;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of one node, read from outside of it: those of its disk through the root of its first
 * process, and its cgroups and processes where the machine itself has them. The kubelet's
 * PodResources are not asked, since a List makes the kubelet count anew what is in use, and so
 * forget what is on its way to a container: that would be another world than the one to be watched.
 */
final class NodeFiles {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** {@code <pod>_<namespace>_<container>-<container id>.log}. */
  private static final Pattern LOG = Pattern.compile("([^_]+)_([^_]+)_(.+)-([0-9a-f]{64})\\.log");

  private static final List<String> HIERARCHIES = List.of("pids", "memory", "");

  /** A process, and when it began in clock ticks: ids of processes are used again. */
  private record Identity(String pid, String start) {}

  /** What a process was given; without a card for one that is none of ours. */
  record Environment(String card, String visible, int memoryMiB) {
    private static final Environment NONE = new Environment("", "", 0);
  }

  private record Name(String pod, String container) {}

  private record Candidate(Running running, Identity process) {}

  private final Path root;
  private final String node;
  private final Set<String> resources;
  private String booksVersion = "";
  private List<Booked> books = List.of();
  private Map<Identity, Environment> environments = Map.of();
  private final Map<String, Name> names = new HashMap<>();

  /**
   * @param node its name
   * @param pid its first process
   * @param resources the resources that units are asked for by
   */
  NodeFiles(String node, long pid, Set<String> resources) {
    this.root = Path.of("/proc", Long.toString(pid), "root");
    this.resources = resources;
    this.node = node;
  }

  /** Whether the node is there. */
  boolean exists() {
    return Files.exists(root.resolve("var"));
  }

  /** What the kubelet has written down, which it does before a container starts. */
  List<Booked> books() throws IOException {
    var file = root.resolve("var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
    if (!Files.exists(file)) {
      booksVersion = "";
      books = List.of();
      return books;
    }
    // The kubelet replaces the file, so a new one has another key even within a clock tick.
    var attributes = Files.readAttributes(file, BasicFileAttributes.class);
    var version = attributes.fileKey() + " " + attributes.lastModifiedTime();
    if (!version.equals(booksVersion)) {
      books = parseBooks(JSON.readTree(file.toFile()), resources);
      booksVersion = version;
    }
    return books;
  }

  static List<Booked> parseBooks(JsonNode checkpoint, Set<String> resources) {
    var parsed = new ArrayList<Booked>();
    for (var entry : checkpoint.path("Data").path("PodDeviceEntries")) {
      if (resources.contains(entry.path("ResourceName").asText())) {
        var ids = new HashSet<String>();
        entry.path("DeviceIDs").forEach(list -> list.forEach(id -> ids.add(id.asText())));
        parsed.add(
            new Booked(
                new ContainerKey(
                    entry.path("PodUID").asText(), entry.path("ContainerName").asText()),
                ids));
      }
    }
    return parsed;
  }

  /** The containers with a card, all of which lived at one moment of this call. */
  List<Running> running() throws IOException {
    var candidates = new ArrayList<Candidate>();
    var seen = new HashMap<Identity, Environment>();
    var pods = pods();
    for (var qosClass : List.of(pods, pods.resolve("burstable"), pods.resolve("besteffort"))) {
      for (var pod : folders(qosClass)) {
        var name = pod.getFileName().toString();
        if (name.startsWith("pod")) {
          for (var container : folders(pod)) {
            candidate(name.substring("pod".length()), container, seen).ifPresent(candidates::add);
          }
        }
      }
    }
    environments = seen;
    // Each was seen before this line, and those that are left live after it.
    return candidates.stream()
        .filter(candidate -> identity(candidate.process().pid()).equals(candidate.process()))
        .map(Candidate::running)
        .toList();
  }

  /** The kubelet makes it when it starts. */
  private Path pods() {
    return HIERARCHIES.stream()
        .map(
            hierarchy ->
                Path.of("/sys/fs/cgroup", hierarchy, "baetyl-gpu", "node-" + node, "kubepods"))
        .filter(Files::isDirectory)
        .findFirst()
        .orElse(Path.of("/nonexistent"));
  }

  private Optional<Candidate> candidate(
      String podUid, Path container, Map<Identity, Environment> seen) throws IOException {
    for (var pid : lines(container.resolve("cgroup.procs"))) {
      var process = identity(pid);
      var read = Optional.ofNullable(environments.get(process)).or(() -> environment(pid));
      read.ifPresent(found -> seen.put(process, found));
      var environment = read.orElse(Environment.NONE);
      if (!environment.card().isEmpty()) {
        var id = container.getFileName().toString();
        var name = name(id);
        return name.map(
            known ->
                new Candidate(
                    new Running(
                        new ContainerKey(podUid, known.container()),
                        known.pod(),
                        id,
                        environment.card(),
                        environment.visible(),
                        environment.memoryMiB()),
                    process));
      }
    }
    return Optional.empty();
  }

  private static Identity identity(String pid) {
    try {
      var stat = Files.readString(Path.of("/proc", pid, "stat"));
      // The name in brackets may have blanks; the state is 3rd, the start 22nd of all fields.
      var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return new Identity(pid, fields[0].equals("Z") ? "ended" : fields[19]);
    } catch (IOException | UncheckedIOException ended) {
      return new Identity(pid, "ended");
    }
  }

  /**
   * What a process was given once and for all. The container's first process is runc's own until it
   * executes the container's program: it keeps its id and its start, and has the container's
   * variables only then. The kernel gives the new name before the new variables, and none between.
   */
  private static Optional<Environment> environment(String pid) {
    try {
      var name = Files.readString(Path.of("/proc", pid, "comm"));
      var variables =
          new String(Files.readAllBytes(Path.of("/proc", pid, "environ")), StandardCharsets.UTF_8);
      return name.startsWith("runc") || variables.isEmpty()
          ? Optional.empty()
          : Optional.of(environmentOf(variables));
    } catch (IOException ended) {
      return Optional.empty();
    }
  }

  static Environment environmentOf(String variables) {
    var card = "";
    var visible = "";
    int memoryMiB = 0;
    for (var variable : variables.split("\0", -1)) {
      if (variable.startsWith("BAETYL_GPU_UUID=")) {
        card = variable.substring(variable.indexOf('=') + 1);
      } else if (variable.startsWith("NVIDIA_VISIBLE_DEVICES=")) {
        // Of two the last is obeyed.
        visible = variable.substring(variable.indexOf('=') + 1);
      } else if (variable.startsWith("BAETYL_GPU_MEMORY_MIB=")) {
        memoryMiB = Integer.parseInt(variable.substring(variable.indexOf('=') + 1));
      }
    }
    return new Environment(card, visible, memoryMiB);
  }

  /** The kubelet removes the link when it forgets the pod, so what was read is kept. */
  private Optional<Name> name(String containerId) throws IOException {
    if (!names.containsKey(containerId)) {
      try (var logs = Files.newDirectoryStream(root.resolve("var/log/containers"))) {
        for (var log : logs) {
          var matcher = LOG.matcher(log.getFileName().toString());
          if (matcher.matches()) {
            names.put(
                matcher.group(4),
                new Name(matcher.group(2) + "/" + matcher.group(1), matcher.group(3)));
          }
        }
      }
    }
    return Optional.ofNullable(names.get(containerId));
  }

  private static List<Path> folders(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).toList();
    } catch (IOException | UncheckedIOException removedMeanwhile) {
      return List.of();
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException removedMeanwhile) {
      return List.of();
    }
  }
}
