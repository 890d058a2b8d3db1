package node

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// model holds what all cards of one kind share. A figure of -1 is one that such a card does not have.
type model struct {
	pciDeviceID                 string
	reservedMiB                 int // kept by the driver, of the card's memory
	powerIdleMW, powerLimitMW   int
	clockSMMHz, clockMemoryMHz  int
	fanPercent, ecc             int
	hasSerial, hasEnergyCounter bool
}

var models = map[string]model{
	"Tesla P4": {
		pciDeviceID: "0x1BB310DE", reservedMiB: 92, powerIdleMW: 6000, powerLimitMW: 75000, clockSMMHz: 1531, clockMemoryMHz: 3003,
		fanPercent: -1, ecc: 1, hasSerial: true,
	},
	"Tesla T4": {
		pciDeviceID: "0x1EB810DE", reservedMiB: 448, powerIdleMW: 10000, powerLimitMW: 70000, clockSMMHz: 1590, clockMemoryMHz: 5000,
		fanPercent: -1, ecc: 1, hasSerial: true, hasEnergyCounter: true,
	},
	"NVIDIA GeForce RTX 3090": {
		pciDeviceID: "0x220410DE", reservedMiB: 317, powerIdleMW: 22000, powerLimitMW: 350000, clockSMMHz: 1695, clockMemoryMHz: 9751,
		fanPercent: 30, ecc: -1, hasEnergyCounter: true,
	},
}

// Any other model is a small card of the years after Volta, without ECC.
var otherModel = model{
	pciDeviceID: "0x1FF210DE", reservedMiB: 64, powerIdleMW: 8000, powerLimitMW: 70000, clockSMMHz: 1425, clockMemoryMHz: 5001,
	fanPercent: 35, ecc: -1, hasEnergyCounter: true,
}

// modelOf finds a model by the driver's name for it, also without the words that people leave out.
func modelOf(name string) model {
	for known, m := range models {
		if shortName(known) == shortName(name) {
			return m
		}
	}
	return otherModel
}

func shortName(name string) string {
	return strings.NewReplacer("nvidia ", "", "geforce ", "", "tesla ", "").Replace(strings.ToLower(name))
}

// facts writes the card's file; cards.c reads it.
func (c Card) facts() string {
	m := modelOf(c.Model)
	var b strings.Builder
	line := func(key string, value any) { fmt.Fprintf(&b, "%s %v\n", key, value) }
	line("uuid", c.UUID)
	line("name", c.Model)
	line("pci", c.PCI)
	line("pci_device_id", m.pciDeviceID)
	line("minor", *c.Minor)
	line("memory_mib", c.MemoryMiB)
	line("reserved_mib", m.reservedMiB)
	line("power_idle_mw", m.powerIdleMW)
	line("power_limit_mw", m.powerLimitMW)
	line("clock_sm_mhz", m.clockSMMHz)
	line("clock_memory_mhz", m.clockMemoryMHz)
	if m.fanPercent >= 0 {
		line("fan_percent", m.fanPercent)
	}
	if m.ecc >= 0 {
		line("ecc", m.ecc)
	}
	if m.hasSerial {
		line("serial", fmt.Sprintf("%013d", crc32.ChecksumIEEE([]byte(c.UUID))))
	}
	if m.hasEnergyCounter {
		line("energy", 1)
	}
	return b.String()
}
