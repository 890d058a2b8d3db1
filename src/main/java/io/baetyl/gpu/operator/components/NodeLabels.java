package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The two labels that bring the agents to a node, and nothing else of it. */
final class NodeLabels {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLabels.class);
  private static final Set<String> OURS =
      Set.of(WellKnownLabels.ACCELERATOR, WellKnownLabels.ALLOCATION);

  private final KubernetesClient client;

  NodeLabels(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Labels nodes that need it, and clears those that have labels of ours without a GpuNode.
   *
   * @param there the labels of every node
   * @param wanted our labels of every node that is to have them
   * @return the name of a node → why it could not be labelled
   */
  Map<String, String> reconcile(
      Map<String, Map<String, String>> there, Map<String, Map<String, String>> wanted) {
    var attempts = new Attempts();
    there.forEach(
        (node, labels) ->
            attempts.attempt(
                node, () -> reconcile(node, labels, wanted.getOrDefault(node, Map.of()))));
    return attempts.refusals();
  }

  private void reconcile(String node, Map<String, String> there, Map<String, String> wanted) {
    var ours = new HashMap<>(there);
    ours.keySet().retainAll(OURS);
    if (ours.equals(wanted)) {
      return;
    }
    LOG.info("Label node. node={} labels={}", node, wanted);
    if (wanted.isEmpty()) {
      clear(node);
    } else {
      client
          .resource(
              new NodeBuilder()
                  .withNewMetadata()
                  .withName(node)
                  .withLabels(wanted)
                  .endMetadata()
                  .build())
          .fieldManager(FieldManagers.OPERATOR)
          .forceConflicts()
          .serverSideApply();
    }
  }

  /** By a merge patch, which removes a label also where a restored backup lost who owns it. */
  private void clear(String node) {
    var nothing =
        "{\"metadata\":{\"labels\":{\"%s\":null,\"%s\":null}}}"
            .formatted(WellKnownLabels.ACCELERATOR, WellKnownLabels.ALLOCATION);
    client
        .nodes()
        .withName(node)
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(FieldManagers.OPERATOR)
                .build(),
            nothing);
  }
}
