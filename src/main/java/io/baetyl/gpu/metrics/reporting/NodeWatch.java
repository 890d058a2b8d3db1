package io.baetyl.gpu.metrics.reporting;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agent's side of the API server: watches its GpuNode, writes its status. */
public final class NodeWatch implements AutoCloseable, Reporter.StatusWriter {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager(FieldManagers.METRICS)
          .withForce(true)
          .build();

  private final KubernetesClient client;
  private final SharedIndexInformer<GpuNode> informer;
  private final AtomicBoolean away = new AtomicBoolean();

  /** Starts to watch; also where the API server cannot be reached yet. */
  public NodeWatch(KubernetesClient client, String nodeName, NodeView view) {
    this.client = client;
    this.informer =
        client
            .resources(GpuNode.class)
            .withName(nodeName)
            .runnableInformer(0)
            .addEventHandler(handler(view));
    informer.exceptionHandler((started, why) -> retry(why));
    informer.start();
  }

  private boolean retry(Throwable why) {
    if (!away.getAndSet(true)) {
      LOG.warn("Cannot watch the API server; trying again. reason={}", why.getMessage());
      LOG.debug("Cannot watch the API server", why);
    }
    return true;
  }

  private ResourceEventHandler<GpuNode> handler(NodeView view) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(GpuNode node) {
        back();
        view.see(node);
      }

      @Override
      public void onUpdate(GpuNode before, GpuNode node) {
        onAdd(node);
      }

      @Override
      public void onDelete(GpuNode node, boolean unknown) {
        back();
        view.lose();
      }
    };
  }

  private void back() {
    if (away.getAndSet(false)) {
      LOG.info("The API server is watched again.");
    }
  }

  @Override
  public GpuNode apply(GpuNode fresh) {
    return client.resource(fresh).subresource("status").patch(APPLY);
  }

  @Override
  public void close() {
    informer.close();
  }
}
