// A stand-in for nvidia-smi that finds cards by the device nodes of the container's own /dev, never by its environment.
// It is linked statically and reads the card files by itself, for a container may have no C library and no NVML.
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Exit statuses of nvidia-smi are NVML's return codes.
enum { EXIT_USAGE = 2, EXIT_NO_DEVICES = 6, EXIT_DRIVER = 9, EXIT_LOST = 15, EXIT_MISMATCH = 18 };

static void pause_briefly(void)
{
	struct timespec time = {0, 20000000};
	nanosleep(&time, NULL);
}

static void check_driver(void)
{
	enum sim_driver state;
	while ((state = sim_driver_state()) == SIM_DRIVER_HUNG)
		pause_briefly();
	if (state == SIM_DRIVER_MISMATCH) {
		puts("Failed to initialize NVML: Driver/library version mismatch");
		exit(EXIT_MISMATCH);
	}
	if (state == SIM_DRIVER_ABSENT) {
		puts("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
		     "Make sure that the latest NVIDIA driver is installed and running.");
		exit(EXIT_DRIVER);
	}
}

static bool answers(struct sim_card *card, int index)
{
	while (card->state == SIM_HUNG) {
		pause_briefly();
		sim_card(card->uuid, card);
	}
	if (card->state == SIM_OK)
		return true;
	printf("Unable to determine the device handle for GPU%d: %s: GPU is lost.  Reboot the system to recover this GPU\n",
	       index, card->bus_id);
	return false;
}

static int list(struct sim_card *cards, int count)
{
	int status = 0;
	for (int i = 0; i < count; i++) {
		if (!cards[i].uuid[0])
			printf("GPU %d: %s (UUID: unknown, /dev/nvidia%ld has no card file here)\n", i, cards[i].name, cards[i].minor);
		else if (answers(&cards[i], i))
			printf("GPU %d: %s (UUID: %s)\n", i, cards[i].name, cards[i].uuid);
		else
			status = EXIT_LOST;
	}
	return status;
}

static const char *const keys[] = {"index", "uuid", "name", "memory.total", "memory.used", NULL};

static void value(const struct sim_card *card, int index, const char *key, bool units)
{
	struct sim_process processes[SIM_MAX_PROCESSES];
	long used = 0;
	if (!strcmp(key, "index"))
		printf("%d", index);
	else if (!strcmp(key, "uuid"))
		printf("%s", card->uuid[0] ? card->uuid : "[N/A]");
	else if (!strcmp(key, "name"))
		printf("%s", card->name);
	else if (!card->uuid[0])
		printf("[N/A]");
	else if (!strcmp(key, "memory.total"))
		printf("%ld%s", card->memory_mib, units ? " MiB" : "");
	else {
		sim_processes(card->uuid, processes, &used);
		printf("%ld%s", used, units ? " MiB" : "");
	}
}

static bool known(const char *key)
{
	for (int i = 0; keys[i]; i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

static int query(struct sim_card *cards, int count, const char *fields, bool units)
{
	char key[32];
	int status = 0, length;
	for (const char *at = fields; sscanf(at, "%31[^,]%n", key, &length) == 1; at += at[length] ? length + 1 : length)
		if (!known(key)) {
			printf("Field \"%s\" is not a valid field to query.\n\n", key);
			return EXIT_USAGE;
		}
	for (int i = 0; i < count; i++) {
		if (cards[i].uuid[0] && !answers(&cards[i], i)) {
			status = EXIT_LOST;
			continue;
		}
		for (const char *at = fields; sscanf(at, "%31[^,]%n", key, &length) == 1; at += at[length] ? length + 1 : length) {
			if (at != fields)
				printf(", ");
			value(&cards[i], i, key, units);
		}
		putchar('\n');
	}
	return status;
}

int main(int argc, char **argv)
{
	static struct sim_card cards[SIM_MAX_CARDS];
	const char *fields = NULL, *format = NULL;
	bool listing = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-L") || !strcmp(argv[i], "--list-gpus"))
			listing = true;
		else if (!strncmp(argv[i], "--query-gpu=", 12))
			fields = argv[i] + 12;
		else if (!strncmp(argv[i], "--format=csv,noheader", 21))
			format = argv[i] + 9;
		else
			fields = format = NULL, listing = false, i = argc;
	}
	if (!listing && !(fields && format)) {
		fputs("This nvidia-smi is a simulation and knows:\n"
		      "  nvidia-smi -L\n"
		      "  nvidia-smi --query-gpu=index,uuid,name,memory.total,memory.used --format=csv,noheader[,nounits]\n", stderr);
		return EXIT_USAGE;
	}
	check_driver();
	int count = sim_cards(cards);
	if (!count) {
		puts("No devices were found");
		return EXIT_NO_DEVICES;
	}
	return listing ? list(cards, count) : query(cards, count, fields, !strstr(format, "nounits"));
}
