package io.baetyl.gpu.accelerator.folder;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node whose accelerators are folders: their simulator. */
public final class FolderNode {
  private final Path root;

  /**
   * @param root an empty folder
   */
  public FolderNode(Path root) {
    this.root = root;
  }

  /** Where its agents see it. */
  public NodeRoots roots() {
    return new NodeRoots(root, root, root);
  }

  /** Puts a device in. */
  public FolderNode add(int number, String serial, long memoryMiB, long usedMiB)
      throws IOException {
    Files.createDirectories(device(number));
    Files.writeString(device(number).resolve("serial"), serial + "\n");
    Files.writeString(device(number).resolve("model"), "Folder M\n");
    Files.writeString(device(number).resolve("memory_mib"), memoryMiB + "\n");
    use(number, usedMiB);
    return this;
  }

  /** The device's memory in use. */
  public void use(int number, long usedMiB) throws IOException {
    Files.writeString(device(number).resolve("used_mib"), usedMiB + "\n");
  }

  /** Makes the host's libraries appear. */
  public void installLibraries() throws IOException {
    Files.createDirectories(root.resolve("opt/folder"));
  }

  /** The kernel does not answer about the device any more: a pipe into which nobody writes. */
  public void hang(int number) throws IOException, InterruptedException {
    var file = device(number).resolve("used_mib");
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
  }

  /** The pipe says this much, once to each who waits, and then is a file again. */
  public void unhang(int number, long usedMiB) throws IOException {
    var file = device(number).resolve("used_mib");
    Files.writeString(file, usedMiB + "\n");
    Files.delete(file);
    use(number, usedMiB);
  }

  private Path device(int number) {
    return root.resolve("sys/class/folder").resolve(Integer.toString(number));
  }
}
