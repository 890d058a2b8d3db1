#include "driver.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// A device node without a card file can not be described, so that NVML does not know it.
static int visible(struct sim_card cards[SIM_MAX_CARDS])
{
	int count = sim_cards(cards);
	while (count > 0 && !cards[count - 1].uuid[0])
		count--;
	return count;
}

NVML_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
	struct sim_card cards[SIM_MAX_CARDS];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*count = (unsigned)visible(cards);
	return NVML_SUCCESS;
}

// A failed card is counted, but there is no way to its handle: NVML attaches to a card when it is first asked for.
static nvmlReturn_t attach(const char *uuid, nvmlDevice_t *device)
{
	struct sim_card card;
	nvmlDevice_t handle;
	nvmlReturn_t result = device_handle(uuid, &handle);
	if (result == NVML_SUCCESS)
		result = device_read(handle, &card);
	if (result == NVML_SUCCESS)
		*device = handle;
	return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	struct sim_card cards[SIM_MAX_CARDS];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!device || index >= (unsigned)visible(cards))
		return NVML_ERROR_INVALID_ARGUMENT;
	return attach(cards[index].uuid, device);
}

NVML_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	struct sim_card cards[SIM_MAX_CARDS];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!uuid || !device)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int i = visible(cards) - 1; i >= 0; i--)
		if (!strcasecmp(cards[i].uuid, uuid))
			return attach(cards[i].uuid, device);
	return NVML_ERROR_NOT_FOUND;
}

static bool parse_bus_id(const char *text, unsigned int address[4])
{
	return sscanf(text, "%x:%x:%x.%x", &address[0], &address[1], &address[2], &address[3]) == 4;
}

NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device)
{
	struct sim_card cards[SIM_MAX_CARDS];
	unsigned int wanted[4], found[4];
	nvmlReturn_t result = library_ready();
	if (result != NVML_SUCCESS)
		return result;
	if (!bus_id || !device || !parse_bus_id(bus_id, wanted))
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int i = visible(cards) - 1; i >= 0; i--)
		if (parse_bus_id(cards[i].bus_id, found) && !memcmp(wanted, found, sizeof wanted))
			return attach(cards[i].uuid, device);
	return NVML_ERROR_NOT_FOUND;
}

NVML_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	struct sim_card cards[SIM_MAX_CARDS], card;
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!index)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int i = visible(cards) - 1; i >= 0; i--)
		if (!strcmp(cards[i].uuid, card.uuid)) {
			*index = (unsigned)i;
			return NVML_SUCCESS;
		}
	return NVML_ERROR_GPU_IS_LOST;
}

NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	struct sim_card card;
	unsigned int address[4];
	nvmlReturn_t result = device_read(device, &card);
	if (result != NVML_SUCCESS)
		return result;
	if (!pci)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (!parse_bus_id(card.bus_id, address))
		return NVML_ERROR_UNKNOWN;
	memset(pci, 0, sizeof *pci);
	pci->domain = address[0];
	pci->bus = address[1];
	pci->device = address[2];
	pci->pciDeviceId = (unsigned)card.pci_device_id;
	snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.%X", address[0], address[1] & 0xff, address[2] & 0xff, address[3]);
	snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.%X", address[0] & 0xffff, address[1] & 0xff, address[2] & 0xff, address[3] & 0xf);
	return NVML_SUCCESS;
}
