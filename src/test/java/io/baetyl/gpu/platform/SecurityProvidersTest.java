package io.baetyl.gpu.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.security.Security;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

final class SecurityProvidersTest {

  /** In a JVM of its own: the list is read once. */
  static final class Program {
    public static void main(String[] args) throws Exception {
      SecurityProviders.keepThoseAtHand();
      SSLContext.getInstance("TLS").init(null, null, null);
      Arrays.stream(Security.getProviders())
          .forEach(provider -> System.out.println(provider.getName()));
    }
  }

  @Test
  void tlsWorksWithTheFiveThatAreAtHand() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var program =
        new ProcessBuilder(
                java, "-cp", System.getProperty("java.class.path"), Program.class.getName())
            .redirectErrorStream(true)
            .start();

    assertThat(program.inputReader().lines())
        .containsExactlyInAnyOrder("SUN", "SunRsaSign", "SunEC", "SunJSSE", "SunJCE");
    assertThat(program.waitFor()).isZero();
  }
}
