#include "cards.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The number of the caller's process namespace.
static unsigned long pid_namespace(void)
{
	char link[64];
	unsigned long number = 0;
	ssize_t length = readlink("/proc/self/ns/pid", link, sizeof link - 1);
	if (length < 0)
		return 0;
	link[length] = 0;
	sscanf(link, "pid:[%lu]", &number);
	return number;
}

// A process id is used again some day: the process is the recorded one only if it started at the recorded tick.
static bool alive(unsigned int pid, unsigned long long start)
{
	char path[64], stat[1024];
	unsigned long long found = 0;
	snprintf(path, sizeof path, "/proc/%u/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	size_t length = fread(stat, 1, sizeof stat - 1, file);
	fclose(file);
	stat[length] = 0;
	char *name_end = strrchr(stat, ')'); // the name may hold blanks and brackets
	if (!name_end || name_end[2] == 'Z')
		return false;
	sscanf(name_end + 2, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &found);
	return found == start;
}

// Outside the recorder's process namespace, as in a container without hostPID, the ids mean nothing: the driver then
// lists no process, while the memory of all of them still counts.
int sim_processes(const char *uuid, struct sim_process list[SIM_MAX_PROCESSES], long *used_mib)
{
	char path[256], line[128];
	int count = 0;
	*used_mib = 0;
	snprintf(path, sizeof path, SIM_ROOT "/cards/%s/processes", uuid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	unsigned long here = pid_namespace();
	while (fgets(line, sizeof line, file) && count < SIM_MAX_PROCESSES) {
		struct sim_process process;
		unsigned long namespace;
		unsigned long long start;
		if (sscanf(line, "%lu %u %llu %ld", &namespace, &process.pid, &start, &process.mib) != 4)
			continue;
		if (namespace == here) {
			if (!alive(process.pid, start))
				continue;
			list[count++] = process;
		}
		*used_mib += process.mib;
	}
	fclose(file);
	return count;
}

bool sim_xid_after(const char *uuid, long *last, long *xid)
{
	char path[256], line[64];
	bool found = false;
	snprintf(path, sizeof path, SIM_ROOT "/cards/%s/xids", uuid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof line, file)) {
		long number, value;
		if (sscanf(line, "%ld %ld", &number, &value) != 2 || number <= *last)
			continue;
		*last = number;
		if (xid) {
			*xid = value;
			found = true;
		}
	}
	fclose(file);
	return found;
}
