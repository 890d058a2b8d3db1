package io.baetyl.gpu.accelerator;

import java.nio.file.Path;

/**
 * Where an agent sees its node.
 *
 * @param container this container: / but in tests; the host's /dev is in it
 * @param host under which the host's /usr, /etc and /run are, as far as an agent sees them
 * @param hardware under which the kernel's /proc and /sys are: / but where hardware is simulated
 */
public record NodeRoots(Path container, Path host, Path hardware) {}
