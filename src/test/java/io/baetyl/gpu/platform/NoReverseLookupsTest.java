package io.baetyl.gpu.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class NoReverseLookupsTest {
  @Test
  void anAddressHasNoNameAndANameHasItsAddress() throws Exception {
    var loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    assertThat(loopback.getHostName()).as("though /etc/hosts has one").isEqualTo("127.0.0.1");
    assertThat(InetAddress.getAllByName("localhost")).contains(loopback);
  }
}
