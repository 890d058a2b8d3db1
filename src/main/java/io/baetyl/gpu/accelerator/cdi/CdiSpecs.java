package io.baetyl.gpu.accelerator.cdi;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CDI devices of one kind that the specs on this node hold. A name that no spec holds fails the
 * container, and so does one that two specs of the same folder hold.
 */
public final class CdiSpecs {
  private static final Logger LOG = LoggerFactory.getLogger(CdiSpecs.class);

  // JSON is YAML too.
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Spec(String kind, List<SpecDevice> devices) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record SpecDevice(String name) {}

  private record Parsed(FileTime modified, long bytes, Set<String> names) {}

  private final List<Path> folders;
  private final String kind;
  private final Map<Path, Parsed> parsed = new HashMap<>();

  private CdiSpecs(List<Path> folders, String kind) {
    this.folders = folders;
    this.kind = kind;
  }

  /**
   * Those in the folders where container runtimes look.
   *
   * @param hostRoot under which the host's /etc/cdi and /run/cdi are
   * @param kind such as {@code nvidia.com/gpu}
   */
  public static CdiSpecs of(Path hostRoot, String kind) {
    // The later ones take precedence.
    return new CdiSpecs(List.of(hostRoot.resolve("etc/cdi"), hostRoot.resolve("run/cdi")), kind);
  }

  /** The fully qualified name of a device; empty where no spec holds it, or too many do. */
  public synchronized Optional<String> nameOf(String device) {
    for (var folder : folders.reversed()) {
      long holders =
          specFiles(folder).stream().filter(file -> names(file).contains(device)).count();
      if (holders > 0) {
        return holders == 1 ? Optional.of(kind + "=" + device) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static List<Path> specFiles(Path folder) {
    try (var files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml") || file.toString().endsWith(".json"))
          .toList();
    } catch (IOException | UncheckedIOException absent) {
      return List.of();
    }
  }

  /**
   * Real specs list every library of the driver, so they are read again only when they change; one
   * that cannot be read is complained of as often.
   */
  private Set<String> names(Path file) {
    try {
      var modified = Files.getLastModifiedTime(file);
      long bytes = Files.size(file);
      var before = parsed.get(file);
      if (before != null && before.modified().equals(modified) && before.bytes() == bytes) {
        return before.names();
      }
      var names = parse(file);
      parsed.put(file, new Parsed(modified, bytes, names));
      return names;
    } catch (IOException removedMeanwhile) {
      return Set.of();
    }
  }

  private Set<String> parse(Path file) {
    var names = new HashSet<String>();
    try {
      var spec = YAML.readValue(file.toFile(), Spec.class);
      if (spec != null && kind.equals(spec.kind()) && spec.devices() != null) {
        spec.devices().forEach(named -> names.add(named.name()));
      }
    } catch (IOException unreadable) {
      LOG.warn("Cannot read a CDI spec. path={} reason={}", file, unreadable.getMessage());
    }
    return names;
  }
}
