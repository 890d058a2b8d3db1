package io.baetyl.gpu.accelerator.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** Tells whether a path still leads to the same file with the same content. */
record FileIdentity(Object key, FileTime modified, long bytes) {
  private static final FileIdentity NONE = new FileIdentity(null, null, 0);

  /** Of the file that a path leads to now, through links. */
  static FileIdentity of(Path path) {
    try {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new FileIdentity(
          attributes.fileKey(), attributes.lastModifiedTime(), attributes.size());
    } catch (IOException gone) {
      return NONE;
    }
  }
}
