// A stand-in for Huawei's libdcmi.so: the symbols, layouts and return codes that dcmi_interface_api.h declares, with chips
// that it reads from files in /dev/ascend-simulator/chips/<number of the device node>. Every call reads them again, so that
// a fault acts on a running process.
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CHIPS "/dev/ascend-simulator/chips"
#define CROWDED "/dev/ascend-simulator/crowded"
#define MOST_CHIPS 64
#define MOST_PROCESSES 32

enum { OK = 0, INVALID_PARAMETER = -8001, NOT_EXIST = -8008, NOT_SUPPORTED = -8255 };

struct dcmi_chip_info {
    unsigned char chip_type[32];
    unsigned char chip_name[32];
    unsigned char chip_ver[32];
    unsigned int aicore_cnt;
};

struct dcmi_die_id {
    unsigned int soc_die[5];
};

struct dcmi_get_memory_info_stru {
    unsigned long long memory_size;
    unsigned long long memory_available;
    unsigned int freq;
    unsigned long hugepagesize;
    unsigned long hugepages_total;
    unsigned long hugepages_free;
    unsigned int utiliza;
    unsigned char reserve[60];
};

struct dcmi_proc_mem_info {
    int proc_id;
    unsigned long long proc_mem_usage;
};

struct chip {
    int number; // of its device node
    int card, unit;
    char name[32];
    unsigned int die[5];
    unsigned long long memory_mb, used_mb;
    char state[16];
};

static int read_file(int number, const char *file, char *text, size_t size) {
    char path[128];
    snprintf(path, sizeof path, CHIPS "/%d/%s", number, file);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return 0;
    }
    size_t length = fread(text, 1, size - 1, f);
    fclose(f);
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    return 1;
}

static int read_chip(int number, struct chip *c) {
    char text[256];
    memset(c, 0, sizeof *c);
    c->number = number;
    if (!read_file(number, "facts", text, sizeof text)) {
        return 0;
    }
    if (sscanf(text, "%d %d %31s %llu %x-%x-%x-%x-%x", &c->card, &c->unit, c->name, &c->memory_mb, &c->die[0], &c->die[1],
               &c->die[2], &c->die[3], &c->die[4]) != 9) {
        return 0;
    }
    if (read_file(number, "used_mb", text, sizeof text)) {
        c->used_mb = strtoull(text, NULL, 10);
    }
    strcpy(c->state, "ok");
    if (read_file(number, "state", text, sizeof text)) {
        sscanf(text, "%15s", c->state);
    }
    return 1;
}

static int all(struct chip *chips) {
    DIR *folder = opendir(CHIPS);
    if (folder == NULL) {
        return 0;
    }
    int count = 0;
    struct dirent *entry;
    while (count < MOST_CHIPS && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && read_chip(atoi(entry->d_name), &chips[count])) {
            count++;
        }
    }
    closedir(folder);
    return count;
}

// find waits while the chip hangs, as a driver does that does not answer.
static int find_one(int card, int unit, struct chip *found) {
    for (;;) {
        struct chip chips[MOST_CHIPS];
        int count = all(chips), at = 0;
        while (at < count && !(chips[at].card == card && chips[at].unit == unit)) {
            at++;
        }
        if (at == count || strcmp(chips[at].state, "vanished") == 0) {
            return NOT_EXIST;
        }
        if (strcmp(chips[at].state, "hung") != 0) {
            *found = chips[at];
            return OK;
        }
        usleep(50 * 1000);
    }
}

// The library is not said to bear several threads: that one came in while another was inside can be seen by a file.
static atomic_int inside;

static int find(int card, int unit, struct chip *found) {
    if (atomic_fetch_add(&inside, 1) > 0) {
        FILE *f = fopen(CROWDED, "w");
        if (f != NULL) {
            fclose(f);
        }
    }
    int code = find_one(card, unit, found);
    atomic_fetch_sub(&inside, 1);
    return code;
}

EXPORT int dcmi_init(void) { return access("/dev/davinci_manager", F_OK) == 0 ? OK : NOT_EXIST; }

EXPORT int dcmi_get_card_list(int *card_num, int *card_list, int list_len) {
    struct chip chips[MOST_CHIPS];
    int count = all(chips);
    *card_num = 0;
    for (int i = 0; i < count; i++) {
        int known = 0;
        for (int k = 0; k < *card_num; k++) {
            known |= card_list[k] == chips[i].card;
        }
        if (!known && *card_num < list_len) {
            card_list[(*card_num)++] = chips[i].card;
        }
    }
    return OK;
}

EXPORT int dcmi_get_device_num_in_card(int card_id, int *device_num) {
    struct chip chips[MOST_CHIPS];
    int count = all(chips);
    *device_num = 0;
    for (int i = 0; i < count; i++) {
        if (chips[i].card == card_id && chips[i].unit >= *device_num) {
            *device_num = chips[i].unit + 1;
        }
    }
    return *device_num > 0 ? OK : NOT_EXIST;
}

EXPORT int dcmi_get_device_type(int card_id, int device_id, int *device_type) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    *device_type = 0;
    return code;
}

EXPORT int dcmi_get_device_chip_info(int card_id, int device_id, struct dcmi_chip_info *info) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (code == OK) {
        memset(info, 0, sizeof *info);
        strcpy((char *)info->chip_type, "Ascend");
        strcpy((char *)info->chip_name, c.name);
        strcpy((char *)info->chip_ver, "V1");
        info->aicore_cnt = 2;
    }
    return code;
}

EXPORT int dcmi_get_device_logic_id(int *device_logic_id, int card_id, int device_id) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (code == OK) {
        *device_logic_id = c.number;
    }
    return code;
}

EXPORT int dcmi_get_device_phyid_from_logicid(unsigned int logicid, unsigned int *phyid) {
    *phyid = logicid;
    return OK;
}

EXPORT int dcmi_get_device_die_v2(int card_id, int device_id, int input_type, struct dcmi_die_id *die_id) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (input_type != 1) {
        return INVALID_PARAMETER;
    }
    if (code == OK) {
        memcpy(die_id->soc_die, c.die, sizeof c.die);
    }
    return code;
}

EXPORT int dcmi_get_device_health(int card_id, int device_id, unsigned int *health) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (code == OK) {
        *health = strcmp(c.state, "failed") == 0 ? 3 : strcmp(c.state, "starting") == 0 ? 0xFFFFFFFF : 0;
    }
    return code;
}

EXPORT int dcmi_get_device_utilization_rate(int card_id, int device_id, int input_type, unsigned int *rate) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (input_type != 2) {
        return NOT_SUPPORTED;
    }
    if (code == OK) {
        *rate = c.used_mb > 0 ? 42 : 0;
    }
    return code;
}

EXPORT int dcmi_get_device_memory_info_v3(int card_id, int device_id, struct dcmi_get_memory_info_stru *info) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    if (code == OK) {
        memset(info, 0, sizeof *info);
        info->memory_size = c.memory_mb;
        info->memory_available = c.memory_mb - c.used_mb;
        info->utiliza = (unsigned int)(c.used_mb * 100 / c.memory_mb);
    }
    return code;
}

EXPORT int dcmi_get_device_temperature(int card_id, int device_id, int *temperature) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    *temperature = 56;
    return code;
}

// The 310 measures each chip, the 310P the card as a whole.
EXPORT int dcmi_get_device_power_info(int card_id, int device_id, int *power) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    *power = 128;
    return code == OK && strncmp(c.name, "310P", 4) == 0 ? NOT_SUPPORTED : code;
}

EXPORT int dcmi_mcu_get_power_info(int card_id, int *power) {
    (void)card_id;
    *power = 391;
    return OK;
}

EXPORT int dcmi_get_device_resource_info(int card_id, int device_id, struct dcmi_proc_mem_info *list, int *count) {
    struct chip c;
    int code = find(card_id, device_id, &c);
    *count = 0;
    if (code != OK) {
        return code;
    }
    char path[128];
    snprintf(path, sizeof path, CHIPS "/%d/processes", c.number);
    FILE *f = fopen(path, "r");
    if (f != NULL) {
        unsigned long long mb;
        while (*count < MOST_PROCESSES && fscanf(f, "%d %llu", &list[*count].proc_id, &mb) == 2) {
            list[(*count)++].proc_mem_usage = mb << 20;
        }
        fclose(f);
    }
    return OK;
}
