package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A workload that serves a node.
 *
 * @param name its name in the namespace of the components
 * @param state its state on this node
 * @param message what is missing and what to do; absent when it runs as it is to
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Component(String name, ComponentState state, String message) {}
