package io.baetyl.gpu.operator.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Arrays;
import java.util.List;
import org.eclipse.microprofile.config.spi.Converter;

/** Tolerations of pods, as the settings give them. */
public record Tolerations(List<Toleration> all) {

  /** Reads them once, so that a mistake ends the operator at its start. */
  @SuppressWarnings("serial")
  public static final class FromJson implements Converter<Tolerations> {
    /**
     * @throws IllegalArgumentException if it is no JSON list of tolerations; it says what is one
     */
    @Override
    public Tolerations convert(String json) {
      try {
        var all = Serialization.jsonMapper().readValue(json, Toleration[].class);
        if (Arrays.stream(all).allMatch(FromJson::isKnown)) {
          return new Tolerations(List.of(all));
        }
      } catch (JsonProcessingException wrong) {
        // Said below, in words that help more than those of the parser.
      }
      throw new IllegalArgumentException(
          "GPU_AGENT_TOLERATIONS and GPU_CLUSTER_TOLERATIONS are lists of tolerations in JSON, such"
              + " as [{\"key\":\"gpu\",\"operator\":\"Exists\"}]");
    }

    /** With a misspelt key it would tolerate every taint. */
    private static boolean isKnown(Toleration toleration) {
      return toleration != null && toleration.getAdditionalProperties().isEmpty();
    }
  }
}
