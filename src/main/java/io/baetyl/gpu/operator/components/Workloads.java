package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.certificates.Certificates;
import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.resolve.Demand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Brings the cluster's workloads to what all GpuNodes together need, and removes the rest. */
final class Workloads {
  private final AdmissionKinds kinds;
  private final ObjectStore objects;
  private final Blueprint blueprint;
  private final CertificateSecrets secrets;
  private final Clock clock;

  /**
   * @param owner with which all of it goes
   */
  Workloads(
      KubernetesClient client,
      OwnerReference owner,
      AdmissionKinds kinds,
      Blueprint blueprint,
      Clock clock) {
    this.kinds = kinds;
    this.objects = new ObjectStore(client, owner);
    this.blueprint = blueprint;
    this.secrets = new CertificateSecrets(client, blueprint.namespace());
    this.clock = clock;
  }

  /**
   * @return the name of a component → why it could not be brought up to date
   */
  Map<String, String> reconcile(Demand demand) {
    var attempts = new Attempts();
    if (demand.scheduler()) {
      keepScheduling(demand.resources(), attempts);
    } else {
      dropScheduling(attempts);
    }
    var counted = DevicePlugin.singleDevices(demand.devicePlugins());
    policies(Policies.deviceCounts(counted))
        .forEach(
            policy ->
                attempts.attempt(
                    Names.DEVICE_COUNTS, () -> keepOrDrop(!counted.isEmpty(), policy)));
    DevicePlugin.kinds()
        .forEach(
            kind ->
                attempts.attempt(
                    Names.of(kind),
                    () ->
                        keepOrDrop(
                            demand.devicePlugins().contains(kind),
                            DevicePlugin.of(blueprint, kind))));
    attempts.attempt(Names.METRICS, () -> keepOrDrop(demand.metrics(), MetricsAgent.of(blueprint)));
    return attempts.refusals();
  }

  private void keepOrDrop(boolean wanted, HasMetadata object) {
    if (wanted) {
      objects.keep(object);
    } else {
      objects.drop(object);
    }
  }

  private void keepScheduling(SortedSet<String> resources, Attempts attempts) {
    // Before anybody offers units: a pod that nobody can schedule yet waits, and one that went to
    // another scheduler has been sent past the cards for good.
    attempts
        .attempt(Names.SCHEDULER, () -> policies(resources))
        .ifPresent(policies -> keepAll(policies, attempts));
    attempts
        .attempt(
            Names.EXTENDER,
            () -> secrets.read().renewed(Extender.serverName(blueprint.namespace()), clock))
        .ifPresentOrElse(
            certificates -> keepScheduling(resources, certificates, attempts),
            () -> attempts.blocked(Names.SCHEDULER, Names.EXTENDER));
  }

  private void keepScheduling(
      SortedSet<String> resources, Certificates certificates, Attempts attempts) {
    secrets
        .of(certificates)
        .forEach(secret -> attempts.attempt(Names.EXTENDER, () -> objects.keep(secret)));
    attempts.attempt(Names.EXTENDER, () -> objects.keep(Extender.deployment(blueprint)));
    attempts
        .attempt(Names.EXTENDER, () -> objects.keep(Extender.service(blueprint)))
        .ifPresentOrElse(
            service ->
                attempts.attempt(
                    Names.SCHEDULER,
                    () -> keepScheduler(resources, certificates, service.getSpec().getClusterIP())),
            () -> attempts.blocked(Names.SCHEDULER, Names.EXTENDER));
  }

  private void keepScheduler(
      SortedSet<String> resources, Certificates certificates, String address) {
    var configuration = objects.keep(Scheduler.configMap(blueprint, address, resources));
    var checksum =
        Intent.digest(
            configuration.getData().toString(), new TreeMap<>(certificates.scheduler()).toString());
    objects.keep(Scheduler.deployment(blueprint, checksum, resources));
  }

  private void keepAll(List<HasMetadata> policies, Attempts attempts) {
    policies.forEach(policy -> attempts.attempt(Names.SCHEDULER, () -> objects.keep(policy)));
  }

  private void dropScheduling(Attempts attempts) {
    var leftovers = new ArrayList<HasMetadata>();
    attempts.attempt(Names.SCHEDULER, () -> policies(new TreeSet<>())).ifPresent(leftovers::addAll);
    Collections.reverse(leftovers);
    leftovers.add(Scheduler.deployment(blueprint, "", new TreeSet<>()));
    leftovers.add(Extender.deployment(blueprint));
    leftovers.add(Scheduler.configMap(blueprint, "", new TreeSet<>()));
    leftovers.add(Extender.service(blueprint));
    leftovers.addAll(secrets.of(new Certificates(Map.of(), Map.of(), Map.of())));
    leftovers.forEach(object -> attempts.attempt(Names.SCHEDULER, () -> objects.drop(object)));
  }

  /** API servers before 1.36 have no MutatingAdmissionPolicy; pods then name the scheduler. */
  private List<HasMetadata> policies(SortedSet<String> resources) {
    return policies(Policies.sharingPods(resources));
  }

  private List<HasMetadata> policies(List<HasMetadata> all) {
    return all.stream().filter(policy -> kinds.has(policy.getKind())).toList();
  }
}
