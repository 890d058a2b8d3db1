package node

// Edits are what a container gets with its cards. The runtime makes them in the container's OCI configuration, the CDI
// specification tells them to others.
type Edits struct {
	Devices []string
	Mounts  []string // folders and files of the node that appear at the same path, read-only
}

// DriverEdits go with any number of cards, also with none.
func DriverEdits() Edits {
	return Edits{Devices: Control, Mounts: []string{Library, SMI, DriverDir()}}
}

// Edits go with this card. Its folder is what the real driver would answer through the device node.
func (c Card) Edits() Edits {
	return Edits{Devices: []string{c.Device()}, Mounts: []string{CardDir(c.UUID)}}
}
