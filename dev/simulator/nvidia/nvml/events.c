#include "driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_MS 20

struct registration {
	nvmlDevice_t device;
	unsigned long long types;
	long last_xid; // what came before the registration is not delivered
};

struct nvmlEventSet_st {
	pthread_mutex_t lock;
	int count;
	struct registration registrations[SIM_MAX_CARDS];
};

NVML_API nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set)
{
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!set)
		return NVML_ERROR_INVALID_ARGUMENT;
	*set = calloc(1, sizeof **set);
	if (!*set)
		return NVML_ERROR_MEMORY;
	pthread_mutex_init(&(*set)->lock, NULL);
	return NVML_SUCCESS;
}

static unsigned long long supported(const struct sim_card *card)
{
	unsigned long long types = nvmlEventTypeXidCriticalError | nvmlEventTypePState | nvmlEventTypeClock;
	return card->ecc > 0 ? types | nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError : types;
}

NVML_API nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types)
{
	struct sim_card card;
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!types)
		return NVML_ERROR_INVALID_ARGUMENT;
	*types = supported(&card);
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set)
{
	struct sim_card card;
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!set || !types)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (types & ~supported(&card))
		return NVML_ERROR_NOT_SUPPORTED;
	pthread_mutex_lock(&set->lock);
	int i = 0;
	while (i < set->count && set->registrations[i].device != device)
		i++;
	if (i == set->count) {
		set->registrations[i] = (struct registration){.device = device};
		sim_xid_after(card.uuid, &set->registrations[i].last_xid, NULL);
		set->count++;
	}
	set->registrations[i].types |= types;
	pthread_mutex_unlock(&set->lock);
	return NVML_SUCCESS;
}

static bool next_event(nvmlEventSet_t set, nvmlEventData_t *data)
{
	bool found = false;
	long xid;
	pthread_mutex_lock(&set->lock);
	for (int i = 0; !found && i < set->count; i++) {
		struct registration *registration = &set->registrations[i];
		if (!(registration->types & nvmlEventTypeXidCriticalError))
			continue;
		if (!sim_xid_after(device_uuid(registration->device), &registration->last_xid, &xid))
			continue;
		*data = (nvmlEventData_t){
			.device = registration->device,
			.eventType = nvmlEventTypeXidCriticalError,
			.eventData = (unsigned long long)xid,
			.gpuInstanceId = NVML_NOT_MIG,
			.computeInstanceId = NVML_NOT_MIG,
		};
		found = true;
	}
	pthread_mutex_unlock(&set->lock);
	return found;
}

static long long now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

NVML_API nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms)
{
	long long end = now_ms() + timeout_ms;
	for (;;) {
		nvmlReturn_t result = library_ready();
		if (result != NVML_SUCCESS)
			return result;
		if (!set || !data)
			return NVML_ERROR_INVALID_ARGUMENT;
		if (next_event(set, data))
			return NVML_SUCCESS;
		long long left = end - now_ms();
		if (left <= 0)
			return NVML_ERROR_TIMEOUT;
		pause_ms(left < POLL_MS ? (long)left : POLL_MS);
	}
}

NVML_API nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!set)
		return NVML_ERROR_INVALID_ARGUMENT;
	pthread_mutex_destroy(&set->lock);
	free(set);
	return NVML_SUCCESS;
}
