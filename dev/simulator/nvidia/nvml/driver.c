#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIB (1024ULL * 1024ULL)
#define POLL_MS 20

// A handle stands for a UUID for the life of the process, as a card may go and come back with another index.
struct nvmlDevice_st {
	char uuid[96];
};

static struct nvmlDevice_st handles[SIM_MAX_CARDS];
static atomic_int handle_count;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static int init_count;

void pause_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

nvmlReturn_t driver_ready(void)
{
	enum sim_driver state;
	while ((state = sim_driver_state()) == SIM_DRIVER_HUNG)
		pause_ms(POLL_MS);
	if (state == SIM_DRIVER_MISMATCH)
		return NVML_ERROR_LIB_RM_VERSION_MISMATCH;
	if (state == SIM_DRIVER_ABSENT)
		return NVML_ERROR_DRIVER_NOT_LOADED;
	int control = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
	if (control >= 0) {
		close(control);
		return NVML_SUCCESS;
	}
	if (errno == EACCES)
		return NVML_ERROR_NO_PERMISSION;
	// EPERM comes from the device cgroup, and NVML has no better word for it.
	return errno == EPERM ? NVML_ERROR_UNKNOWN : NVML_ERROR_DRIVER_NOT_LOADED;
}

static bool initialized(void)
{
	pthread_mutex_lock(&init_lock);
	bool yes = init_count > 0;
	pthread_mutex_unlock(&init_lock);
	return yes;
}

nvmlReturn_t library_ready(void)
{
	return initialized() ? driver_ready() : NVML_ERROR_UNINITIALIZED;
}

NVML_API nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	if (flags & ~(unsigned)(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH))
		return NVML_ERROR_INVALID_ARGUMENT;
	nvmlReturn_t result = driver_ready();
	if (result != NVML_SUCCESS)
		return result;
	pthread_mutex_lock(&init_lock);
	init_count++;
	pthread_mutex_unlock(&init_lock);
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

// Gives its reference back even where the driver can not be asked: who shuts down has no use for it any more.
NVML_API nvmlReturn_t nvmlShutdown(void)
{
	nvmlReturn_t result = library_ready();
	pthread_mutex_lock(&init_lock);
	if (init_count > 0)
		init_count--;
	pthread_mutex_unlock(&init_lock);
	return result;
}

nvmlReturn_t device_handle(const char *uuid, nvmlDevice_t *device)
{
	nvmlReturn_t result = NVML_SUCCESS;
	pthread_mutex_lock(&handles_lock);
	int i = 0, count = handle_count;
	while (i < count && strcmp(handles[i].uuid, uuid))
		i++;
	if (i == SIM_MAX_CARDS) {
		result = NVML_ERROR_MEMORY;
	} else {
		if (i == count) {
			snprintf(handles[i].uuid, sizeof handles[i].uuid, "%s", uuid);
			handle_count = count + 1;
		}
		*device = &handles[i];
	}
	pthread_mutex_unlock(&handles_lock);
	return result;
}

const char *device_uuid(nvmlDevice_t device)
{
	for (int i = 0; i < handle_count; i++)
		if (device == &handles[i])
			return handles[i].uuid;
	return NULL;
}

nvmlReturn_t device_read(nvmlDevice_t device, struct sim_card *card)
{
	for (;;) {
		nvmlReturn_t result = library_ready();
		if (result != NVML_SUCCESS)
			return result;
		const char *uuid = device_uuid(device);
		if (!uuid)
			return NVML_ERROR_INVALID_ARGUMENT;
		if (!sim_card(uuid, card) || card->state == SIM_FAILED || !sim_card_opens(card))
			return NVML_ERROR_GPU_IS_LOST;
		if (card->state != SIM_HUNG)
			return NVML_SUCCESS;
		pause_ms(POLL_MS);
	}
}

struct usage device_usage(const struct sim_card *card)
{
	struct sim_process processes[SIM_MAX_PROCESSES];
	long used_mib;
	sim_processes(card->uuid, processes, &used_mib);
	struct usage usage = {
		.total = (unsigned long long)card->memory_mib * MIB,
		.reserved = (unsigned long long)card->reserved_mib * MIB,
		.used = (unsigned long long)used_mib * MIB,
	};
	// Whatever the files say, no card has more in use than it has.
	if (usage.used > usage.total - usage.reserved)
		usage.used = usage.total - usage.reserved;
	usage.percent = usage.total ? usage.used * 100 / usage.total : 0;
	return usage;
}

nvmlReturn_t copy_string(const char *value, char *to, unsigned int size)
{
	if (!to)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (strlen(value) >= size)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(to, value, strlen(value) + 1);
	return NVML_SUCCESS;
}
