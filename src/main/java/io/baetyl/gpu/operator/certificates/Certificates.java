package io.baetyl.gpu.operator.certificates;

import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The authority and the two certificates that it signs, as the data of their Secrets ({@code
 * tls.crt}, {@code tls.key}, {@code ca.crt}, in PEM).
 *
 * @param authority of the operator, who alone reads its key
 * @param extender what the extender shows to the scheduler
 * @param scheduler what the scheduler shows to the extender
 */
public record Certificates(
    Map<String, String> authority, Map<String, String> extender, Map<String, String> scheduler) {
  static final String CERTIFICATE = "tls.crt";
  static final String KEY = "tls.key";
  static final String AUTHORITIES = "ca.crt";

  /**
   * These certificates, with those renewed that are missing, cannot be read, do not fit together,
   * or have lived two thirds of their life. What need not change stays as it is.
   *
   * <p>A new authority signs both certificates anew, and both sides go on trusting the one before
   * it. Until the kubelet has brought the extender its new files, within a minute or two, the
   * scheduler's calls fail and are repeated.
   *
   * @param serverName the name that the scheduler asks the extender to prove
   */
  public Certificates renewed(String serverName, Clock clock) {
    var now = clock.instant();
    var issuer = new Issuer(clock);
    var previous = KeyAndCertificate.read(authority.get(CERTIFICATE), authority.get(KEY));
    var current = previous.filter(known -> !known.isDue(now)).orElseGet(issuer::authority);
    var trusted =
        previous
            .filter(old -> !old.equals(current))
            .map(old -> current.certificatePem() + old.certificatePem())
            .orElseGet(
                () ->
                    extender.getOrDefault(AUTHORITIES, "").startsWith(current.certificatePem())
                        ? extender.get(AUTHORITIES)
                        : current.certificatePem());
    return new Certificates(
        Map.of(CERTIFICATE, current.certificatePem(), KEY, current.keyPem()),
        leaf(extender, current, trusted, clock, () -> issuer.server(current, serverName)),
        leaf(scheduler, current, trusted, clock, () -> issuer.client(current)));
  }

  private static Map<String, String> leaf(
      Map<String, String> data,
      KeyAndCertificate authority,
      String trusted,
      Clock clock,
      Supplier<KeyAndCertificate> issue) {
    var leaf =
        KeyAndCertificate.read(data.get(CERTIFICATE), data.get(KEY))
            .filter(known -> !known.isDue(clock.instant()) && known.isSignedBy(authority))
            .orElseGet(issue);
    return Map.of(CERTIFICATE, leaf.certificatePem(), KEY, leaf.keyPem(), AUTHORITIES, trusted);
  }
}
