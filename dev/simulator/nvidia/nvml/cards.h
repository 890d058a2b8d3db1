// The simulator's files in the caller's own /dev, read again at every call so that a fault acts on a running process.
// The format is described in dev/simulator/README.md; the Go package "node" writes it.
#ifndef CARDS_H
#define CARDS_H

#include <stdbool.h>

#define SIM_ROOT "/dev/nvidia-simulator"
#define SIM_MAX_CARDS 64
#define SIM_MAX_PROCESSES 256

enum sim_driver { SIM_DRIVER_OK, SIM_DRIVER_ABSENT, SIM_DRIVER_MISMATCH, SIM_DRIVER_HUNG };
enum sim_state { SIM_OK, SIM_FAILED, SIM_VANISHED, SIM_HUNG };

// A number that the card's file does not give is -1: the card has no such thing and NVML says NOT_SUPPORTED.
struct sim_card {
	char uuid[96], name[96], serial[30];
	char bus_id[32]; // 00000000:3B:00.0
	long pci_device_id, minor, memory_mib, reserved_mib;
	long power_idle_mw, power_limit_mw, clock_sm_mhz, clock_memory_mhz;
	long fan_percent, ecc, energy;
	enum sim_state state;
};

struct sim_process {
	unsigned int pid;
	long mib;
};

enum sim_driver sim_driver_state(void);
void sim_driver_fact(const char *key, char *value, int size);

// sim_cards finds the cards whose device node opens, in PCI order. A node without a card file is counted too, with no UUID.
int sim_cards(struct sim_card cards[SIM_MAX_CARDS]);
bool sim_card(const char *uuid, struct sim_card *card);
bool sim_node_opens(const char *path);
bool sim_card_opens(const struct sim_card *card);

// sim_processes returns how many live processes the caller may see, and the memory that all of them use.
int sim_processes(const char *uuid, struct sim_process list[SIM_MAX_PROCESSES], long *used_mib);

// sim_xid_after finds the first XID with a number above *last, and moves *last to it. Where xid is null it only moves to the end.
bool sim_xid_after(const char *uuid, long *last, long *xid);

#endif
