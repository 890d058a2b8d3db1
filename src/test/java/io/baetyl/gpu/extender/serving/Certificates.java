package io.baetyl.gpu.extender.serving;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority to test with. */
public final class Certificates {
  private final KeyPair keys = keys();
  private final X509Certificate authority;
  private int serial = 1;

  /** A certificate and its key. */
  public record Identity(X509Certificate certificate, PrivateKey key) {}

  public Certificates() {
    authority = sign("authority", keys, true);
  }

  public Identity issue(String name) {
    var own = keys();
    return new Identity(sign(name, own, false), own.getPrivate());
  }

  /** Lays the files of a server's Secret into a folder. */
  public void writeServer(Path folder, Identity server) throws IOException {
    Files.writeString(folder.resolve("tls.crt"), pem("CERTIFICATE", encoded(server.certificate)));
    Files.writeString(folder.resolve("tls.key"), pem("PRIVATE KEY", server.key.getEncoded()));
    Files.writeString(folder.resolve("ca.crt"), pem("CERTIFICATE", encoded(authority)));
  }

  /** What a client needs to call a server of this authority; with no identity, none is shown. */
  public SSLContext client(Identity client) {
    try {
      var trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("ca", authority);
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      var own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      if (client != null) {
        own.setKeyEntry(
            "client", client.key, new char[0], new X509Certificate[] {client.certificate});
      }
      var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(own, new char[0]);
      var context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static KeyPair keys() {
    try {
      var generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private X509Certificate sign(String name, KeyPair subject, boolean isAuthority) {
    try {
      var now = Instant.now();
      var builder =
          new JcaX509v3CertificateBuilder(
              new X500Principal("CN=authority"),
              BigInteger.valueOf(serial++),
              Date.from(now.minus(Duration.ofMinutes(1))),
              Date.from(now.plus(Duration.ofDays(1))),
              new X500Principal("CN=" + name),
              subject.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(
              new GeneralName[] {
                new GeneralName(GeneralName.dNSName, "localhost"),
                new GeneralName(GeneralName.iPAddress, "127.0.0.1")
              }));
      var signed =
          builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(signed.getEncoded()));
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static byte[] encoded(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (java.security.cert.CertificateEncodingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String pem(String kind, byte[] encoded) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(encoded)
        + "\n-----END "
        + kind
        + "-----\n";
  }
}
