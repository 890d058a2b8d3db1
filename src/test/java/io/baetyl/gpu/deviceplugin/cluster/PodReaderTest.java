package io.baetyl.gpu.deviceplugin.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.deviceplugin.allocation.NodePod.Life;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

final class PodReaderTest {
  private static final String RESOURCE = "baidu.com/vcuda-memory";

  @Test
  void readsContainersInTheKubeletsOrder() {
    var pod =
        read(
            """
            metadata:
              name: p
              namespace: apps
              uid: u1
              creationTimestamp: "2026-01-02T03:04:05Z"
              annotations: {gpu.baetyl.io/cards: "u1:main=GPU-a,side=GPU-a"}
            spec:
              initContainers:
              - {name: prepare, resources: {limits: {baidu.com/vcuda-memory: "10"}}}
              - {name: side, restartPolicy: Always, resources: {limits: {baidu.com/vcuda-memory: "2"}}}
              containers:
              - {name: main, resources: {limits: {baidu.com/vcuda-memory: "4", cpu: 1}}}
              - {name: zero, resources: {limits: {baidu.com/vcuda-memory: "0"}}}
              - {name: none}
            status: {phase: Running}
            """);
    var read = PodReader.read(pod, RESOURCE);
    assertThat(read.requests())
        .containsExactly(
            new ContainerRequest("prepare", 10, Kind.INIT),
            new ContainerRequest("side", 2, Kind.SIDECAR),
            new ContainerRequest("main", 4, Kind.APP));
    assertThat(read.decision().orElseThrow().cards()).containsEntry("main", "GPU-a");
    assertThat(read.life()).isEqualTo(Life.LIVING);
    assertThat(read.kubeletUid()).isEqualTo("u1");
  }

  @Test
  void aMirrorPodHasTheUidOfItsFile() {
    var pod =
        read(
            """
            metadata:
              name: p
              namespace: apps
              uid: u1
              annotations:
                kubernetes.io/config.mirror: 0af1
                kubernetes.io/config.hash: 0af1
            spec: {containers: [{name: main}]}
            """);
    assertThat(PodReader.read(pod, RESOURCE).kubeletUid()).isEqualTo("0af1");
    assertThat(PodReader.read(pod, RESOURCE).uid()).isEqualTo("u1");
  }

  @Test
  void aDecisionForAnotherPodDecidesNothing() {
    var pod =
        read(
            """
            metadata:
              name: p
              namespace: apps
              uid: u1
              deletionTimestamp: "2026-01-02T03:04:05Z"
              annotations: {gpu.baetyl.io/cards: "u2:main=GPU-a"}
            spec: {containers: [{name: main}]}
            """);
    assertThat(PodReader.read(pod, RESOURCE).decision()).isEmpty();
    assertThat(PodReader.read(pod, RESOURCE).life()).isEqualTo(Life.DELETING);
  }

  @Test
  void anAbsurdAmountIsTheMostThatTheStatusCanTell() {
    var pod =
        read(
            """
            metadata: {name: p, namespace: apps, uid: u1}
            spec:
              containers:
              - {name: main, resources: {limits: {baidu.com/vcuda-memory: "99999999999999999999"}}}
            status: {phase: Failed}
            """);
    assertThat(PodReader.read(pod, RESOURCE).demand().units()).isEqualTo(262_144);
    assertThat(PodReader.read(pod, RESOURCE).life()).isEqualTo(Life.ENDED);
  }

  private static Pod read(String yaml) {
    return Serialization.unmarshal("apiVersion: v1\nkind: Pod\n" + yaml, Pod.class);
  }
}
