package io.baetyl.gpu.extender.filtering;

import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;

/** Scores nodes for a pod ({@code HostPriorityList}). To be used again for call after call. */
public final class Prioritize implements Verb {
  private final NodeQuestion question;

  public Prioritize(Picture picture) {
    this.question = new NodeQuestion(picture);
  }

  @Override
  public void answer(byte[] body, int length, JsonBytes out) throws MalformedCall {
    question.read(body, length);
    out.raw('[');
    for (int index = 0; index < question.count(); index++) {
      var node = question.node(index);
      var view = node.view().leftFor(question.pod());
      var demand = view.demandOf(question.pod());
      out.raw(index == 0 ? "{\"Host\":" : ",{\"Host\":")
          .raw(node.json())
          .raw(",\"Score\":")
          .number(demand == null ? 0 : view.cards().score(demand))
          .raw('}');
    }
    out.raw(']');
  }

  /** The answer has no place for an error; without scores kube-scheduler goes by its own. */
  @Override
  public void fail(String error, JsonBytes out) {
    out.raw("[]");
  }
}
