/* patch_header.c -- reading the header of a section of a unified diff: see patch_header.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_header.h"

#include <string.h>

enum {
    OLD_MODE = 1,
    NEW_MODE = 2,
    NEW_FILE = 4,
    DELETED_FILE = 8,
    RENAME_FROM = 16,
    RENAME_TO = 32,
    COPY_FROM = 64,
    COPY_TO = 128,
    INDEX = 256,
    SIMILARITY = 512,
};

struct header {
    struct patch_reader *r;
    struct patch_names names;
    unsigned seen; /* the lines that were seen, as bits */
    unsigned old_mode, new_mode;
};

static int read_octal(struct header *h, const char *text, size_t n, unsigned *mode) {
    unsigned value = 0;
    for (size_t i = 0; i < n && i < 7; i++) {
        if (text[i] < '0' || text[i] > '7')
            n = 0;
        value = value * 8 + (unsigned)(text[i] - '0');
    }
    if (n != 6)
        return patch_fail(h->r, h->r->number, "a mode of six octal digits is expected");
    *mode = value;
    return AQFS_OK;
}

static int read_header_mode(struct header *h, const char *text, size_t n, unsigned *mode) {
    struct patch_reader *r = h->r;
    unsigned value = 0;
    int code = read_octal(h, text, n, &value);
    if (code != AQFS_OK)
        return code;
    if (value == 0120000)
        return patch_fail(r, r->number, "symbolic links are not made or changed by patches");
    if (value == 0160000)
        return patch_fail(r, r->number, "submodules are not changed by patches");
    if (value == 0100664) /* in old repositories; git, too, reads it as this */
        value = 0100644;
    if (value != 0100644 && value != 0100755)
        return patch_fail(r, r->number, "mode %06o; only 100644 and 100755 are known", value);
    *mode = value;
    return AQFS_OK;
}

static int read_old_mode(struct header *h, const char *text, size_t n) {
    return read_header_mode(h, text, n, &h->old_mode);
}

static int read_new_mode(struct header *h, const char *text, size_t n) {
    return read_header_mode(h, text, n, &h->new_mode);
}

/* Reads `index 1234..5678 100644`.  The mode stands there only if it does not change. */
static int read_index(struct header *h, const char *text, size_t n) {
    const char *space = n > 0 ? memchr(text, ' ', n) : NULL;
    if (!space)
        return AQFS_OK;
    unsigned mode = 0;
    int code = read_header_mode(h, space + 1, (size_t)(text + n - space - 1), &mode);
    if (code)
        return code;
    if (h->seen & (OLD_MODE | NEW_FILE | DELETED_FILE))
        return patch_fail(h->r, h->r->number, "the mode is given a second time");
    h->old_mode = h->new_mode = mode;
    return AQFS_OK;
}

static int read_from(struct header *h, const char *text, size_t n) {
    return patch_read_path(h->r, h->r->number, text, n, &h->names.from);
}

static int read_to(struct header *h, const char *text, size_t n) {
    return patch_read_path(h->r, h->r->number, text, n, &h->names.to);
}

static int ignore(struct header *h, const char *text, size_t n) {
    (void)h, (void)text, (void)n;
    return AQFS_OK;
}

static const struct {
    const char *words;
    unsigned bit;
    int (*read)(struct header *h, const char *text, size_t n);
} extended[] = {
    {"index ", INDEX, read_index},
    {"old mode ", OLD_MODE, read_old_mode},
    {"new mode ", NEW_MODE, read_new_mode},
    {"new file mode ", NEW_FILE, read_new_mode},
    {"deleted file mode ", DELETED_FILE, read_old_mode},
    {"rename from ", RENAME_FROM, read_from},
    {"rename to ", RENAME_TO, read_to},
    {"copy from ", COPY_FROM, read_from},
    {"copy to ", COPY_TO, read_to},
    {"similarity index ", SIMILARITY, ignore},
    {"dissimilarity index ", SIMILARITY, ignore},
};

static int read_extended(struct header *h, bool *found) {
    struct patch_reader *r = h->r;
    *found = false;
    for (size_t i = 0; i < sizeof extended / sizeof *extended; i++) {
        if (!patch_at(r, extended[i].words))
            continue;
        if (h->seen & extended[i].bit)
            return patch_fail(r, r->number, "this line is given a second time");
        size_t n = strlen(extended[i].words);
        int code = extended[i].read(h, r->line + n, r->n - n);
        if (code != AQFS_OK)
            return code;
        h->seen |= extended[i].bit;
        *found = true;
        patch_skip(r);
        return AQFS_OK;
    }
    return patch_refuse_foreign(r);
}

static bool has_one_of(unsigned seen, unsigned pair) {
    return (seen & pair) != 0 && (seen & pair) != pair;
}

static int check_extended(struct header *h) {
    if (has_one_of(h->seen, OLD_MODE | NEW_MODE) || has_one_of(h->seen, RENAME_FROM | RENAME_TO) ||
        has_one_of(h->seen, COPY_FROM | COPY_TO))
        return patch_fail(h->r, h->names.line,
                          "the header has only half of a pair of lines that belong together");
    unsigned fate = h->seen & (NEW_FILE | DELETED_FILE | RENAME_FROM | COPY_FROM);
    bool one_mode = h->seen & (NEW_FILE | DELETED_FILE);
    if ((fate & (fate - 1)) != 0 || (one_mode && (h->seen & OLD_MODE)))
        return patch_fail(h->r, h->names.line, "the header contradicts itself");
    return AQFS_OK;
}

static int read_name(struct header *h, const char **name) {
    struct patch_reader *r = h->r;
    const char *text = r->line + 4;
    size_t n = r->n - 4;
    size_t quoted = patch_quoted_length(text, n);
    if (quoted > 0 && quoted < n && text[quoted] != '\t')
        return patch_fail(r, r->number, "there is text after the quoted path");
    const char *tab = quoted == 0 && n > 0 ? memchr(text, '\t', n) : NULL;
    if (quoted > 0)
        n = quoted;
    else if (tab) /* a date follows, or the tab that git writes after a name with spaces */
        n = (size_t)(tab - text);
    *name = NULL;
    if (n == strlen("/dev/null") && memcmp(text, "/dev/null", n) == 0)
        return AQFS_OK;
    return patch_read_path(r, r->number, text, n, name);
}

static int read_names(struct header *h) {
    int code = read_name(h, &h->names.minus);
    patch_skip(h->r);
    if (code == AQFS_OK)
        code = read_name(h, &h->names.plus);
    if (code == AQFS_OK && !h->names.minus && !h->names.plus)
        code = patch_fail(h->r, h->r->number, "both names are /dev/null");
    patch_skip(h->r);
    h->names.has_pair = true;
    return code;
}

bool patch_at_header(const struct patch_reader *r) {
    return patch_at(r, "diff --git ") || (patch_at(r, "--- ") && patch_before(r, "+++ "));
}

int patch_read_header(struct patch_reader *r, struct patch_file *file,
                      struct patch_prefixes *prefixes) {
    struct header h = {.r = r, .names = {.line = r->number}};
    int code = AQFS_OK;
    if (patch_at(r, "diff --git ")) {
        size_t n = strlen("diff --git ");
        h.names.git = r->line + n;
        h.names.git_n = r->n - n;
        patch_skip(r);
        for (bool more = true; more && code == AQFS_OK;)
            code = read_extended(&h, &more);
        if (code == AQFS_OK)
            code = check_extended(&h);
    }
    if (code == AQFS_OK && patch_at(r, "--- ") && patch_before(r, "+++ "))
        code = read_names(&h);
    h.names.adds = h.seen & NEW_FILE || (h.names.has_pair && !h.names.minus);
    h.names.deletes = h.seen & DELETED_FILE || (h.names.has_pair && !h.names.plus);
    h.names.copies = h.seen & COPY_FROM;
    if (code == AQFS_OK)
        code = patch_decide_names(r, &h.names, file, prefixes);
    file->old_mode = file->old_path ? h.old_mode : 0;
    file->new_mode = file->new_path ? h.new_mode : 0;
    return code;
}

int patch_refuse_foreign(struct patch_reader *r) {
    static const char binary[] = "binary patches are not supported";
    static const char merge[] = "combined diffs, of merges, are not supported";
    static const struct {
        const char *begin, *end, *what;
    } foreign[] = {
        {"GIT binary patch", "", binary},
        {"Binary files ", " differ", binary},
        {"Files ", " differ", binary},
        {"diff --cc ", "", merge},
        {"diff --combined ", "", merge},
        {"@@@ ", "", merge},
        {"***************", "", "context diffs are not supported"},
        {"*** Begin Patch", "", "an envelope begins within a unified diff"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        size_t n = strlen(foreign[i].end);
        if (patch_at(r, foreign[i].begin) && r->n >= n &&
            memcmp(r->line + r->n - n, foreign[i].end, n) == 0)
            return patch_fail(r, r->number, "%s", foreign[i].what);
    }
    return AQFS_OK;
}
