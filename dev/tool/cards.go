package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/picture"
	"io.baetyl.gpu/dev/tool/internal/place"
)

// cardsVerb draws what the product says in its GpuNodes.
func cardsVerb() *cobra.Command {
	return &cobra.Command{
		Use: "cards", Short: "Draw the cards and who sits on them, from the GpuNodes", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			get := exec.Command(place.State("bin", "kubectl"), "--kubeconfig", control.Kubeconfig(), "get", "gpunodes", "--output", "json")
			get.Stderr = os.Stderr
			gpuNodes, err := get.Output()
			if err != nil {
				return fmt.Errorf("kubectl get gpunodes: %w: is the cluster up, and the product deployed?", err)
			}
			return picture.Draw(os.Stdout, gpuNodes)
		},
	}
}
