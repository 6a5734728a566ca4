/* repository.c -- which directory git takes for a repository's own, whatever its name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repository.h"

#include "cleanup.h"
#include "path.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    unsigned part;
} parts_of_git[] = {
    {"HEAD", REPOSITORY_HEAD},
    {"commondir", REPOSITORY_COMMONDIR},
    {"objects", REPOSITORY_OBJECTS},
    {"refs", REPOSITORY_REFS},
};

#define PART_COUNT (sizeof parts_of_git / sizeof *parts_of_git)

unsigned repository_part(const char *name, size_t n) {
    for (size_t i = 0; i < PART_COUNT; i++)
        if (n == strlen(parts_of_git[i].name) && strncasecmp(name, parts_of_git[i].name, n) == 0)
            return parts_of_git[i].part;
    return 0;
}

bool repository_is_whole(unsigned parts) {
    return (parts & REPOSITORY_HEAD) &&
           ((parts & REPOSITORY_COMMONDIR) || (parts & REPOSITORY_CORE) == REPOSITORY_CORE);
}

unsigned repository_parts(const struct node *directory, unsigned parts) {
    unsigned found = 0;
    struct info info;
    struct error ignored;
    for (size_t i = 0; i < PART_COUNT; i++)
        if ((parts & parts_of_git[i].part) &&
            !directory->backend->stat_below(directory, parts_of_git[i].name, &info, &ignored))
            found |= parts_of_git[i].part;
    return found;
}

bool repository_is_pointer(const char *bytes, size_t n) {
    static const char word[] = REPOSITORY_WORD;
    return n > sizeof word && memcmp(bytes, word, sizeof word - 1) == 0 &&
           bytes[sizeof word - 1] != '\n';
}

static bool holds_pointer(const struct node *file) {
    char bytes[REPOSITORY_POINTER];
    if (file->info.size > (int64_t)sizeof bytes)
        return false;
    ssize_t n = file->backend->read(file, bytes, sizeof bytes, 0);
    return n > 0 && repository_is_pointer(bytes, (size_t)n);
}

bool repository_begins_tree(const struct node *directory) {
    const struct backend *backend = directory->backend;
    AUTO(node_close) struct node git = {0};
    struct error ignored;
    struct info info;
    if (backend->stat_below(directory, ".git", &info, &ignored))
        return false;
    bool is_file = info.type == NODE_FILE;
    if (!is_file && info.type != NODE_DIRECTORY)
        return false;
    if (backend->open_below(directory, ".git", is_file ? OPEN_FILE : OPEN_DIRECTORY, &git,
                            &ignored))
        return false;
    return is_file ? holds_pointer(&git) : repository_is_whole(repository_parts(&git, ~0U));
}
