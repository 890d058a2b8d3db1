package io.baetyl.gpu;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The walls between the packages: what each may import of ours. */
class ArchitectureTest {
  private static final String ROOT = "io.baetyl.gpu";
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(ROOT);

  private static final Path SOURCES = Path.of("src/main/java/io/baetyl/gpu");

  /** The list of them, the API's enum, and the default and the help of an option. */
  private static final Set<String> KNOW_VENDORS =
      Set.of(
          "accelerator/Vendors.java",
          "api/v1alpha1/AcceleratorType.java",
          "deviceplugin/DevicePluginOptions.java");

  /** Generated from the kubelet's protocol, so everybody's who talks to it. */
  private static final String KUBELET = "kubelet";

  static Stream<Arguments> walls() {
    return Stream.of(
        Arguments.of("api", List.of()),
        Arguments.of("model", List.of("api")),
        Arguments.of("accelerator", List.of("model", "api")),
        Arguments.of("platform", List.of()),
        Arguments.of("metrics", List.of("api", "model", "accelerator", "platform")),
        Arguments.of("deviceplugin", List.of("api", "model", "accelerator", "platform", KUBELET)),
        Arguments.of("extender", List.of("api", "model", "platform")),
        Arguments.of("operator", List.of("api", "model", "platform")));
  }

  /**
   * The rooms of the extender, those further in first; none knows of whoever puts them together.
   */
  static Stream<Arguments> rooms() {
    return Stream.of(
        room("extender", "counting"),
        room("extender", "wire"),
        room("extender", "pods", "wire"),
        room("extender", "picture", "pods"),
        room("extender", "apiserver", "pods"),
        room("extender", "waking", "counting", "pods", "picture", "apiserver"),
        room("extender", "filtering", "wire", "pods", "picture", "waking"),
        room("extender", "binding", "counting", "wire", "pods", "picture", "apiserver"),
        room("extender", "preemption", "wire", "pods", "picture"),
        room("extender", "watching", "pods", "picture", "waking"),
        room("extender", "serving", "counting", "wire"),
        room("deviceplugin", "allocation"),
        room("deviceplugin", "sharing", "allocation"),
        room("deviceplugin", "wholedevices", "allocation"),
        room("deviceplugin", "node"),
        Arguments.of(
            "deviceplugin.kubelet",
            List.of("deviceplugin.allocation", "accelerator", "api", "model", "platform", KUBELET)),
        Arguments.of("deviceplugin.cluster", List.of("deviceplugin", "api", "model", "platform")));
  }

  private static Arguments room(String role, String name, String... others) {
    return Arguments.of(
        role + "." + name,
        Stream.concat(
                Stream.of(others).map(other -> role + "." + other),
                Stream.of("api", "model", "platform"))
            .toList());
  }

  @ParameterizedTest
  @MethodSource({"walls", "rooms"})
  void aPackageImportsOnlyWhatItMay(String name, List<String> allowed) {
    var ours = resideInAnyPackage(ROOT + "..");
    var permitted =
        resideInAnyPackage(
            Stream.concat(Stream.of(name), allowed.stream())
                .map(allowedName -> ROOT + "." + allowedName + "..")
                .toArray(String[]::new));
    DescribedPredicate<JavaClass> forbidden =
        ours.and(DescribedPredicate.not(permitted)).as("be outside %s and %s", name, allowed);
    if (name.equals("operator")) {
      forbidden = forbidden.and(DescribedPredicate.not(SAYS_WHAT_IS_REQUIRED));
    }
    ArchRule wall =
        noClasses()
            .that()
            .resideInAPackage(ROOT + "." + name + "..")
            .should()
            .dependOnClassesThat(forbidden);
    wall.check(PRODUCT);
  }

  /** Of the vendors, the operator knows what their agents have to be given, and no more. */
  private static final DescribedPredicate<JavaClass> SAYS_WHAT_IS_REQUIRED =
      DescribedPredicate.describe(
          "say what a vendor requires",
          type ->
              type.isEquivalentTo(Requirements.class)
                  || type.isEquivalentTo(Requirements.DeviceResource.class)
                  || type.isEquivalentTo(Requirements.Driver.class)
                  || type.isEquivalentTo(Vendors.class));

  /** Adding a vendor is adding a folder. */
  @Test
  void vendorsAreKnownToTheListOfThemAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".accelerator.*..")
        .and()
        .doNotBelongToAnyOf(Vendors.class)
        .should()
        .dependOnClassesThat(resideInAnyPackage(ROOT + ".accelerator.*.."))
        .check(PRODUCT);
  }

  @Test
  void noVendorKnowsAnother() {
    slices()
        .matching(ROOT + ".accelerator.(*)..")
        .should()
        .notDependOnEachOther()
        .ignoreDependency(
            DescribedPredicate.alwaysTrue(),
            resideInAnyPackage(
                ROOT + ".accelerator.library..",
                ROOT + ".accelerator.cdi..",
                ROOT + ".accelerator.kernel.."))
        .check(PRODUCT);
  }

  /** What knows a type by its name would have to learn the name of the next one. */
  @Test
  void typesAreNamedByTheirVendorsAlone() {
    DescribedPredicate<JavaFieldAccess> namesAType =
        DescribedPredicate.describe(
            "name a type of accelerator",
            access ->
                access.getTargetOwner().isEquivalentTo(AcceleratorType.class)
                    && Vendors.types().stream()
                        .anyMatch(type -> type.name().equals(access.getName())));
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".accelerator.*..")
        .and()
        .doNotBelongToAnyOf(AcceleratorType.class)
        .should()
        .accessFieldWhere(namesAType)
        .check(PRODUCT);
  }

  /** Nor do sentences and settings: comments may give examples. */
  @Test
  void whatIsSaidOutsideOfAVendorNamesNone() throws IOException {
    var names =
        Pattern.compile(
            "nvidia|nvrm|\\bxid|jetson|tegra|ascend|huawei|davinci|bitmain|sophon|bm1684",
            Pattern.CASE_INSENSITIVE);
    var comments = Pattern.compile("/\\*[\\s\\S]*?\\*/|//[^\\n]*|(?m)^import .*$");
    var spoken = new TreeMap<String, List<String>>();
    try (var sources = Files.walk(SOURCES)) {
      for (var source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        var path = SOURCES.relativize(source).toString();
        var text = comments.matcher(Files.readString(source)).replaceAll("");
        var found = names.matcher(text).results().map(MatchResult::group).toList();
        if (!path.matches("accelerator/\\w+/.*") && !found.isEmpty()) {
          spoken.put(path, found);
        }
      }
    }

    assertThat(spoken).containsOnlyKeys(KNOW_VENDORS);
  }

  @Test
  void theDomainIsPure() {
    classes()
        .that()
        .resideInAPackage(ROOT + ".model..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(ROOT + ".model..", ROOT + ".api..", "java.lang..", "java.util.."))
        .check(PRODUCT);
  }

  @Test
  void theApiKnowsOfTheClientOnlyTheCustomResource() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".api..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.fabric8.kubernetes.client..")
                .and(
                    DescribedPredicate.not(
                        type(io.fabric8.kubernetes.client.CustomResource.class))))
        .check(PRODUCT);
  }

  @Test
  void everyRoomHasItsWall() {
    var walled = rooms().map(room -> ROOT + "." + room.get()[0]).toList();
    assertThat(PRODUCT)
        .filteredOn(type -> type.getPackageName().startsWith(ROOT + ".extender."))
        .allMatch(type -> walled.contains(type.getPackageName()));
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(PRODUCT);
    slices().matching(ROOT + ".extender.(*)..").should().beFreeOfCycles().check(PRODUCT);
    slices().matching(ROOT + ".deviceplugin.(*)..").should().beFreeOfCycles().check(PRODUCT);
  }

  @Test
  void noNameSaysNothing() {
    var empty = Arrays.asList("Util", "Utils", "Helper", "Manager", "Base");
    assertThat(PRODUCT)
        .filteredOn(type -> !type.getPackageName().startsWith(ROOT + "." + KUBELET))
        .noneMatch(type -> empty.stream().anyMatch(type.getSimpleName()::endsWith));
  }
}
