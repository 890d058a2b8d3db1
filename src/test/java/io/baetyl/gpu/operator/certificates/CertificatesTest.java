package io.baetyl.gpu.operator.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CertificatesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final String SERVER = "baetyl-gpu-scheduler-extender.kube-system.svc";
  private static final Certificates NONE = new Certificates(Map.of(), Map.of(), Map.of());

  private static Certificates made(Instant when) {
    return NONE.renewed(SERVER, at(when));
  }

  private static Clock at(Instant when) {
    return Clock.fixed(when, ZoneOffset.UTC);
  }

  private static KeyAndCertificate read(Map<String, String> data) {
    return KeyAndCertificate.read(data.get("tls.crt"), data.get("tls.key")).orElseThrow();
  }

  @Test
  void bothSidesAreSignedByTheAuthorityThatBothTrust() throws Exception {
    var made = made(NOW);

    var authority = read(made.authority());
    assertThat(read(made.extender()).isSignedBy(authority)).isTrue();
    assertThat(read(made.scheduler()).isSignedBy(authority)).isTrue();
    assertThat(made.extender().get("ca.crt")).isEqualTo(authority.certificatePem());
    assertThat(read(made.extender()).certificate().getSubjectAlternativeNames().toString())
        .contains(SERVER);
    assertThat(read(made.scheduler()).certificate().getExtendedKeyUsage())
        .containsExactly("1.3.6.1.5.5.7.3.2");
  }

  @Test
  void keysAreWrittenInTheFormThatEverybodyReads() {
    assertThat(made(NOW).extender().get("tls.key")).startsWith("-----BEGIN PRIVATE KEY-----");
  }

  @Test
  void nothingChangesBeforeTwoThirdsOfTheirLife() {
    var made = made(NOW);

    assertThat(made.renewed(SERVER, at(NOW.plus(Duration.ofDays(243))))).isEqualTo(made);
  }

  @Test
  void allAreRenewedAtTwoThirdsAndTheOldAuthorityStaysTrusted() {
    var made = made(NOW);

    var renewed = made.renewed(SERVER, at(NOW.plus(Duration.ofDays(244))));

    assertThat(read(renewed.authority())).isNotEqualTo(read(made.authority()));
    assertThat(read(renewed.extender()).isSignedBy(read(renewed.authority()))).isTrue();
    assertThat(renewed.scheduler().get("ca.crt"))
        .isEqualTo(renewed.authority().get("tls.crt") + made.authority().get("tls.crt"));
  }

  @Test
  void aRenewalIsStableToo() {
    var later = NOW.plus(Duration.ofDays(244));
    var renewed = made(NOW).renewed(SERVER, at(later));

    assertThat(renewed.renewed(SERVER, at(later.plus(Duration.ofDays(1))))).isEqualTo(renewed);
  }

  @Test
  void aDamagedCertificateIsMadeAnewAndTheOthersStay() {
    var made = made(NOW);
    var damaged = new HashMap<>(made.scheduler());
    damaged.put("tls.key", "no key");

    var renewed =
        new Certificates(made.authority(), made.extender(), damaged).renewed(SERVER, at(NOW));

    assertThat(renewed.authority()).isEqualTo(made.authority());
    assertThat(renewed.extender()).isEqualTo(made.extender());
    assertThat(read(renewed.scheduler()).isSignedBy(read(made.authority()))).isTrue();
  }
}
