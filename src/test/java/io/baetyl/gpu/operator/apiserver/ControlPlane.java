package io.baetyl.gpu.operator.apiserver;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;

/**
 * A real API server and its etcd on loopback, with the product's CRDs, rights and policies as they
 * are shipped; no nodes and no controllers. The programs are those of {@code dev/cluster}.
 */
public final class ControlPlane implements AutoCloseable {
  private static final String TOKEN = "test";
  private static final Duration START = Duration.ofSeconds(60);

  private final Path folder;
  private final List<Process> processes = new ArrayList<>();
  private final int port = freePort();
  private final String etcd = "http://127.0.0.1:" + freePort();
  private final KubernetesClient admin;

  private ControlPlane() throws IOException {
    folder = Files.createTempDirectory("control-plane");
    Files.createDirectory(folder.resolve("bin"));
    // Also when a test ends badly, nothing is left running.
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    Files.writeString(folder.resolve("tokens"), TOKEN + ",admin,admin,system:masters\n");
    Files.writeString(folder.resolve("sa.key"), newKey());
    startEtcd();
    startApiServer();
    await("the API server has made its certificate")
        .atMost(START)
        .until(() -> Files.exists(folder.resolve("certs/apiserver.crt")));
    admin = client(config());
    awaitApiServer();
    install();
  }

  public static ControlPlane start() {
    try {
      return new ControlPlane();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Ends the API server and starts it again; returns once it says that it is ready. */
  public void restartApiServer() {
    try {
      end(processes.removeLast());
      startApiServer();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    awaitApiServer();
  }

  private void awaitApiServer() {
    await("the API server is ready").atMost(START).ignoreExceptions().until(this::isReady);
  }

  private void startEtcd() throws IOException {
    var peer = "http://127.0.0.1:" + freePort();
    run(
        "etcd",
        "--data-dir=" + folder.resolve("etcd"),
        "--listen-client-urls=" + etcd,
        "--advertise-client-urls=" + etcd,
        "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=default=" + peer,
        "--unsafe-no-fsync");
  }

  private void startApiServer() throws IOException {
    run(
        "kube-apiserver",
        "--etcd-servers=" + etcd,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--secure-port=" + port,
        "--cert-dir=" + folder.resolve("certs"),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=" + folder.resolve("sa.key"),
        "--service-account-signing-key-file=" + folder.resolve("sa.key"),
        "--service-cluster-ip-range=10.98.0.0/16",
        "--token-auth-file=" + folder.resolve("tokens"),
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        // Pods would wait for a controller to make the default account of their namespace.
        "--disable-admission-plugins=ServiceAccount");
  }

  /** One program is all of Kubernetes; the name that it is called by says which part. */
  private void run(String name, String... arguments) throws IOException {
    var link = folder.resolve("bin").resolve(name);
    if (!Files.exists(link)) {
      Files.createSymbolicLink(link, program());
    }
    var command = new ArrayList<>(List.of(link.toString()));
    command.addAll(Arrays.asList(arguments));
    processes.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start());
  }

  private static Path program() throws IOException {
    var environment = System.getenv();
    var cache =
        Optional.ofNullable(environment.get("BAETYL_GPU_CACHE"))
            .map(Path::of)
            .orElseGet(
                () ->
                    Optional.ofNullable(environment.get("XDG_CACHE_HOME"))
                        .map(Path::of)
                        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                        .resolve("baetyl-gpu"));
    if (Files.isDirectory(cache)) {
      try (var folders = Files.list(cache)) {
        var newest =
            folders
                .filter(candidate -> candidate.getFileName().toString().matches("kubernetes-\\w+"))
                .map(candidate -> candidate.resolve("kube"))
                .filter(Files::isExecutable)
                .max(Comparator.comparing(candidate -> candidate.toFile().lastModified()));
        if (newest.isPresent()) {
          return newest.get();
        }
      }
    }
    throw new AssertionError("There is no Kubernetes in " + cache + ": run `make tools`");
  }

  private static String newKey() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      var text = new StringWriter();
      try (var writer = new JcaPEMWriter(text)) {
        writer.writeObject(generator.generateKeyPair().getPrivate());
      }
      return text.toString();
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private boolean isReady() {
    return "ok".equals(admin.raw("/readyz"));
  }

  private void install() throws IOException {
    try (var files =
        Stream.of("src/main/resources/crds", "config/rbac", "config/policy")
            .flatMap(ControlPlane::yamlIn)) {
      for (var file : files.toList()) {
        try (var stream = Files.newInputStream(file)) {
          admin.load(stream).items().forEach(this::create);
        }
      }
    }
    await("the API server serves the custom resources")
        .atMost(START)
        .until(() -> admin.supports("gpu.baetyl.io/v1alpha1", "GpuShareProfile"));
  }

  private static Stream<Path> yamlIn(String folder) {
    try (var files = Files.list(Path.of(folder))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.endsWith("kustomization.yaml"))
          .sorted()
          .toList()
          .stream();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void create(HasMetadata object) {
    admin.resource(object).create();
  }

  private Config config() {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl("https://127.0.0.1:" + port)
        .withCaCertFile(folder.resolve("certs/apiserver.crt").toString())
        .withDisableHostnameVerification(true)
        .withOauthToken(TOKEN)
        .withNamespace("default")
        .build();
  }

  private static KubernetesClient client(Config config) {
    return client(config, request -> {});
  }

  private static KubernetesClient client(Config config, Consumer<HttpRequest> asked) {
    HttpClient.Factory jdk = new JdkHttpClientFactory();
    var telling =
        new Interceptor() {
          @Override
          public void before(BasicBuilder basic, HttpRequest request, RequestTags tags) {
            asked.accept(request);
          }
        };
    return new KubernetesClientBuilder()
        .withHttpClientFactory(() -> jdk.newBuilder().addOrReplaceInterceptor("asked", telling))
        .withConfig(config)
        .build();
  }

  /** A client that may do everything. */
  public KubernetesClient admin() {
    return admin;
  }

  /** A client with the rights of a ServiceAccount of the product. */
  public KubernetesClient as(String serviceAccount) {
    return as("kube-system", serviceAccount, Map.of());
  }

  /** The same, which tells each request before it is sent. */
  public KubernetesClient as(String serviceAccount, Consumer<HttpRequest> asked) {
    return client(impersonating("kube-system", serviceAccount, Map.of()), asked);
  }

  /** A client with the rights of an agent's ServiceAccount and the token of its node. */
  public KubernetesClient asAgent(String serviceAccount, String node) {
    return as(
        "kube-system",
        serviceAccount,
        // The key is part of an HTTP header's name, so its slash is escaped.
        Map.of("authentication.kubernetes.io%2fnode-name", List.of(node)));
  }

  /** A client of a ServiceAccount of any namespace. */
  public KubernetesClient as(
      String namespace, String serviceAccount, Map<String, List<String>> extras) {
    return client(impersonating(namespace, serviceAccount, extras));
  }

  /** A client in the group of kubelets, which may write pods of any kind. */
  public KubernetesClient asKubelet() {
    return client(
        new ConfigBuilder(config())
            .withImpersonateUsername("kubelet")
            .withImpersonateGroups("system:nodes", "system:masters")
            .build());
  }

  private Config impersonating(
      String namespace, String serviceAccount, Map<String, List<String>> extras) {
    return new ConfigBuilder(config())
        .withImpersonateUsername("system:serviceaccount:%s:%s".formatted(namespace, serviceAccount))
        .withImpersonateGroups("system:serviceaccounts", "system:authenticated")
        .withImpersonateExtras(extras)
        .build();
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException none) {
      throw new UncheckedIOException(none);
    }
  }

  @Override
  public void close() {
    admin.close();
    stop();
  }

  private static void end(Process process) {
    process.destroy();
    process.onExit().join();
  }

  private void stop() {
    for (var process : processes.reversed()) {
      end(process);
    }
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
