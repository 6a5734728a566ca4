/* SPDX-License-Identifier: MIT */
/* linked.c -- writes a tree with thousands of symbolic links, as /usr/share has them.
 *
 *     linked DIR        writes DIR
 *     linked --version  what a tree written by this program is stamped with
 *
 * The same names every time: all chance comes from one seeded generator.  The
 * shape is that of a desktop's /usr/share: 3,522 directories, 50,543 empty files and
 * 4,974 links.  Four in five of these lead to a file beside them, one in nine up and
 * down again, one in fifteen out of the tree by an absolute path; a few lead to a
 * directory or to another link.
 */
#include "parts/prose.h"

#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKED_VERSION "agent-q-fs linked 1"

enum { PACKAGES_WITH_DOC = 2400, THEMES = 6, LOCALES = 150, NAMES = 128 };

/* A directory that is being filled, and the names of some of its files. */
struct shelf {
    int fd;

    char name[NAMES][48];
    unsigned names;
};

static chance shape = {3};

static struct shelf open_shelf(int above, const char *name) {
    if (mkdirat(above, name, 0777) != 0 && errno != EEXIST)
        die("%s: not written", name);
    struct shelf s = {.fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (s.fd < 0)
        die("%s: not written", name);
    return s;
}

static void close_shelf(struct shelf *s) {
    close(s->fd);
}

static void put_file(struct shelf *s, const char *name) {
    int fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        die("%s: not written", name);
    close(fd);
    if (s->names < NAMES)
        (void)snprintf(s->name[s->names++], sizeof s->name[0], "%s", name);
}

static void put_link(const struct shelf *s, const char *name, const char *target) {
    if (symlinkat(target, s->fd, name) != 0)
        die("%s: not written", name);
}

/* COUNT files, named after STEM, which all begin alike, as those of real directories do. */
static void put_files(struct shelf *s, const char *stem, const char *suffix, unsigned count) {
    char name[48];
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "%s-%u%s", stem, below(&shape, 100) + 100 * i, suffix);
        put_file(s, name);
    }
}

/* COUNT links to files of S and of the shelf BESIDE, which is in the same directory as S and has
 * the name BESIDE_NAME. */
static void put_links(const struct shelf *s, const struct shelf *beside, const char *beside_name,
                      const char *suffix, unsigned count) {
    char name[48], target[128];
    for (unsigned i = 0; i < count; i++) {
        const char *here = s->name[below(&shape, s->names)];
        const char *there = beside->name[below(&shape, beside->names)];
        unsigned kind = below(&shape, 100);
        if (kind < 79)
            (void)snprintf(target, sizeof target, "%s", here);
        else if (kind < 91)
            (void)snprintf(target, sizeof target, "../%s/%s", beside_name, there);
        else if (kind < 99)
            (void)snprintf(target, sizeof target, "/etc/alternatives/%s", here);
        else
            (void)snprintf(target, sizeof target, "../%s", beside_name);
        (void)snprintf(name, sizeof name, "alias-%u%s", below(&shape, 100) + 100 * i, suffix);
        put_link(s, name, target);
    }
}

/* Two directories side by side, whose links lead to either. */
static void put_pair(int above, const char *one, const char *other, const char *stem,
                     const char *suffix, unsigned files, unsigned links) {
    struct shelf a = open_shelf(above, one), b = open_shelf(above, other);
    put_files(&a, stem, suffix, files);
    put_files(&b, stem, suffix, files);
    put_links(&a, &b, other, suffix, links);
    put_links(&b, &a, one, suffix, links);
    put_link(&a, "latest", "alias-of-latest");
    put_link(&a, "alias-of-latest", b.names ? a.name[0] : ".");
    close_shelf(&a);
    close_shelf(&b);
}

static void put_manuals(int top) {
    static const char *const sections[] = {"man1", "man2", "man3", "man4",
                                           "man5", "man6", "man7", "man8"};
    struct shelf man = open_shelf(top, "man");
    for (unsigned i = 0; i + 1 < LENGTH(sections); i += 2)
        put_pair(man.fd, sections[i], sections[i + 1], "command", ".gz", 2000, 320);
    close_shelf(&man);
}

static void put_icons(int top) {
    static const char *const sizes[] = {"16x16", "22x22", "24x24", "32x32", "48x48", "64x64"};
    struct shelf icons = open_shelf(top, "icons");
    for (unsigned t = 0; t < THEMES; t++) {
        char name[32];
        (void)snprintf(name, sizeof name, "theme-%u", t);
        struct shelf theme = open_shelf(icons.fd, name);
        for (unsigned i = 0; i < LENGTH(sizes); i++) {
            struct shelf size = open_shelf(theme.fd, sizes[i]);
            put_pair(size.fd, "actions", "apps", "document-properties", ".png", 90, 10);
            put_pair(size.fd, "devices", "mimetypes", "application-x", ".svg", 60, 6);
            close_shelf(&size);
        }
        close_shelf(&theme);
    }
    close_shelf(&icons);
}

static void put_documents(int top) {
    struct shelf doc = open_shelf(top, "doc");
    for (unsigned i = 0; i < PACKAGES_WITH_DOC; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "lib%u-package", i);
        struct shelf package = open_shelf(doc.fd, name);
        put_files(&package, "changelog", ".gz", 1 + below(&shape, 8));
        put_file(&package, "copyright");
        if (one_in(&shape, 12))
            put_link(&package, "README", package.name[0]);
        if (one_in(&shape, 5)) {
            struct shelf examples = open_shelf(package.fd, "examples");
            put_files(&examples, "example", ".c", 1 + below(&shape, 6));
            close_shelf(&examples);
        }
        close_shelf(&package);
    }
    close_shelf(&doc);
}

static void put_locales(int top) {
    struct shelf locale = open_shelf(top, "locale");
    for (unsigned i = 0; i < LOCALES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "l%u_L%u", i / 3, i);
        struct shelf spoken = open_shelf(locale.fd, name);
        put_pair(spoken.fd, "LC_MESSAGES", "LC_TIME", "program", ".mo", 30, 2);
        close_shelf(&spoken);
    }
    close_shelf(&locale);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: linked DIR | linked --version\n");
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts(LINKED_VERSION);
        return 0;
    }
    struct shelf top = open_shelf(AT_FDCWD, argv[1]);
    put_manuals(top.fd);
    put_icons(top.fd);
    put_documents(top.fd);
    put_locales(top.fd);
    close_shelf(&top);
    return 0;
}
