package cluster

import (
	"encoding/json"
	"fmt"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
)

const archLabel = "kubernetes.io/arch"

// ownArchitectures makes the Nodes carry the architectures of their node files. A kubelet writes the one that it was compiled for
// again with every status where it finds another, so the API server has to change what is written: a label that is put right
// afterwards is wrong for a moment every ten seconds, in which the pods that need it are deleted.
func ownArchitectures(plans []node.Plan) error {
	api, err := control.NewAPI()
	if err != nil {
		return err
	}
	const name = "dev-cluster-architecture"
	const group = "/apis/admissionregistration.k8s.io/v1"
	if err := api.Apply(group+"/mutatingadmissionpolicies/"+name, architecturePolicy(name, plans)); err != nil {
		return err
	}
	return api.Apply(group+"/mutatingadmissionpolicybindings/"+name, map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"policyName": name},
	})
}

func architecturePolicy(name string, plans []node.Plan) map[string]any {
	of := map[string]string{}
	for _, p := range plans {
		of[p.Name] = p.Arch
	}
	text, _ := json.Marshal(of) // a map of strings is written alike in JSON and CEL
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"reinvocationPolicy": "Never",
			"failurePolicy":      "Fail",
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []string{""}, "apiVersions": []string{"v1"}, "operations": []string{"CREATE", "UPDATE"},
				"resources": []string{"nodes", "nodes/status"},
			}}},
			"variables":       []any{map[string]any{"name": "architectures", "expression": string(text)}},
			"matchConditions": []any{map[string]any{"name": "named-by-a-file", "expression": fmt.Sprintf("object.metadata.name in %s", text)}},
			"mutations": []any{map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{
				"expression": `[JSONPatch{op: "add", path: "/metadata/labels/kubernetes.io~1arch", value: variables.architectures[object.metadata.name]}]`,
			}}},
		},
	}
}
