package io.baetyl.gpu.platform;

import java.security.Security;
import java.util.Set;

/** The security providers that this process may use. */
public final class SecurityProviders {
  /** Those that the JDK makes without a search; all that TLS needs is in them. */
  private static final Set<String> FOUND_AT_ONCE =
      Set.of("SUN", "SunRsaSign", "SunEC", "SunJSSE", "SunJCE");

  private SecurityProviders() {}

  /**
   * Takes every other provider off the JDK's list; to be called before anything uses one.
   *
   * <p>The image's Java runtime lacks most of the others, and in search of a name that it does not
   * find the JDK makes an instance of every provider on the class path. Bouncy Castle's costs each
   * process 14 MiB and most of a second, and only the operator uses that library, not as a
   * provider.
   */
  public static void keepThoseAtHand() {
    for (int number = 1; Security.getProperty(key(number)) != null; number++) {
      if (!FOUND_AT_ONCE.contains(Security.getProperty(key(number)))) {
        // There is no way to remove an entry. One that repeats another is passed over.
        Security.setProperty(key(number), "SUN");
      }
    }
  }

  private static String key(int number) {
    return "security.provider." + number;
  }
}
