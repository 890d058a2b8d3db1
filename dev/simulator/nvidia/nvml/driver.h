// What every NVML call does before it answers.
#ifndef DRIVER_H
#define DRIVER_H

#include "cards.h"
#include "nvml.h"

// Waits while the driver hangs, then tells whether it can be asked.
nvmlReturn_t driver_ready(void);
nvmlReturn_t library_ready(void); // the same, and UNINITIALIZED before nvmlInit

// Waits while the card hangs, then reads it; GPU_IS_LOST where it failed or is gone.
nvmlReturn_t device_read(nvmlDevice_t device, struct sim_card *card);
const char *device_uuid(nvmlDevice_t device); // null for what is no handle
nvmlReturn_t device_handle(const char *uuid, nvmlDevice_t *device);

void pause_ms(long ms);
nvmlReturn_t copy_string(const char *value, char *to, unsigned int size);

// Bytes that the card's processes use, and the part that the driver keeps for itself.
struct usage {
	unsigned long long total, reserved, used, percent;
};
struct usage device_usage(const struct sim_card *card);

#endif
