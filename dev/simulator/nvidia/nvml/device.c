#include "driver.h"

#include <time.h>

// Opens a function: reads the card, or returns what is wrong with it.
#define READ_CARD(device, out)                                                                                         \
	struct sim_card card;                                                                                          \
	nvmlReturn_t result = device_read(device, &card);                                                              \
	if (result != NVML_SUCCESS)                                                                                    \
		return result;                                                                                         \
	if (!(out))                                                                                                    \
		return NVML_ERROR_INVALID_ARGUMENT

static nvmlReturn_t number(long value, unsigned int *out)
{
	if (value < 0)
		return NVML_ERROR_NOT_SUPPORTED;
	*out = (unsigned)value;
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
	READ_CARD(device, uuid);
	return copy_string(card.uuid, uuid, length);
}

NVML_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	READ_CARD(device, name);
	return copy_string(card.name, name, length);
}

NVML_API nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length)
{
	READ_CARD(device, serial);
	return card.serial[0] ? copy_string(card.serial, serial, length) : NVML_ERROR_NOT_SUPPORTED;
}

NVML_API nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
	READ_CARD(device, minor);
	return number(card.minor, minor);
}

NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	READ_CARD(device, memory);
	struct usage usage = device_usage(&card);
	memory->total = usage.total;
	memory->used = usage.reserved + usage.used;
	memory->free = usage.total - memory->used;
	return NVML_SUCCESS;
}

// Unlike the first version it keeps what the driver reserves out of "used".
NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	READ_CARD(device, memory);
	if (memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	struct usage usage = device_usage(&card);
	memory->total = usage.total;
	memory->reserved = usage.reserved;
	memory->used = usage.used;
	memory->free = usage.total - usage.reserved - usage.used;
	return NVML_SUCCESS;
}

// The load follows the memory in use: a card without processes rests, and a test can foretell every figure.
NVML_API nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
	READ_CARD(device, utilization);
	utilization->gpu = (unsigned)device_usage(&card).percent;
	utilization->memory = utilization->gpu / 2;
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned int *celsius)
{
	READ_CARD(device, celsius);
	if (sensor != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	*celsius = 35 + (unsigned)device_usage(&card).percent * 2 / 5;
	return NVML_SUCCESS;
}

static long power_mw(const struct sim_card *card)
{
	if (card->power_idle_mw < 0 || card->power_limit_mw < 0)
		return -1;
	return card->power_idle_mw + (card->power_limit_mw - card->power_idle_mw) * (long)device_usage(card).percent / 100;
}

NVML_API nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatt)
{
	READ_CARD(device, milliwatt);
	return number(power_mw(&card), milliwatt);
}

NVML_API nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *milliwatt)
{
	READ_CARD(device, milliwatt);
	return number(card.power_limit_mw, milliwatt);
}

// A counter never falls, so that it follows the idle power alone: milliwatts times seconds since boot are millijoules.
NVML_API nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoule)
{
	struct timespec now;
	READ_CARD(device, millijoule);
	if (card.energy < 0 || card.power_idle_mw < 0)
		return NVML_ERROR_NOT_SUPPORTED;
	clock_gettime(CLOCK_BOOTTIME, &now);
	*millijoule = (unsigned long long)card.power_idle_mw * (unsigned long long)now.tv_sec;
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned int *megahertz)
{
	READ_CARD(device, megahertz);
	if (type < NVML_CLOCK_GRAPHICS || type > NVML_CLOCK_VIDEO)
		return NVML_ERROR_INVALID_ARGUMENT;
	return number(type == NVML_CLOCK_MEM ? card.clock_memory_mhz : card.clock_sm_mhz, megahertz);
}

NVML_API nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int *percent)
{
	READ_CARD(device, percent);
	if (card.fan_percent >= 0 && fan > 0)
		return NVML_ERROR_INVALID_ARGUMENT;
	return number(card.fan_percent, percent);
}

NVML_API nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
	READ_CARD(device, current && pending);
	result = number(card.ecc, current);
	return result == NVML_SUCCESS ? number(card.ecc, pending) : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
	READ_CARD(device, current && pending);
	return NVML_ERROR_NOT_SUPPORTED;
}

NVML_API nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, int *state)
{
	READ_CARD(device, state);
	*state = device_usage(&card).used ? NVML_PSTATE_0 : NVML_PSTATE_8;
	return NVML_SUCCESS;
}
