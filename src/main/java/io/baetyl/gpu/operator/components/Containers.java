package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.config.Footprint;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SeccompProfileBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.List;

/**
 * What the containers of all components have in common. Fields are written only where they differ
 * from the API server's defaults, so that what was asked for can be compared with what is there.
 */
final class Containers {
  private Containers() {}

  /** A JVM as small as the role allows; the roles spend their time waiting. */
  static EnvVar javaOptions(String more) {
    return env(
        "JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -XX:+UseCompactObjectHeaders -Xss512k " + more);
  }

  static EnvVar env(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value).build();
  }

  static EnvVar fieldEnv(String name, String field) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef()
        .withFieldPath(field)
        .endFieldRef()
        .endValueFrom()
        .build();
  }

  static ResourceRequirements resources(Footprint footprint) {
    return new ResourceRequirementsBuilder()
        .addToRequests("cpu", new Quantity(footprint.cpuRequest()))
        .addToRequests("memory", new Quantity(footprint.memoryRequest()))
        .addToLimits("memory", new Quantity(footprint.memoryLimit()))
        .build();
  }

  static Probe probe(String path, String port, String scheme, int periodSeconds, int failures) {
    return new ProbeBuilder()
        .withNewHttpGet()
        .withPath(path)
        .withNewPort(port)
        .withScheme(scheme)
        .endHttpGet()
        .withPeriodSeconds(periodSeconds)
        .withFailureThreshold(failures)
        .withTimeoutSeconds(3)
        .build();
  }

  /** A container that can do nothing but compute and talk. */
  static SecurityContext confined() {
    return new SecurityContextBuilder()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .build();
  }

  static SeccompProfile runtimeDefault() {
    return new SeccompProfileBuilder().withType("RuntimeDefault").build();
  }

  static ContainerPort port(String name, int number) {
    return new ContainerPortBuilder()
        .withName(name)
        .withContainerPort(number)
        .withProtocol("TCP")
        .build();
  }

  static List<LocalObjectReference> pullSecrets(Blueprint blueprint) {
    return blueprint.settings().imagePullSecrets().orElse(List.of()).stream()
        .map(LocalObjectReference::new)
        .toList();
  }

  static Volume hostFolder(String name, String path, String type) {
    return new VolumeBuilder()
        .withName(name)
        .withNewHostPath()
        .withPath(path)
        .withType(type)
        .endHostPath()
        .build();
  }

  /** A folder of the host under its own name; it is made where it is missing. */
  static Volume hostFolder(String folder) {
    return hostFolder(volume(folder), folder, "DirectoryOrCreate");
  }

  /** Of the volume of a folder of the host, such as {@code etc-cdi}. */
  static String volume(String folder) {
    return folder.substring(1).replace('/', '-');
  }

  static Volume secret(String name, String secret) {
    return new VolumeBuilder()
        .withName(name)
        .withNewSecret()
        .withSecretName(secret)
        .endSecret()
        .build();
  }

  static VolumeMount mount(String name, String path) {
    return new VolumeMountBuilder().withName(name).withMountPath(path).build();
  }

  static VolumeMount readOnly(String name, String path) {
    return new VolumeMountBuilder().withName(name).withMountPath(path).withReadOnly(true).build();
  }

  /** What the host mounts later, such as a driver's folder below /run, has to show up here too. */
  static VolumeMount following(String name, String path) {
    return new VolumeMountBuilder(readOnly(name, path))
        .withMountPropagation("HostToContainer")
        .build();
  }

  static Volume scratch() {
    return new VolumeBuilder()
        .withName("tmp")
        .withNewEmptyDir()
        .withSizeLimit(new Quantity("64Mi"))
        .endEmptyDir()
        .build();
  }

  static VolumeMount scratchMount() {
    return mount("tmp", "/tmp");
  }
}
