package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.certificates.Certificates;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The Secrets that hold the certificates. */
final class CertificateSecrets {
  private final KubernetesClient client;
  private final String namespace;

  CertificateSecrets(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  Certificates read() {
    return new Certificates(
        data(Names.CA_SECRET), data(Names.EXTENDER_SECRET), data(Names.SCHEDULER_SECRET));
  }

  List<Secret> of(Certificates certificates) {
    return List.of(
        secret(Names.CA_SECRET, certificates.authority()),
        secret(Names.EXTENDER_SECRET, certificates.extender()),
        secret(Names.SCHEDULER_SECRET, certificates.scheduler()));
  }

  private Map<String, String> data(String name) {
    var secret = client.secrets().inNamespace(namespace).withName(name).get();
    return secret == null || secret.getData() == null
        ? Map.of()
        : secret.getData().entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    entry ->
                        new String(
                            Base64.getDecoder().decode(entry.getValue()), StandardCharsets.UTF_8)));
  }

  private Secret secret(String name, Map<String, String> texts) {
    var encoder = Base64.getEncoder();
    var secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .withLabels(Names.labels(name))
            .endMetadata()
            .withType("Opaque");
    texts.forEach(
        (key, text) ->
            secret.addToData(key, encoder.encodeToString(text.getBytes(StandardCharsets.UTF_8))));
    return secret.build();
  }
}
