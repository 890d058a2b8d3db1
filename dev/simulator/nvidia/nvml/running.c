#include "driver.h"

// Asked with too little room, also with none, the number of processes comes back with INSUFFICIENT_SIZE.
NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
	struct sim_process processes[SIM_MAX_PROCESSES];
	long used_mib;
	struct sim_card card;
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	unsigned int room = *count;
	*count = (unsigned)sim_processes(card.uuid, processes, &used_mib);
	if (*count > room)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	if (*count && !infos)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned int i = 0; i < *count; i++)
		infos[i] = (nvmlProcessInfo_t){
			.pid = processes[i].pid,
			.usedGpuMemory = (unsigned long long)processes[i].mib * 1024 * 1024,
			.gpuInstanceId = NVML_NOT_MIG,
			.computeInstanceId = NVML_NOT_MIG,
		};
	return NVML_SUCCESS;
}

// The simulated processes compute; none draws.
NVML_API nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
	(void)infos;
	struct sim_card card;
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*count = 0;
	return NVML_SUCCESS;
}
