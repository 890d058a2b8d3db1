package io.baetyl.gpu.extender.pods;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Map;

/**
 * A pod as far as the extender reads it. Decoding only these fields costs a tenth of decoding whole
 * pods, and every pod of the cluster passes here.
 */
@Group("")
@Version("v1")
@Kind("Pod")
@Singular("pod")
@Plural("pods")
// Fabric8's interfaces bring a deserializer along that goes by apiVersion and kind, which
// kube-scheduler does not send.
@JsonDeserialize(using = JsonDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public final class WatchedPod implements HasMetadata, Namespaced {
  private String apiVersion = "v1";
  private String kind = "Pod";

  @JsonIgnoreProperties({"managedFields", "labels", "ownerReferences", "finalizers"})
  private ObjectMeta metadata;

  private Spec spec;
  private Status status;

  /**
   * What is read of the spec.
   *
   * @param nodeName the node that the pod is bound to; absent while it waits
   * @param priority by which it may push out others; absent counts as 0
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Spec(
      String nodeName,
      Integer priority,
      List<Container> containers,
      List<Container> initContainers) {}

  /** What is read of a container; restartPolicy makes an init container a sidecar. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Container(String name, String restartPolicy, Resources resources) {}

  /** The amounts that a container asks for, as the user wrote them. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Resources(Map<String, Object> limits, Map<String, Object> requests) {}

  /**
   * What is read of the status.
   *
   * @param nominatedNodeName the node on which kube-scheduler makes room for the pod, by preemption
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Status(String phase, List<PodCondition> conditions, String nominatedNodeName) {}

  /** A condition of the pod; PodScheduled tells whether a scheduler has refused it. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record PodCondition(String type, String status) {}

  @Override
  public String getApiVersion() {
    return apiVersion;
  }

  @Override
  public void setApiVersion(String apiVersion) {
    this.apiVersion = apiVersion;
  }

  @Override
  public String getKind() {
    return kind;
  }

  public void setKind(String kind) {
    this.kind = kind;
  }

  @Override
  public ObjectMeta getMetadata() {
    return metadata;
  }

  @Override
  public void setMetadata(ObjectMeta metadata) {
    this.metadata = metadata;
  }

  public Spec getSpec() {
    return spec;
  }

  public void setSpec(Spec spec) {
    this.spec = spec;
  }

  public Status getStatus() {
    return status;
  }

  public void setStatus(Status status) {
    this.status = status;
  }
}
