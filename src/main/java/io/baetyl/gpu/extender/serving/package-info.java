/** The HTTPS server that kube-scheduler calls, with the certificate of a mounted Secret. */
package io.baetyl.gpu.extender.serving;
