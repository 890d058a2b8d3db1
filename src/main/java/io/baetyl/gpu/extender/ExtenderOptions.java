package io.baetyl.gpu.extender;

import java.nio.file.Path;

/**
 * How the extender is set up.
 *
 * @param port where kube-scheduler calls, by HTTPS; 0 for any free one
 * @param healthPort where the kubelet probes, by HTTP; 0 for any free one
 * @param tlsDir the folder with tls.crt, tls.key and ca.crt
 */
record ExtenderOptions(int port, int healthPort, Path tlsDir) {}
