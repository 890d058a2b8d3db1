package io.baetyl.gpu.platform;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/**
 * Finds addresses by name as usual, and never a name by an address. The JDK's HTTPS server asks for
 * the name of every caller, which nobody reads, and waits for the answer: on an edge box DNS may be
 * away, and kube-scheduler must not wait for it. The JDK finds this class through {@code
 * META-INF/services}; it holds for the whole process.
 */
public final class NoReverseLookups extends InetAddressResolverProvider {
  @Override
  public InetAddressResolver get(Configuration configuration) {
    var names = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return names.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        throw new UnknownHostException("names of addresses are not looked up");
      }
    };
  }

  @Override
  public String name() {
    return "no reverse lookups";
  }
}
