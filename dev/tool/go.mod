module io.baetyl.gpu/dev/tool

go 1.26.0

require (
	github.com/spf13/cobra v1.10.2
	golang.org/x/sync v0.25.0
	golang.org/x/sys v0.50.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	io.baetyl.gpu/dev/simulator v0.0.0
)

replace io.baetyl.gpu/dev/simulator => ../simulator
