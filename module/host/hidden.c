/* hidden.c -- restricted places by their identity: what is restricted under another name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hidden.h"

#include "cleanup.h"
#include "clock.h"
#include "host.h"
#include "kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Entries below restricted directories that are looked at, and levels. */
#define ENTRIES_MOST 100000
#define LEVELS_MOST 64

/* For how long the files that were found below are used. */
#define BELOW_NS INT64_C(1000000000)

/* A file's time of change may be that much older than the moment of the change. */
#define TICK_NS INT64_C(50000000)

struct identity {
    uint64_t device, inode;
};

/* The place that the name of a rule leads to; inode 0: nothing. */
struct rule_place {
    const struct rule *rule;
    _Atomic uint64_t device, inode;
    _Atomic bool is_directory;
};

struct hidden {
    const struct rules *rules;
    struct rule_place *places; /* of the rules that deny */
    size_t n;
    pthread_mutex_t lock; /* guards what follows */
    struct identity *below;
    size_t below_n, below_room;
    size_t looked; /* entries */
    bool cut;      /* there are more than was looked at */
    int64_t made_ns, real_ns;
};

int hidden_open(struct aqfs_workspace *ws, struct error *e) {
    if (!ws->rules.any_deny)
        return AQFS_OK;
    struct hidden *h = calloc(1, sizeof *h);
    struct rule_place *places = calloc(ws->rules.n, sizeof *places);
    if (!h || !places) {
        free(h);
        free(places);
        return fail_memory(e);
    }
    h->rules = &ws->rules;
    h->places = places;
    for (size_t i = 0; i < ws->rules.n; i++)
        if (ws->rules.rules[i].deny && ws->rules.rules[i].len > 0)
            places[h->n++].rule = &ws->rules.rules[i];
    pthread_mutex_init(&h->lock, NULL);
    ws->hidden = h;
    return AQFS_OK;
}

void hidden_free(struct hidden *h) {
    if (!h)
        return;
    pthread_mutex_destroy(&h->lock);
    free(h->below);
    free(h->places);
    free(h);
}

/* A link that has taken the name by now does not make what it leads to restricted: whoever makes it
 * would decide about that. */
static void look_at_rule(struct rule_place *p) {
    struct info info = {0};
    bool found = kernel_stat_at(AT_FDCWD, p->rule->path, &info) == 0;
    atomic_store(&p->device, info.device);
    atomic_store(&p->is_directory, found && info.type == NODE_DIRECTORY);
    atomic_store(&p->inode, found ? info.inode : 0);
}

void hidden_refresh(struct hidden *h) {
    for (size_t i = 0; h && i < h->n; i++)
        look_at_rule(&h->places[i]);
}

/* -- files below restricted directories -------------------------------------------------------- */

static int compare_identities(const void *a, const void *b) {
    const struct identity *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Without memory it is as if there were more files than are looked at. */
static void add_below(struct hidden *h, const struct identity *identity) {
    if (h->below_n == h->below_room) {
        size_t room = h->below_room ? 2 * h->below_room : 64;
        struct identity *grown = realloc(h->below, room * sizeof *grown);
        if (!grown) {
            h->cut = true;
            return;
        }
        h->below = grown;
        h->below_room = room;
    }
    h->below[h->below_n++] = *identity;
}

static void look_below(struct hidden *h, int directory, struct buf *path, int level);

/* Leaves out the entries that an allowing rule below gives back. */
static void look_at_entry(struct hidden *h, int directory, const char *name, struct buf *path,
                          int level) {
    struct info info;
    size_t len = path->len;
    buf_char(path, '/');
    buf_str(path, name);
    bool denied = !path->failed && rules_deny(h->rules, path->data, path->len);
    if (denied && kernel_stat_at(directory, name, &info) == 0) {
        const struct identity identity = {info.device, info.inode};
        if (info.type == NODE_DIRECTORY) {
            AUTO(cleanup_close)
            int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            look_below(h, fd, path, level + 1);
        } else if (info.links > 1) {
            add_below(h, &identity);
        }
    }
    h->cut = h->cut || path->failed;
    path->len = len;
}

/* Looks at the entries of DIRECTORY, whose name is PATH.  One that cannot be read counts as more
 * than was looked at. */
static void look_below(struct hidden *h, int directory, struct buf *path, int level) {
    int own = directory < 0 || level > LEVELS_MOST ? -1 : fcntl(directory, F_DUPFD_CLOEXEC, 0);
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    if (!stream) {
        cleanup_close(&own);
        h->cut = true;
        return;
    }
    const struct dirent *entry;
    while (!h->cut && (entry = readdir(stream)) != NULL) {
        if (path_is_dots(entry->d_name))
            continue;
        h->cut = ++h->looked > ENTRIES_MOST;
        if (!h->cut)
            look_at_entry(h, directory, entry->d_name, path, level);
    }
    (void)closedir(stream);
}

static void find_below(struct hidden *h) {
    h->below_n = h->looked = 0;
    h->cut = false;
    h->real_ns = clock_wall_ns();
    h->made_ns = clock_now_ns();
    for (size_t i = 0; !h->cut && i < h->n; i++) {
        AUTO(buf_free) struct buf path = {0};
        const struct rule_place *p = &h->places[i];
        if (!atomic_load(&p->is_directory) || p->rule->state)
            continue;
        AUTO(cleanup_close) int fd = open(p->rule->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        buf_add(&path, p->rule->path, p->rule->len);
        look_below(h, fd, &path, 1);
    }
    if (h->below_n > 0)
        qsort(h->below, h->below_n, sizeof *h->below, compare_identities);
}

enum below { BELOW_NO, BELOW_YES, BELOW_UNKNOWN };

/* A file that has got a name since the others were found shows that by its time of change. */
static enum below is_below(struct hidden *h, const struct info *info) {
    const struct identity wanted = {info->device, info->inode};
    pthread_mutex_lock(&h->lock);
    if (h->made_ns == 0 || info->changed_ns > h->real_ns - TICK_NS ||
        clock_now_ns() - h->made_ns > BELOW_NS)
        find_below(h);
    enum below answer = BELOW_NO;
    if (h->below_n > 0 && bsearch(&wanted, h->below, h->below_n, sizeof wanted, compare_identities))
        answer = BELOW_YES;
    else if (h->cut)
        answer = BELOW_UNKNOWN;
    pthread_mutex_unlock(&h->lock);
    return answer;
}

/* -- asking ------------------------------------------------------------------------------------ */

static bool is_place_of_rule(const struct hidden *h, const struct info *info) {
    for (size_t i = 0; i < h->n; i++)
        if (info->inode != 0 && atomic_load(&h->places[i].inode) == info->inode &&
            atomic_load(&h->places[i].device) == info->device)
            return true;
    return false;
}

int hidden_refuse(struct hidden *h, const struct info *info, struct error *e) {
    if (!h)
        return AQFS_OK;
    if (is_place_of_rule(h, info))
        return fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
    bool has_names = info->links > 1 && info->type != NODE_DIRECTORY;
    enum below below = has_names ? is_below(h, info) : BELOW_NO;
    if (below == BELOW_UNKNOWN)
        return fail_path(e, AQFS_RESTRICTED, FAULT_NAMES, "It has several names");
    return below == BELOW_NO ? AQFS_OK
                             : fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
}

int hidden_refuse_open(struct hidden *h, int descriptor, struct error *e) {
    struct info info;
    if (!h)
        return AQFS_OK;
    int error = kernel_stat(descriptor, &info);
    return error ? fail_path_errno(e, -error, "stat") : hidden_refuse(h, &info, e);
}

/* A directory counts its subdirectories among its links, on most file systems.  A rule that was
 * given through a link is there twice. */
void hidden_uncount(const struct aqfs_workspace *ws, const char *absolute, size_t n,
                    struct info *info) {
    const struct hidden *h = ws->hidden;
    for (size_t i = 0; h && i < h->n; i++) {
        const struct rule *rule = h->places[i].rule;
        const char *name = path_basename(rule->path);
        bool inside = rule->path + n + 1 == name && memcmp(rule->path, absolute, n) == 0;
        for (size_t j = 0; inside && j < i; j++)
            inside = strcmp(h->places[j].rule->path, rule->path) != 0;
        struct stat s;
        if (inside && info->links > 2 && lstat(rule->path, &s) == 0 && S_ISDIR(s.st_mode))
            info->links--;
    }
}
