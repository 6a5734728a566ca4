/* limit.h -- all limits, defined once.
 *
 * X(field, default, least, most, words): each is an option of `aqfs_open` under
 * "limits".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LIMIT_H
#define AQFS_LIMIT_H

#include <stdint.h>

#define LIMITS(X)                                                                                  \
    X(read_lines, 2000, 1, 1000000000,                                                             \
      "The most lines that read_file shows when the call names no end.")                           \
    X(read_bytes, 67108864, 1, 1099511627776,                                                      \
      "The most bytes of a file that is read whole, or that gets a version.")                      \
    X(write_bytes, 67108864, 1, 1099511627776, "The most bytes that one call writes into a file.") \
    X(patch_bytes, 16777216, 1, 1099511627776, "The most bytes of one patch.")                     \
    X(list_entries, 200, 1, 1000000000,                                                            \
      "The most entries that list_directory shows when the call names no limit.")                  \
    X(grep_matches, 1000, 1, 1000000000,                                                           \
      "The most matches that grep_files shows when the call names no limit.")                      \
    X(reply_bytes, 8388608, 4096, 1073741824, "The most bytes of one reply's data.")               \
    X(text_bytes, 262144, 1024, 1073741824, "The most bytes of one reply's words for a model.")    \
    X(walk_entries, 5000000, 1, 1000000000, "The most names that one call looks at.")              \
    X(walk_depth, 256, 1, 256, "The most levels of directories below the start of a walk.")        \
    X(snapshots, 200, 1, 1000000,                                                                  \
      "The most snapshots that are kept; the oldest are forgotten first.")                         \
    X(snapshot_days, 90, 1, 100000, "The days after which a snapshot is forgotten.")               \
    X(snapshot_bytes, 8589934592, 1048576, 1099511627776,                                          \
      "The most bytes that all snapshots take; the oldest are forgotten first.")                   \
    X(kept_calls, 1000, 0, 1000000,                                                                \
      "The most calls whose changes can be taken back; the oldest are forgotten first.")           \
    X(kept_bytes, 536870912, 0, 1099511627776,                                                     \
      "The most bytes that are kept of what calls replaced; the oldest are forgotten first.")      \
    X(threads, 0, 0, 64, "The threads that one call may use; 0 lets the core choose.")             \
    X(time_ms, 30000, 1, 86400000, "The milliseconds that one call may take.")                     \
    X(regex_steps, 50000000, 1000, 1000000000000,                                                  \
      "The steps of backtracking that one grep_files may take.")                                   \
    X(memory_bytes, 268435456, 4096, 1099511627776,                                                \
      "The most bytes of a workspace in memory, with its snapshots.")                              \
    X(mount_bytes, 268435456, 0, 1099511627776, "The most bytes that all mounts bring together.")  \
    X(session_chars, 48000, 1, 1000000000, "The most characters of one write in a session.")       \
    X(session_depth, 16, 1, 2048, "The most segments of a path in a session.")                     \
    X(session_segment, 80, 1, 255, "The most characters of one segment of a path in a session.")

struct limits {
#define X(field, value, least, most, doc) int64_t field;
    LIMITS(X)
#undef X
};

#endif
