package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What admission does to pods, and what they are made from, that ask for too many devices. */
class DeviceCountsIT {
  private static final String RESOURCE = "bitmain.com/bm1684";
  private static ControlPlane controlPlane;

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    controlPlane
        .admin()
        .resourceList(
            new ArrayList<>(Policies.deviceCounts(new TreeSet<>(Set.of(RESOURCE, RESOURCE + "x")))))
        .create();
    await("the policy is in force")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertRefused("Pod", RESOURCE, "2"));
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  private static HasMetadata object(String kind, String resource, String count) {
    var pod =
        """
        restartPolicy: Never
        containers:
        - {name: beside, image: app}
        - name: app
          image: app
          resources: {limits: {%s: %s}}
        """
            .formatted(resource, count);
    var labelled = "metadata: {labels: {app: a}}\nspec:\n" + pod.indent(2);
    return Serialization.unmarshal(
        switch (kind) {
          case "Pod" -> "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + pod.indent(2);
          case "Deployment" ->
              """
              apiVersion: apps/v1
              kind: Deployment
              metadata: {name: a}
              spec:
                selector: {matchLabels: {app: a}}
                template:
              """
                  + labelled.replace("restartPolicy: Never\n", "restartPolicy: Always\n").indent(4);
          case "Job" ->
              "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n"
                  + labelled.indent(4);
          case "CronJob" ->
              "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  schedule: '@daily'\n  jobTemplate:\n    spec:\n      template:\n"
                  + labelled.indent(8);
          default -> throw new IllegalArgumentException(kind);
        });
  }

  private static void create(String kind, String resource, String count) {
    controlPlane
        .admin()
        .resource(object(kind, resource, count))
        .inNamespace("default")
        .dryRun(true)
        .create();
  }

  private static void assertRefused(String kind, String resource, String count) {
    assertThatThrownBy(() -> create(kind, resource, count))
        .hasMessageContaining(
            "container app asks for more than one of "
                + resource
                + ", of which a container can have one: set the limit to 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Pod", "Deployment", "Job", "CronJob"})
  void moreThanOneIsRefusedWhereItsAuthorSeesIt(String kind) {
    assertRefused(kind, RESOURCE, "2");
    assertRefused(kind, RESOURCE + "x", "1k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Pod", "Deployment", "Job", "CronJob"})
  void oneIsTaken(String kind) {
    assertThatCode(() -> create(kind, RESOURCE, "1")).doesNotThrowAnyException();
  }

  @Test
  void otherResourcesAreNobodysBusiness() {
    assertThatCode(() -> create("Pod", "example.com/other", "2")).doesNotThrowAnyException();
  }
}
