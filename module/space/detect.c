/* detect.c -- which directory is the project's root.
 *
 * SPDX-License-Identifier: MIT
 */
#include "detect.h"

#include "canonical.h"
#include "cleanup.h"
#include "git_tree.h"
#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_directory_path(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* PATH in canonical form when it names a directory by an absolute path, else NULL. */
static char *canonical_directory(const char *path) {
    char *real = path && path[0] == '/' ? canonical_path(path) : NULL;
    if (real && !is_directory_path(real)) {
        free(real);
        return NULL;
    }
    return real;
}

static bool is_home(const char *canonical, const char *home) {
    struct stat a, b;
    return home && home[0] == '/' && stat(home, &a) == 0 && stat(canonical, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool may_be_found(const char *canonical, const char *home) {
    return strcmp(canonical, "/") != 0 && !is_home(canonical, home);
}

static char *git_root(const char *start, const char *home) {
    char *path = canonical_directory(start);
    if (path && git_tree_find(path, home))
        return path;
    free(path);
    return NULL;
}

/* The prefix of START that leads to ROOT, perhaps through links, so that the caller's spelling of
 * the root is kept; ROOT itself where no prefix does. */
static char *spelling_of(const char *root, const char *start) {
    AUTO_FREE char *path = strdup(start);
    while (path && path[0] == '/' && path[1]) {
        AUTO_FREE char *real = canonical_directory(path);
        if (real && strcmp(real, root) == 0)
            return steal_pointer(&path);
        *strrchr(path, '/') = '\0';
    }
    return strdup(root);
}

static int accept_explicit(const char *root, char **canonical, struct error *e) {
    char label[PATH_LABEL];
    path_label(root, strlen(root), label);
    if (root[0] != '/')
        return fail(e, AQFS_INVALID_ARGUMENT, "root: expected an absolute path, got %s", label);
    *canonical = canonical_directory(root);
    if (!*canonical)
        return fail(e, errno == EACCES ? AQFS_PERMISSION : AQFS_NOT_FOUND,
                    "root: %s is not a directory that can be opened", label);
    if (strcmp(*canonical, "/") != 0)
        return AQFS_OK;
    free(steal_pointer(canonical));
    return fail(e, AQFS_INVALID_ARGUMENT, "root: / is never a project root");
}

static int found_explicit(const char *root, char **canonical, char **spelled, struct error *e) {
    int code = accept_explicit(root, canonical, e);
    if (code)
        return code;
    *spelled = strdup(root);
    return *spelled ? AQFS_OK : fail_memory(e);
}

int detect_root(const struct root_sources *s, char **canonical, char **spelled, const char **method,
                struct error *e) {
    const struct {
        const char *method, *spelled;
    } sources[] = {
        {"git", s->start}, {"asdf", s->asdf_root}, {"sly", s->sly_directory}, {"cwd", s->cwd}};
    if (s->explicit_root) {
        *method = "explicit";
        return found_explicit(s->explicit_root, canonical, spelled, e);
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        AUTO_FREE char *found = i == 0 ? git_root(sources[i].spelled, s->home)
                                       : canonical_directory(sources[i].spelled);
        if (!found || !may_be_found(found, s->home))
            continue;
        *method = sources[i].method;
        *spelled = spelling_of(found, sources[i].spelled);
        *canonical = steal_pointer(&found);
        return *spelled ? AQFS_OK : fail_memory(e);
    }
    return fail(e, AQFS_INVALID_ARGUMENT,
                "No project root was found: give `root`, the absolute path of a directory "
                "(/ and the home directory are not taken by themselves)");
}
