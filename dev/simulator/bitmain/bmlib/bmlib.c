// A stand-in for Sophgo's libbmlib.so: the symbols, layouts and return codes that bmlib_runtime.h declares, with chips that
// it reads from files in /dev/sophon-simulator/<number of the device node>. Every call reads them again, so that a fault acts
// on a running process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CHIPS "/dev/sophon-simulator"
#define NODE "/dev/bm-sophon"

enum { BM_SUCCESS = 0, BM_ERR_DEVNOTREADY = 1, BM_ERR_FAILURE = 2 };

typedef struct {
    unsigned int mem_total, mem_avail, mem_used;
} bm_heap_stat_t;

typedef struct {
    int mem_total, mem_used, tpu_util, heap_num;
    bm_heap_stat_t heap_stat[4];
} bm_dev_stat_t;

typedef struct bm_context {
    int number;
} *bm_handle_t;

struct chip {
    unsigned int chipid;
    char sn[18];
    int memory_mb, used_mb;
    unsigned int instead; // of every figure, where it is not 0: the driver's 0xFFFFFC00 and 0xFFFFFC01
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
    return 1;
}

// read_chip waits while the chip hangs, as a driver does that does not answer.
static int read_chip(int number, struct chip *c) {
    char text[256], node[64];
    snprintf(node, sizeof node, NODE "%d", number);
    for (;;) {
        memset(c, 0, sizeof *c);
        strcpy(c->state, "ok");
        if (access(node, F_OK) != 0 || !read_file(number, "facts", text, sizeof text) ||
            sscanf(text, "%x %17s %d", &c->chipid, c->sn, &c->memory_mb) != 3) {
            return BM_ERR_DEVNOTREADY;
        }
        if (read_file(number, "used_mb", text, sizeof text)) {
            c->used_mb = atoi(text);
        }
        if (read_file(number, "instead", text, sizeof text)) {
            c->instead = strtoul(text, NULL, 16);
        }
        if (read_file(number, "state", text, sizeof text)) {
            sscanf(text, "%15s", c->state);
        }
        if (strcmp(c->state, "hung") != 0) {
            return BM_SUCCESS;
        }
        usleep(50 * 1000);
    }
}

EXPORT int bm_dev_request(bm_handle_t *handle, int devid) {
    struct chip c;
    int code = read_chip(devid, &c);
    if (code == BM_SUCCESS) {
        *handle = malloc(sizeof **handle);
        (*handle)->number = devid;
    }
    return code;
}

EXPORT void bm_dev_free(bm_handle_t handle) { free(handle); }

EXPORT int bm_get_stat(bm_handle_t handle, bm_dev_stat_t *stat) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    if (code == BM_SUCCESS) {
        memset(stat, 0, sizeof *stat);
        stat->mem_total = c.memory_mb;
        stat->mem_used = c.used_mb;
        stat->tpu_util = c.instead ? (int)c.instead : c.used_mb > 0 ? 37 : 0;
        stat->heap_num = 1;
    }
    return code;
}

EXPORT int bm_get_chipid(bm_handle_t handle, unsigned int *chipid) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    *chipid = c.chipid;
    return code;
}

EXPORT int bm_get_status(bm_handle_t handle, int *status) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    *status = strcmp(c.state, "failed") == 0;
    return code;
}

EXPORT int bm_get_sn(bm_handle_t handle, char *sn) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    if (code == BM_SUCCESS) {
        strcpy(sn, c.sn);
    }
    return code;
}

EXPORT int bm_get_chip_temp(bm_handle_t handle, unsigned int *celsius) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    *celsius = c.instead ? c.instead : 55;
    return code;
}

EXPORT int bm_get_tpu_power(bm_handle_t handle, float *watts) {
    struct chip c;
    int code = read_chip(handle->number, &c);
    *watts = c.instead ? c.instead / 1e6f : 2.1f; // the driver gives microwatts
    return code;
}
