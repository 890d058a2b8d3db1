package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.certificates.Certificates;
import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.resolve.Demand;
import io.fabric8.kubernetes.api.model.HasMetadata;
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
  private final KubernetesClient client;
  private final ObjectStore objects;
  private final Blueprint blueprint;
  private final CertificateSecrets secrets;
  private final Clock clock;

  Workloads(KubernetesClient client, Blueprint blueprint, Clock clock) {
    this.client = client;
    this.objects = new ObjectStore(client);
    this.blueprint = blueprint;
    this.secrets = new CertificateSecrets(client, blueprint.namespace());
    this.clock = clock;
  }

  void reconcile(Demand demand) {
    if (demand.scheduler()) {
      keepScheduling(demand.resources());
    } else {
      dropScheduling();
    }
    keepOrDrop(demand.devicePlugin(), SharedDevicePlugin.of(blueprint));
    keepOrDrop(demand.metrics(), MetricsAgent.of(blueprint));
  }

  private void keepOrDrop(boolean wanted, HasMetadata object) {
    if (wanted) {
      objects.keep(object);
    } else {
      objects.drop(object);
    }
  }

  /** Pods are sent to the scheduler last, when there is one. */
  private void keepScheduling(SortedSet<String> resources) {
    var certificates = secrets.read().renewed(Extender.serverName(blueprint.namespace()), clock);
    secrets.of(certificates).forEach(objects::keep);
    var address = objects.keep(Extender.service(blueprint)).getSpec().getClusterIP();
    var configuration = objects.keep(Scheduler.configMap(blueprint, address, resources));
    objects.keep(Extender.deployment(blueprint));
    var checksum =
        Intent.digest(
            configuration.getData().toString(), new TreeMap<>(certificates.scheduler()).toString());
    objects.keep(Scheduler.deployment(blueprint, checksum));
    policies(resources).forEach(objects::keep);
  }

  private void dropScheduling() {
    var leftovers = new ArrayList<HasMetadata>(policies(new TreeSet<>()));
    Collections.reverse(leftovers);
    leftovers.add(Scheduler.deployment(blueprint, ""));
    leftovers.add(Extender.deployment(blueprint));
    leftovers.add(Scheduler.configMap(blueprint, "", new TreeSet<>()));
    leftovers.add(Extender.service(blueprint));
    leftovers.addAll(secrets.of(new Certificates(Map.of(), Map.of(), Map.of())));
    leftovers.forEach(objects::drop);
  }

  /** API servers before 1.36 have no MutatingAdmissionPolicy; pods then name the scheduler. */
  private List<HasMetadata> policies(SortedSet<String> resources) {
    return Policies.all(resources).stream()
        .filter(policy -> client.supports(policy.getApiVersion(), policy.getKind()))
        .toList();
  }
}
