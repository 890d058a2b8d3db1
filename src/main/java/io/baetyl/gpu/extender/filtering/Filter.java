package io.baetyl.gpu.extender.filtering;

import io.baetyl.gpu.extender.picture.NodeView;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.picture.Reservation;
import io.baetyl.gpu.extender.picture.Verdict;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.waking.WaitingPods;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;
import io.baetyl.gpu.model.PodDemand;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Answers which nodes could take a pod ({@code ExtenderFilterResult}). Reads views only: it neither
 * waits for anybody nor keeps anything for the pod. To be used again for call after call.
 */
public final class Filter implements Verb {
  private static final Verdict[] VERDICTS = Verdict.values();
  private static final byte[] UNKNOWN_NODE = JsonBytes.quoted(NodeView.NO_GPU_NODE.unusable());

  private final Picture picture;
  private final WaitingPods waiting;
  private final NodeQuestion question;
  private NodeView[] views = new NodeView[256];
  private byte[] verdicts = new byte[256];
  private final int[] best = new int[VERDICTS.length];
  private final byte[][] texts = new byte[VERDICTS.length][];
  private int fields;

  public Filter(Picture picture, WaitingPods waiting) {
    this.picture = picture;
    this.waiting = waiting;
    this.question = new NodeQuestion(picture);
  }

  @Override
  public void answer(byte[] body, int length, JsonBytes out) throws MalformedCall {
    long changes = picture.changes();
    question.read(body, length);
    var pod = question.pod();
    // A bind that came to nothing clear keeps its cards, and is to be tried again where they are.
    var reserved = picture.reservation(pod.uid());
    int passed = judge(pod, reserved);
    write(out);
    Arrays.fill(views, 0, question.count(), null);
    if (passed == 0) {
      // One that is being bound was judged on no node: any may take it once that has failed.
      waiting.refused(pod, reserved == null ? refusedNodes() : null);
      if (picture.changes() != changes) {
        // Room that came while we judged has told nobody of a pod that was not waiting yet.
        waiting.reconsider();
      }
    } else {
      waiting.settled(pod.uid());
    }
  }

  @Override
  public void fail(String error, JsonBytes out) {
    out.raw("{\"Error\":").string(error).raw('}');
  }

  private int judge(PodFacts pod, Reservation reserved) {
    if (verdicts.length < question.count()) {
      verdicts = new byte[question.count()];
      views = new NodeView[question.count()];
    }
    Arrays.fill(best, -1);
    int passed = 0;
    String asked = "";
    PodDemand wanted = PodDemand.NOTHING;
    for (int index = 0; index < question.count(); index++) {
      var view = question.node(index).view().leftFor(pod);
      views[index] = view;
      var demand = view.demandOf(pod);
      if (demand != null) {
        asked = view.rules().resourceName();
        wanted = demand;
      }
      Verdict verdict;
      if (pod.demands().isEmpty()) {
        // A pod that asks for no extended resource is none of our business.
        verdict = Verdict.FITS;
      } else if (reserved == null) {
        verdict = view.judge(demand);
      } else if (reserved.node() != question.node(index)) {
        verdict = Verdict.BOUND_ELSEWHERE;
      } else {
        verdict = view.unusable() == null ? Verdict.FITS : Verdict.UNUSABLE;
      }
      verdicts[index] = (byte) verdict.ordinal();
      if (verdict == Verdict.FITS) {
        passed++;
      } else {
        best[verdict.ordinal()] = Math.max(best[verdict.ordinal()], view.best(verdict));
      }
    }
    for (var verdict : VERDICTS) {
      texts[verdict.ordinal()] =
          best[verdict.ordinal()] < 0
              ? null
              : JsonBytes.quoted(verdict.text(asked, wanted, best[verdict.ordinal()]));
    }
    return passed;
  }

  private void write(JsonBytes out) {
    boolean ours = !question.pod().demands().isEmpty();
    out.raw("{\"NodeNames\":[");
    fields = 0;
    for (int index = 0; index < question.count(); index++) {
      if (verdicts[index] == Verdict.FITS.ordinal()) {
        comma(out).raw(question.node(index).json());
      }
    }
    if (!ours) {
      question.unknown().forEach(name -> comma(out).string(name));
    }
    out.raw("],\"FailedNodes\":{");
    writeRefused(out, false);
    out.raw("},\"FailedAndUnresolvableNodes\":{");
    writeRefused(out, true);
    if (ours) {
      question.unknown().forEach(name -> comma(out).string(name).raw(':').raw(UNKNOWN_NODE));
    }
    out.raw("}}");
  }

  private void writeRefused(JsonBytes out, boolean lasting) {
    fields = 0;
    for (int index = 0; index < question.count(); index++) {
      var verdict = VERDICTS[verdicts[index]];
      if (verdict != Verdict.FITS && verdict.lasting() == lasting) {
        comma(out).raw(question.node(index).json()).raw(':');
        if (verdict == Verdict.UNUSABLE) {
          out.string(views[index].unusable());
        } else {
          out.raw(texts[verdict.ordinal()]);
        }
      }
    }
  }

  private JsonBytes comma(JsonBytes out) {
    return fields++ == 0 ? out : out.raw(',');
  }

  private BitSet refusedNodes() {
    var refused = new BitSet();
    for (int index = 0; index < question.count(); index++) {
      refused.set(question.node(index).number());
    }
    return refused;
  }
}
