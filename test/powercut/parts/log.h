/* log.h -- what was asked of the disks, call by call, in the order in which the calls ended.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_LOG_H
#define POWERCUT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum event_kind {
    EVENT_NAMES,     /* directories have other names: files that are made, linked, moved, removed */
    EVENT_WRITE,     /* bytes of a file */
    EVENT_SIZE,      /* a file was cut */
    EVENT_MODE,      /* permissions */
    EVENT_OWNER,     /* owner and group */
    EVENT_ATTRIBUTE, /* an extended attribute */
    EVENT_SYNC,      /* fsync of a file or a directory */
    EVENT_DATA_SYNC, /* fdatasync */
    EVENT_SYNC_ALL,  /* syncfs */
    EVENT_ANSWER,    /* the caller was answered */
};

/* A name of a directory, and the inode that it has now; 0: it is free. */
struct naming {
    uint64_t directory;
    char *name;
    uint64_t inode;
    int64_t modified_ns; /* the directory's */
};

struct event {
    enum event_kind kind;
    const char *call;
    uint64_t inode; /* the file that it is about */
    struct naming names[2];
    size_t names_n;
    bool makes;    /* the inode is new: type and permissions in `mode`, a link's text in `bytes` */
    bool replaces; /* a rename over a file that was there */
    bool exchanges;
    mode_t mode;
    uid_t owner;
    gid_t group;
    int64_t offset; /* of a write; of EVENT_SIZE the size */
    char *bytes;
    size_t n;
    char *attribute;
    int64_t modified_ns; /* the file's, behind the call */
    bool failed;         /* a sync that did */
};

struct log {
    struct event *events;
    size_t n, room;
};

/* Adds EVENT, and takes what it points to. */
void log_add(struct log *log, const struct event *event);
/* Prints the calls. */
void log_tell(const struct log *log);
void log_free(struct log *log);

#endif
