package io.baetyl.gpu;

import picocli.CommandLine.IVersionProvider;

/** The version of the product, from the jar's manifest. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    var version = Version.class.getPackage().getImplementationVersion();
    return new String[] {version == null ? "development" : version};
  }
}
