/* SPDX-License-Identifier: MIT */
/* place.c -- the tree that is raced on: see place.h. */
#include "place.h"

#include "child.h"
#include "die.h"
#include "files.h"
#include "picture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

char *base;
const char *const swaps[SWAPS] = {"out", "hidden", "store", "bare", "hooks"};

/* The directories that change places with `d`, open since they were made. */
static int stores[2] = {-1, -1};

/* The same names everywhere, so that a swap is never betrayed by a missing file; marked are the
 * contents, one name, and the files' MODE. */
static void fill(const char *directory, const char *mark, mode_t mode) {
    char *content = path_of("%s common\n", mark);
    const char *const below[] = {"", "sub/"};
    for (size_t i = 0; i < 2; i++) {
        char *f = path_of("%s/%sf", directory, below[i]);
        char *marked = path_of("%s/%s%s", directory, below[i], mark);
        make_file(f, content);
        make_file(marked, content);
        if (i == 0)
            must(chmod(f, mode) == 0, f);
        free(f), free(marked);
    }
    free(content);
}

static int open_store(const char *path) {
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    must(fd >= 0, path);
    return fd;
}

void make_place(void) {
    base = make_temporary("aqfs-race");
    must(chdir(base) == 0, base);
    fill("root/d", MARK_INSIDE, 0644);
    fill("outside", MARK_OUTSIDE, 0604);
    fill("root/restricted", MARK_RESTRICTED, 0640);
    fill("root/.git", MARK_STORE, 0640);
    make_repository("root/.git");
    fill("root/bare", MARK_STORE, 0640);
    make_repository("root/bare");
    fill("root/hooks", MARK_STORE, 0640);
    stores[0] = open_store("root/bare");
    stores[1] = open_store("root/hooks");
    make_file("root/d/.git", "gitdir: ../worktrees/d\n");
    make_file("outside/only", "");
    make_file("root/restricted/only", "");
    make_link("root/out", "../outside");
    make_link("root/hidden", "restricted");
    make_link("root/store", ".git");
    copy_tree("root/d", "original");
}

void remove_place(void) {
    must(chdir("/") == 0, "chdir");
    close(stores[0]), close(stores[1]);
    remove_all(base);
    free(base);
}

void restore_place(void) {
    static const char *const changed[] = {"d", "g", "h", "s"};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        char *path = path_of("root/%s", changed[i]);
        remove_all(path);
        free(path);
    }
    struct names names = names_below("root");
    for (size_t i = 0; i < names.n; i++) {
        char *path = path_of("root/%s", names.names[i]);
        if (strncmp(names.names[i], ".aqfs-", 6) == 0)
            remove_all(path);
        free(path);
    }
    free_names(&names);
    copy_tree("original", "root/d");
}

char *untouchable(void) {
    char *outside = picture_of("outside", true, true);
    char *restricted = picture_of("root/restricted", true, true);
    char *git = picture_of("root/.git", true, true);
    char *all = path_of("%s/%s/%s", outside, restricted, git);
    free(outside), free(restricted), free(git);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        char *path = path_of("/proc/self/fd/%d/.", stores[i]), *rest = all;
        char *store = picture_of(path, true, true);
        all = path_of("%s/%s", rest, store);
        free(path), free(store), free(rest);
    }
    return all;
}

bool was_kept(const char *sign) {
    char *picture = picture_of("state/kept", false, true);
    bool found = strstr(picture, sign) != NULL;
    free(picture);
    return found;
}

bool has_come_in(const char *sign) {
    bool found = false;
    struct names names = names_below("root");
    for (size_t i = 0; i < names.n; i++) {
        char *path = path_of("root/%s", names.names[i]);
        char *picture =
            strcmp(names.names[i], "restricted") == 0 ? NULL : picture_of(path, false, true);
        found = found || (picture && strstr(picture, sign));
        free(path), free(picture);
    }
    free_names(&names);
    return found;
}

/* -- the renaming process --------------------------------------------------------------------- */

static void swap(const char *link) {
    (void)renameat2(AT_FDCWD, "d", AT_FDCWD, link, RENAME_EXCHANGE);
}

/* `d` is a link for a moment now and then, LONGEST calls apart: what takes many steps would else
 * never come to its end. */
static void rename_for_ever(const char *link, unsigned longest) {
    unsigned random = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    must(chdir("root") == 0, "chdir");
    for (;;) {
        swap(link);
        swap(link);
        random = random * 1103515245 + 12345;
        for (unsigned wait = longest ? (random >> 16) % longest : 0; wait > 0; wait--)
            (void)getppid();
    }
}

/* Makes the root a repository, or ends that. */
static void be_repository(bool be) {
    static const char *const parts[] = {"root/HEAD", "root/objects", "root/refs"};
    if (be)
        make_repository("root");
    for (size_t i = 0; !be && i < sizeof parts / sizeof *parts; i++)
        remove_all(parts[i]);
}

static bool is_of_repository(const char *link) {
    return strcmp(link, swaps[SWAPS - 1]) == 0;
}

pid_t start_renamer(const char *link, unsigned longest) {
    if (is_of_repository(link))
        be_repository(true);
    pid_t child = start_child();
    if (child == 0)
        rename_for_ever(link, longest);
    return child;
}

void stop_renamer(pid_t child, const char *link) {
    char *other = path_of("root/%s", link);
    kill(child, SIGKILL);
    (void)end_child(child);
    if (access("root/d/" MARK_INSIDE, F_OK) != 0)
        must(renameat2(AT_FDCWD, "root/d", AT_FDCWD, other, RENAME_EXCHANGE) == 0, "rename back");
    if (is_of_repository(link))
        be_repository(false);
    free(other);
}
