/* limit.h -- how much of everything, once.
 *
 * X(field, default, least, most): each is an option of `aqfs_open` under "limits".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LIMIT_H
#define AQFS_LIMIT_H

#include <stdint.h>

#define LIMITS(X)                                                                                  \
    X(read_lines, 2000, 1, 1000000000)         /* lines of read_file without an explicit end */    \
    X(read_bytes, 67108864, 1, 1099511627776)  /* whole-file reads, and files with a version */    \
    X(write_bytes, 67108864, 1, 1099511627776) /* content of one write */                          \
    X(patch_bytes, 16777216, 1, 1099511627776) /* one patch */                                     \
    X(list_entries, 200, 1, 1000000000)        /* default limit of listings */                     \
    X(grep_matches, 1000, 1, 1000000000)       /* most that grep_files returns by default... */    \
    X(reply_bytes, 8388608, 4096, 1073741824)  /* one reply's data */                              \
    X(text_bytes, 262144, 1024, 1073741824)    /* one reply's words for a model */                 \
    X(walk_entries, 5000000, 1, 1000000000)    /* names one call may look at */                    \
    X(walk_depth, 256, 1, 256)                 /* directories below the start */                   \
    X(snapshots, 200, 1, 1000000)              /* kept; the oldest go first... */                  \
    X(snapshot_days, 90, 1, 100000)            /* ... and those that are older... */               \
    X(snapshot_bytes, 8589934592, 1048576, 1099511627776) /* ... or for which there is no room */  \
    X(threads, 0, 0, 64)           /* workers a call may use; 0 = as many as are of use */         \
    X(time_ms, 30000, 1, 86400000) /* one call */                                                  \
    X(regex_steps, 50000000, 1000, 1000000000000)   /* backtracking of one grep */                 \
    X(memory_bytes, 268435456, 4096, 1099511627776) /* a workspace in memory, with snapshots */    \
    X(mount_bytes, 268435456, 0, 1099511627776)     /* what all mounts bring */                    \
    X(session_chars, 48000, 1, 1000000000)          /* content of one write in a session */        \
    X(session_depth, 16, 1, 2048)                   /* segments of a path in a session */          \
    X(session_segment, 80, 1, 255)                  /* characters of a segment in a session */

struct limits {
#define X(field, value, least, most) int64_t field;
    LIMITS(X)
#undef X
};

#endif
