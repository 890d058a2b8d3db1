package io.baetyl.gpu.operator.certificates;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.util.io.pem.PemGenerationException;

/** A certificate and its private key. */
record KeyAndCertificate(PrivateKey key, X509Certificate certificate) {

  /** Reads both from PEM; empty where either is missing or cannot be read. */
  static Optional<KeyAndCertificate> read(String certificatePem, String keyPem) {
    if (certificatePem == null || keyPem == null) {
      return Optional.empty();
    }
    try (var parser = new PEMParser(new StringReader(keyPem))) {
      var certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(
                      new ByteArrayInputStream(certificatePem.getBytes(StandardCharsets.UTF_8)));
      return parser.readObject() instanceof PrivateKeyInfo key
          ? Optional.of(
              new KeyAndCertificate(new JcaPEMKeyConverter().getPrivateKey(key), certificate))
          : Optional.empty();
    } catch (IOException | GeneralSecurityException unreadable) {
      return Optional.empty();
    }
  }

  /** Whether two thirds of its life are over. */
  boolean isDue(Instant now) {
    var from = certificate.getNotBefore().toInstant();
    var life = Duration.between(from, certificate.getNotAfter().toInstant());
    return now.isAfter(from.plus(life.multipliedBy(2).dividedBy(3)));
  }

  boolean isSignedBy(KeyAndCertificate authority) {
    try {
      certificate.verify(authority.certificate().getPublicKey());
      return true;
    } catch (GeneralSecurityException another) {
      return false;
    }
  }

  String certificatePem() {
    return pem(certificate);
  }

  /** In PKCS #8, which Java and Go read alike. */
  String keyPem() {
    try {
      return pem(new JcaPKCS8Generator(key, null));
    } catch (PemGenerationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String pem(Object object) {
    var text = new StringWriter();
    try (var writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    return text.toString();
  }
}
