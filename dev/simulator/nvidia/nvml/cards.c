#include "cards.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sim_node_opens(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool sim_card_opens(const struct sim_card *card)
{
	char path[64];
	snprintf(path, sizeof path, "/dev/nvidia%ld", card->minor);
	return card->state != SIM_VANISHED && sim_node_opens(path);
}

// Finds "key value" in a file; the value ends with its line.
static bool fact(FILE *file, const char *key, char *value, int size)
{
	char line[256];
	size_t length = strlen(key);
	rewind(file);
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, key, length) && line[length] == ' ') {
			snprintf(value, (size_t)size, "%s", line + length + 1);
			return true;
		}
	}
	if (size > 0)
		value[0] = 0;
	return false;
}

static long number(FILE *file, const char *key)
{
	char value[32];
	return fact(file, key, value, sizeof value) ? strtol(value, NULL, 0) : -1;
}

static void word(const char *path, char *value, int size)
{
	FILE *file = fopen(path, "re");
	value[0] = 0;
	if (!file)
		return;
	if (fgets(value, size, file))
		value[strcspn(value, "\n")] = 0;
	fclose(file);
}

// A container without the simulator's files still has the driver of its node: a missing file is no fault.
enum sim_driver sim_driver_state(void)
{
	char state[16];
	word(SIM_ROOT "/driver/state", state, sizeof state);
	if (!strcmp(state, "absent"))
		return SIM_DRIVER_ABSENT;
	if (!strcmp(state, "mismatch"))
		return SIM_DRIVER_MISMATCH;
	if (!strcmp(state, "hang"))
		return SIM_DRIVER_HUNG;
	return SIM_DRIVER_OK;
}

void sim_driver_fact(const char *key, char *value, int size)
{
	FILE *file = fopen(SIM_ROOT "/driver/facts", "re");
	if (size > 0)
		value[0] = 0;
	if (!file)
		return;
	fact(file, key, value, size);
	fclose(file);
}

static enum sim_state card_state(const char *uuid)
{
	char path[256], state[16];
	snprintf(path, sizeof path, SIM_ROOT "/cards/%s/state", uuid);
	word(path, state, sizeof state);
	if (!strcmp(state, "failed"))
		return SIM_FAILED;
	if (!strcmp(state, "vanished"))
		return SIM_VANISHED;
	if (!strcmp(state, "hung"))
		return SIM_HUNG;
	return SIM_OK;
}

bool sim_card(const char *uuid, struct sim_card *card)
{
	char path[256];
	snprintf(path, sizeof path, SIM_ROOT "/cards/%s/facts", uuid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	fact(file, "uuid", card->uuid, sizeof card->uuid);
	fact(file, "name", card->name, sizeof card->name);
	fact(file, "serial", card->serial, sizeof card->serial);
	fact(file, "pci", card->bus_id, sizeof card->bus_id);
	card->pci_device_id = number(file, "pci_device_id");
	card->minor = number(file, "minor");
	card->memory_mib = number(file, "memory_mib");
	card->reserved_mib = number(file, "reserved_mib");
	card->power_idle_mw = number(file, "power_idle_mw");
	card->power_limit_mw = number(file, "power_limit_mw");
	card->clock_sm_mhz = number(file, "clock_sm_mhz");
	card->clock_memory_mhz = number(file, "clock_memory_mhz");
	card->fan_percent = number(file, "fan_percent");
	card->ecc = number(file, "ecc");
	card->energy = number(file, "energy");
	fclose(file);
	card->state = card_state(uuid);
	return true;
}

static int by_bus_id(const void *a, const void *b)
{
	return strcmp(((const struct sim_card *)a)->bus_id, ((const struct sim_card *)b)->bus_id);
}

static bool listed(const struct sim_card *cards, int count, long minor)
{
	for (int i = 0; i < count; i++)
		if (cards[i].minor == minor)
			return true;
	return false;
}

int sim_cards(struct sim_card cards[SIM_MAX_CARDS])
{
	int count = 0, known;
	struct dirent *entry;
	DIR *dir = opendir(SIM_ROOT "/cards");
	while (dir && count < SIM_MAX_CARDS && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && sim_card(entry->d_name, &cards[count]) && sim_card_opens(&cards[count]))
			count++;
	if (dir)
		closedir(dir);
	qsort(cards, (size_t)count, sizeof *cards, by_bus_id);

	known = count;
	dir = opendir("/dev");
	while (dir && count < SIM_MAX_CARDS && (entry = readdir(dir))) {
		long minor;
		int end = 0;
		if (sscanf(entry->d_name, "nvidia%ld%n", &minor, &end) != 1 || entry->d_name[end] || listed(cards, known, minor))
			continue;
		struct sim_card unknown = {.name = "NVIDIA GPU", .minor = minor};
		if (sim_card_opens(&unknown))
			cards[count++] = unknown;
	}
	if (dir)
		closedir(dir);
	return count;
}
