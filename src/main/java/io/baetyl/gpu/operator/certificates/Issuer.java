package io.baetyl.gpu.operator.certificates;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes keys (P-256) and certificates of one year. */
final class Issuer {
  private static final Duration LIFE = Duration.ofDays(365);

  /** Clocks of nodes may be behind. */
  private static final Duration EARLIER = Duration.ofMinutes(5);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Clock clock;

  Issuer(Clock clock) {
    this.clock = clock;
  }

  KeyAndCertificate authority() {
    var keys = newKeys();
    // The serial number tells an authority from the one before it.
    var name = new X500Name("CN=baetyl-gpu-ca-" + clock.instant().getEpochSecond());
    try {
      var certificate =
          certificate(name, name, keys)
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
              .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
      return sign(certificate, keys, keys);
    } catch (CertIOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  KeyAndCertificate server(KeyAndCertificate authority, String name) {
    return leaf(
        authority,
        "baetyl-gpu-scheduler-extender",
        KeyPurposeId.id_kp_serverAuth,
        new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
  }

  KeyAndCertificate client(KeyAndCertificate authority) {
    return leaf(authority, "baetyl-gpu-scheduler", KeyPurposeId.id_kp_clientAuth, null);
  }

  private KeyAndCertificate leaf(
      KeyAndCertificate authority, String name, KeyPurposeId purpose, GeneralNames alternatives) {
    var keys = newKeys();
    var issuer =
        X500Name.getInstance(authority.certificate().getSubjectX500Principal().getEncoded());
    try {
      var certificate =
          certificate(issuer, new X500Name("CN=" + name), keys)
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
              .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
              .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
      if (alternatives != null) {
        certificate.addExtension(Extension.subjectAlternativeName, false, alternatives);
      }
      return sign(
          certificate, keys, new KeyPair(authority.certificate().getPublicKey(), authority.key()));
    } catch (CertIOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private X509v3CertificateBuilder certificate(X500Name issuer, X500Name subject, KeyPair keys) {
    var now = clock.instant();
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(127, RANDOM),
        Date.from(now.minus(EARLIER)),
        Date.from(now.plus(LIFE)),
        subject,
        keys.getPublic());
  }

  private static KeyAndCertificate sign(
      X509v3CertificateBuilder certificate, KeyPair keys, KeyPair authority) {
    try {
      var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate());
      return new KeyAndCertificate(
          keys.getPrivate(),
          new JcaX509CertificateConverter().getCertificate(certificate.build(signer)));
    } catch (OperatorCreationException | GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static KeyPair newKeys() {
    try {
      var generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
