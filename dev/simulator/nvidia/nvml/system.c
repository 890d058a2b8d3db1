#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

NVML_API const char *nvmlErrorString(nvmlReturn_t result)
{
	static const char *const text[] = {
		"Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions",
		"Already Initialized", "Not Found", "Insufficient Size", "Insufficient External Power", "Driver Not Loaded",
		"Timeout", "Interrupt Request Issue", "NVML Shared Library Not Found", "Function Not Found",
		"Corrupted infoROM", "GPU is lost", "GPU requires restart", "GPU access blocked by the operating system",
		"Driver/library version mismatch", "In use by another client", "Insufficient Memory", "No data",
		"The requested vgpu operation is not available on target device", "Insufficient Resources",
		"Frequency not supported", "Argument version mismatch",
	};
	return (unsigned)result < sizeof text / sizeof *text ? text[result] : "Unknown Error";
}

static nvmlReturn_t driver_string(const char *key, char *to, unsigned int size)
{
	char value[80];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	sim_driver_fact(key, value, sizeof value);
	return copy_string(value, to, size);
}

NVML_API nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
	return driver_string("version", version, length);
}

NVML_API nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
	return driver_string("nvml_version", version, length);
}

NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	char value[16];
	nvmlReturn_t result = driver_string("cuda_version", value, sizeof value);
	if (result != NVML_SUCCESS)
		return result;
	if (!version)
		return NVML_ERROR_INVALID_ARGUMENT;
	*version = atoi(value);
	return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
	char path[64];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!name || !length)
		return NVML_ERROR_INVALID_ARGUMENT;
	snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return NVML_ERROR_NOT_FOUND;
	size_t read = fread(name, 1, length - 1, file); // the arguments end with a NUL each, so the first one is the string
	fclose(file);
	name[read] = 0;
	return NVML_SUCCESS;
}
