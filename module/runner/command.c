/* command.c -- what is to be run: see command.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"

#include "aqfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRINGS_MOST 65536
#define KEEP_MOST (1U << 20)

struct request_row {
    const char *word;
    const char *(*take)(struct command *command, const struct record *record);
};

/* The body as a string; NULL when it has a NUL or there is no memory. */
static char *body_string(const struct record *record) {
    return memchr(record->body, '\0', record->length) ? NULL
                                                      : strndup(record->body, record->length);
}

static const char *add_string(struct strings *strings, const struct record *record) {
    if (strings->n + 2 > strings->cap) {
        size_t cap = strings->cap ? 2 * strings->cap : 32;
        char **at = cap > STRINGS_MOST ? NULL : realloc(strings->at, cap * sizeof *at);
        if (!at)
            return "too many words";
        strings->at = at;
        strings->cap = cap;
    }
    char *string = body_string(record);
    if (!string)
        return "a word with a NUL";
    strings->at[strings->n++] = string;
    strings->at[strings->n] = NULL;
    return NULL;
}

static const char *take_runner_version(struct command *command, const struct record *record) {
    size_t n = strlen(AQFS_VERSION);
    if (record->length != n || memcmp(record->body, AQFS_VERSION, n) != 0)
        return "it is of version " AQFS_VERSION ", and who asks is of another";
    command->understood = true;
    return NULL;
}

static const char *take_argument(struct command *command, const struct record *record) {
    return add_string(&command->words, record);
}

static const char *take_variable(struct command *command, const struct record *record) {
    return add_string(&command->environment, record);
}

static const char *take_place(struct command *command, const struct record *record) {
    if (command->directory || record->length == 0 || record->body[0] != '/')
        return "expected one directory, an absolute path";
    command->directory = body_string(record);
    return command->directory ? NULL : "a directory with a NUL";
}

static const char *take_terminal(struct command *command, const struct record *record) {
    uint64_t size[2];
    if (!record_numbers(record, 2, size) || size[0] > 9999 || size[1] > 9999)
        return "expected lines and columns of the terminal";
    command->terminal = true;
    command->rows = (unsigned short)size[0];
    command->columns = (unsigned short)size[1];
    return NULL;
}

static const char *take_mark(struct command *command, const struct record *record) {
    const char *space = memchr(record->body, ' ', record->length);
    struct record limit = {.body = space ? space + 1 : record->body};
    uint64_t kibibytes;
    limit.length = space ? record->length - (size_t)(limit.body - record->body) : 0;
    /* A limit of 0 would be read where a process has none. */
    if (command->mark || !space || !record_numbers(&limit, 1, &kibibytes) || kibibytes == 0)
        return "expected one mark: a value and a limit above 0";
    command->mark = strndup(record->body, (size_t)(space - record->body));
    command->mark_limit = (rlim_t)kibibytes * 1024;
    return command->mark ? NULL : "there is no memory";
}

/* How much of a flood reaches the owner: bytes at once, and bytes of the end. */
static const char *take_flood_window(struct command *command, const struct record *record) {
    uint64_t sizes[2];
    if (!record_numbers(record, 2, sizes) || sizes[1] < 1 || sizes[1] > KEEP_MOST)
        return "expected the bytes to send and the bytes to keep";
    command->credit = sizes[0];
    command->keep = (size_t)sizes[1];
    return NULL;
}

static const char *take_filter(struct command *command, const struct record *record) {
    command->filter = true;
    return record->length ? "expected nothing" : NULL;
}

static const char *take_deaf(struct command *command, const struct record *record) {
    command->deaf = true;
    return record->length ? "expected nothing" : NULL;
}

static const struct {
    const char *name;
    __rlimit_resource_t resource;
} limit_names[] = {{"processes", RLIMIT_NPROC},
                   {"memory", RLIMIT_AS},
                   {"file", RLIMIT_FSIZE},
                   {"files", RLIMIT_NOFILE},
                   {"seconds", RLIMIT_CPU}};

static const char *take_limit(struct command *command, const struct record *record) {
    static const char expected[] =
        "expected processes, memory, file, files or seconds, and a number";
    for (size_t i = 0; i < sizeof limit_names / sizeof *limit_names; i++) {
        size_t n = strlen(limit_names[i].name);
        uint64_t most;
        if (record->length <= n || memcmp(record->body, limit_names[i].name, n) != 0 ||
            record->body[n] != ' ')
            continue;
        struct record number = {.body = record->body + n + 1, .length = record->length - n - 1};
        if (!record_numbers(&number, 1, &most) || command->limit_count == LIMITS_MOST)
            return expected;
        command->limits[command->limit_count++] =
            (struct resource_limit){limit_names[i].resource, (rlim_t)most};
        return NULL;
    }
    return expected;
}

static const char *take_fence(struct command *command, const struct record *record) {
    command->fenced = true;
    return record->length ? "expected nothing" : NULL;
}

static const char *take_mask(struct command *command, const struct record *record) {
    if (record->length < 2 || record->body[0] != '/')
        return "expected an absolute path";
    return add_string(&command->masks, record);
}

static const char *take_guarded(struct command *command, const struct record *record) {
    if (record->length == 0 || record->body[0] == '/')
        return "expected a relative path";
    return add_string(&command->guarded, record);
}

static const char *take_reach(struct command *command, const struct record *record) {
    char *path = record->length > 0 && record->body[0] == '/' ? body_string(record) : NULL;
    if (!path)
        return "expected an absolute path";
    enum reachable reach = record_is(record, "hide")    ? REACH_NOTHING
                           : record_is(record, "write") ? REACH_WRITING
                                                        : REACH_READING;
    return reach_add(&command->reach, path, reach) ? NULL : "there are too many rules";
}

static const char *take_start(struct command *command, const struct record *record) {
    if (record->length)
        return "expected nothing";
    if (command->words.n == 0 || command->words.at[0][0] != '/')
        return "the program is missing, or no absolute path";
    if (!command->directory)
        return "the directory is missing";
    if (command->keep == 0)
        return "the window is missing";
    command->ready = true;
    return NULL;
}

static const struct request_row request_rows[] = {
    {"word", take_argument},     {"variable", take_variable},   {"directory", take_place},
    {"terminal", take_terminal}, {"window", take_flood_window}, {"limit", take_limit},
    {"filter", take_filter},     {"deaf", take_deaf},           {"mark", take_mark},
    {"fence", take_fence},       {"guard", take_guarded},       {"mask", take_mask},
    {"read", take_reach},        {"write", take_reach},         {"hide", take_reach},
    {"start", take_start},
};

const char *command_take(struct command *command, const struct record *record) {
    if (record_is(record, "version"))
        return take_runner_version(command, record);
    if (!command->understood)
        return "the version comes first";
    for (size_t i = 0; i < sizeof request_rows / sizeof *request_rows; i++)
        if (record_is(record, request_rows[i].word))
            return request_rows[i].take(command, record);
    return "there is no such record";
}

const char *command_variable(const struct command *command, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < command->environment.n; i++) {
        const char *entry = command->environment.at[i];
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    }
    return NULL;
}

bool command_set_variable(struct command *command, const char *name, const char *value) {
    struct strings *all = &command->environment;
    size_t length = strlen(name), size = length + strlen(value) + 2;
    char *entry = malloc(size);
    if (!entry)
        return false;
    (void)snprintf(entry, size, "%s=%s", name, value);
    for (size_t i = 0; i < all->n; i++)
        if (strncmp(all->at[i], entry, length + 1) == 0) {
            free(all->at[i]);
            all->at[i] = entry;
            return true;
        }
    const struct record record = {.body = entry, .length = size - 1};
    bool good = !add_string(all, &record);
    free(entry);
    return good;
}

static void free_strings(struct strings *strings) {
    for (size_t i = 0; i < strings->n; i++)
        free(strings->at[i]);
    free(strings->at);
}

void command_free(struct command *command) {
    free_strings(&command->words);
    free_strings(&command->environment);
    free_strings(&command->guarded);
    free_strings(&command->masks);
    reach_free(&command->reach);
    free(command->directory);
    free(command->mark);
    *command = (struct command){0};
}
