// Calls the stub as a program would that knows nothing of it but NVML's names, layouts and numbers: by dlopen, with the
// offsets written out. Reads commands "function arguments" from its input and prints "code results" for each.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uintptr_t word;

static void *library;
static unsigned char buffer[4096];

static word call(const char *name, word a, word b, word c, word d)
{
	word (*function)(word, word, word, word) = (word(*)(word, word, word, word))dlsym(library, name);
	if (!function) {
		printf("%s is missing\n", name);
		exit(1);
	}
	return function(a, b, c, d);
}

static unsigned int u32(int offset)
{
	unsigned int value;
	memcpy(&value, buffer + offset, sizeof value);
	return value;
}

static unsigned long long u64(int offset)
{
	unsigned long long value;
	memcpy(&value, buffer + offset, sizeof value);
	return value;
}

static void set32(int offset, unsigned int value)
{
	memcpy(buffer + offset, &value, sizeof value);
}

#define IS(name) (!strcmp(command, name))
#define CODE(expression) printf("%u", (unsigned)(expression))
#define AT(offset) ((word)(buffer + (offset)))

static void execute(const char *command, const char *text)
{
	static word device, set;
	word number = strtoul(text, NULL, 0);
	memset(buffer, 0xEE, sizeof buffer); // what a call leaves alone shows
	buffer[sizeof buffer - 1] = 0;
	if (IS("nvmlInit_v2") || IS("nvmlShutdown"))
		CODE(call(command, 0, 0, 0, 0));
	else if (IS("nvmlInitWithFlags"))
		CODE(call(command, number, 0, 0, 0));
	else if (IS("nvmlErrorString"))
		printf("%s", (const char *)call(command, number, 0, 0, 0));
	else if (IS("nvmlSystemGetDriverVersion") || IS("nvmlSystemGetNVMLVersion"))
		CODE(call(command, AT(0), 80, 0, 0)), printf(" %.80s", buffer);
	else if (IS("nvmlSystemGetCudaDriverVersion_v2") || IS("nvmlDeviceGetCount_v2"))
		CODE(call(command, AT(0), 0, 0, 0)), printf(" %u", u32(0));
	else if (IS("nvmlDeviceGetHandleByIndex_v2"))
		CODE(call(command, number, (word)&device, 0, 0));
	else if (IS("nvmlDeviceGetHandleByUUID") || IS("nvmlDeviceGetHandleByPciBusId_v2"))
		CODE(call(command, (word)text, (word)&device, 0, 0));
	else if (IS("nvmlDeviceGetUUID") || IS("nvmlDeviceGetName") || IS("nvmlDeviceGetSerial"))
		number = number ? number : 96, CODE(call(command, device, AT(0), number, 0)), printf(" %.96s", buffer[0] == 0xEE ? "-" : (char *)buffer);
	else if (IS("nvmlDeviceGetMinorNumber") || IS("nvmlDeviceGetIndex") || IS("nvmlDeviceGetPowerUsage") ||
		 IS("nvmlDeviceGetEnforcedPowerLimit") || IS("nvmlDeviceGetPerformanceState"))
		CODE(call(command, device, AT(0), 0, 0)), printf(" %u", u32(0));
	else if (IS("nvmlDeviceGetTemperature") || IS("nvmlDeviceGetClockInfo") || IS("nvmlDeviceGetFanSpeed_v2"))
		CODE(call(command, device, number, AT(0), 0)), printf(" %u", u32(0));
	else if (IS("nvmlDeviceGetEccMode") || IS("nvmlDeviceGetMigMode"))
		CODE(call(command, device, AT(0), AT(4), 0)), printf(" %u %u", u32(0), u32(4));
	else if (IS("nvmlDeviceGetTotalEnergyConsumption"))
		CODE(call(command, device, AT(0), 0, 0)), printf(" %d", u64(0) > 0 && u64(0) < 1ULL << 50);
	else if (IS("nvmlDeviceGetPciInfo_v3"))
		CODE(call(command, device, AT(0), 0, 0)),
			printf(" %s %u %u %u %08x %08x %s end %02x", buffer, u32(16), u32(20), u32(24), u32(28), u32(32), buffer + 36, buffer[68]);
	else if (IS("nvmlDeviceGetMemoryInfo"))
		CODE(call(command, device, AT(0), 0, 0)), printf(" %llu %llu %llu end %02x", u64(0), u64(8), u64(16), buffer[24]);
	else if (IS("nvmlDeviceGetMemoryInfo_v2"))
		set32(0, (unsigned)number), CODE(call(command, device, AT(0), 0, 0)),
			printf(" %llu %llu %llu %llu end %02x", u64(8), u64(16), u64(24), u64(32), buffer[40]);
	else if (IS("nvmlDeviceGetUtilizationRates"))
		CODE(call(command, device, AT(0), 0, 0)), printf(" %u %u end %02x", u32(0), u32(4), buffer[8]);
	else if (IS("nvmlDeviceGetComputeRunningProcesses_v3") || IS("nvmlDeviceGetGraphicsRunningProcesses_v3")) {
		unsigned int count = (unsigned)number;
		unsigned int code = (unsigned)call(command, device, (word)&count, AT(0), 0);
		printf("%u %u:", code, count);
		for (unsigned int i = 0; !code && i < count; i++)
			printf(" %u %llu %x %x", u32(24 * (int)i), u64(24 * (int)i + 8), u32(24 * (int)i + 16), u32(24 * (int)i + 20));
	} else if (IS("nvmlSystemGetProcessName"))
		CODE(call(command, number, AT(0), 64, 0)), printf(" %.64s", buffer);
	else if (IS("nvmlEventSetCreate"))
		CODE(call(command, (word)&set, 0, 0, 0));
	else if (IS("nvmlDeviceGetSupportedEventTypes"))
		CODE(call(command, device, AT(0), 0, 0)), printf(" %llx", u64(0));
	else if (IS("nvmlDeviceRegisterEvents"))
		CODE(call(command, device, number, set, 0));
	else if (IS("nvmlEventSetWait_v2")) {
		struct timespec start, end;
		clock_gettime(CLOCK_MONOTONIC, &start);
		CODE(call(command, set, AT(0), number, 0));
		clock_gettime(CLOCK_MONOTONIC, &end);
		long ms = (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
		if (buffer[8] != 0xEE)
			printf(" %d %llx %llu %x %x", u64(0) == device, u64(8), u64(16), u32(24), u32(28));
		else
			printf(" %s", ms + 1 >= (long)number ? "in time" : "too early");
	} else if (IS("nvmlEventSetFree"))
		CODE(call(command, set, 0, 0, 0));
	else
		printf("the probe does not know %s", command);
}

int main(int argc, char **argv)
{
	char line[256], command[128], text[128];
	library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library) {
		printf("%s\n", argc == 2 ? dlerror() : "usage: probe LIBRARY");
		return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		command[0] = text[0] = 0;
		sscanf(line, "%127s %127s", command, text);
		execute(command, text);
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
