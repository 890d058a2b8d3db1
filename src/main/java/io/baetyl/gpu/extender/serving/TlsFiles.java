package io.baetyl.gpu.extender.serving;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of TLS from the files of a mounted Secret: {@code tls.crt}, {@code tls.key} and
 * {@code ca.crt}. When the files change, new connections use the new ones; files that cannot be
 * read leave the old ones in force.
 */
public final class TlsFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);

  private final Path folder;
  private volatile Material material;

  private record Material(
      List<byte[]> files,
      PrivateKey key,
      X509Certificate[] chain,
      X509ExtendedTrustManager clients) {}

  /**
   * @throws IOException if the files are missing or are no PEM; the message says which
   */
  public TlsFiles(Path folder) throws IOException {
    this.folder = folder;
    this.material = load(read());
  }

  /** When the certificate in force ends. */
  Instant expires() {
    return material.chain[0].getNotAfter().toInstant();
  }

  /** Takes over changed files. */
  public void reload() {
    try {
      var files = read();
      if (!equal(files, material.files)) {
        material = load(files);
        LOG.info("Took over a new certificate. expires={}", expires());
      }
    } catch (IOException unreadable) {
      LOG.warn("Keeping the old certificate. reason={}", unreadable.getMessage());
    }
  }

  private static boolean equal(List<byte[]> one, List<byte[]> other) {
    return Arrays.deepEquals(one.toArray(), other.toArray());
  }

  private List<byte[]> read() throws IOException {
    return List.of(read("tls.crt"), read("tls.key"), read("ca.crt"));
  }

  private byte[] read(String name) throws IOException {
    try {
      return Files.readAllBytes(folder.resolve(name));
    } catch (IOException missing) {
      throw new IOException("cannot read " + folder.resolve(name) + " of --tls-dir", missing);
    }
  }

  private static Material load(List<byte[]> files) throws IOException {
    try {
      var chain = certificates(files.get(0));
      var clients = KeyStore.getInstance(KeyStore.getDefaultType());
      clients.load(null, null);
      for (var authority : certificates(files.get(2))) {
        clients.setCertificateEntry("ca" + clients.size(), authority);
      }
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(clients);
      return new Material(
          files,
          key(files.get(1), chain[0].getPublicKey().getAlgorithm()),
          chain,
          (X509ExtendedTrustManager) trust.getTrustManagers()[0]);
    } catch (GeneralSecurityException | IllegalArgumentException unreadable) {
      throw new IOException(
          "the files of --tls-dir are no certificates and key in PEM: " + unreadable.getMessage(),
          unreadable);
    }
  }

  private static X509Certificate[] certificates(byte[] pem) throws GeneralSecurityException {
    var certificates =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new java.io.ByteArrayInputStream(pem));
    if (certificates.isEmpty()) {
      throw new CertificateException("a file holds no certificate");
    }
    return certificates.toArray(X509Certificate[]::new);
  }

  private static PrivateKey key(byte[] pem, String algorithm) throws GeneralSecurityException {
    var text = new String(pem, java.nio.charset.StandardCharsets.US_ASCII);
    var begin = "-----BEGIN PRIVATE KEY-----";
    int start = text.indexOf(begin);
    int end = text.indexOf("-----END PRIVATE KEY-----");
    if (start < 0 || end < start) {
      throw new CertificateException("tls.key holds no PKCS#8 key (BEGIN PRIVATE KEY)");
    }
    var encoded = Base64.getMimeDecoder().decode(text.substring(start + begin.length(), end));
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  /** A context that looks at the material in force at each handshake. */
  public SSLContext context() throws GeneralSecurityException {
    var context = SSLContext.getInstance("TLS");
    context.init(
        new KeyManager[] {new ServerKey()}, new TrustManager[] {new ClientAuthorities()}, null);
    return context;
  }

  private final class ServerKey extends X509ExtendedKeyManager {
    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
      return alias(keyType);
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
      return alias(keyType);
    }

    private String alias(String keyType) {
      return keyType.equals(material.key.getAlgorithm()) ? "server" : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return material.chain.clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return material.key;
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
      return new String[] {"server"};
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
      return new String[0];
    }

    @Override
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
      return null;
    }
  }

  private final class ClientAuthorities extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      material.clients.checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      material.clients.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      material.clients.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("a server only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      throw new CertificateException("a server only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("a server only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return material.clients.getAcceptedIssuers();
    }
  }
}
