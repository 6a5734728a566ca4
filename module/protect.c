/* protect.c -- names that an agent may not write without being asked. */
#include "protect.h"

#include "utf8.h"

#include <string.h>

/* By name, wherever they are.  A directory's name stands for what is below it too. */
static const char *const protected_names[] = {
    ".envrc",         ".dir-locals.el", ".dir-locals-2.el", ".emacs",     ".emacs.el",
    ".emacs.d",       "init.el",        "early-init.el",    ".sbclrc",    ".eclrc",
    ".ccl-init.lisp", ".swank.lisp",    ".slynkrc",         ".slime",     ".sly",
    ".gitmodules",    ".gitconfig",     ".gitattributes",   ".bashrc",    ".bash_profile",
    ".profile",       ".zshrc",         ".zshenv",          ".ssh",       ".vscode",
    ".idea",          ".husky",         ".agent-q-fs",      "agent-q-fs", ".npmrc",
};

/* Code points that are not seen, and so may hide in a name. */
static bool is_ignorable(int32_t c) {
    return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* Letters that other file systems take for ASCII ones. */
static int32_t fold(int32_t c) {
    if (c >= 'A' && c <= 'Z')
        return c + ('a' - 'A');
    if (c == 0x212A) /* Kelvin sign */
        return 'k';
    if (c == 0x17F) /* long s */
        return 's';
    if (c == 0x131 || c == 0x130) /* dotless and dotted i */
        return 'i';
    return c;
}

/* NAME as it may be seen elsewhere: folded, without what is not seen, and without the trailing
 * dots and spaces that some file systems drop.  Longer names than OUT are none of ours. */
static size_t fold_name(const char *name, size_t n, char *out, size_t room) {
    size_t len = 0;
    for (size_t at = 0; at < n;) {
        int32_t c;
        size_t size = utf8_decode(name + at, n - at, &c);
        at += size;
        if (is_ignorable(c))
            continue;
        c = fold(c);
        if (len + 1 >= room)
            return 0;
        out[len++] = c > 0 && c < 0x80 ? (char)c : '\x01';
    }
    while (len > 0 && (out[len - 1] == '.' || out[len - 1] == ' '))
        len--;
    out[len] = '\0';
    return len;
}

/* `git~1` is how FAT and NTFS spell `.git` in eight letters. */
static bool is_git(const char *folded) {
    return strcmp(folded, ".git") == 0 || strcmp(folded, "git~1") == 0;
}

static enum protection level_of_name(const char *name, size_t n, bool last) {
    char folded[64];
    /* An alternate data stream, `.git::$INDEX_ALLOCATION`, is the file itself. */
    const char *colon = memchr(name, ':', n);
    if (fold_name(name, colon ? (size_t)(colon - name) : n, folded, sizeof folded) == 0)
        return PROTECT_NONE;
    if (is_git(folded))
        return last ? PROTECT_ASK : PROTECT_REFUSE;
    for (size_t i = 0; i < sizeof protected_names / sizeof *protected_names; i++)
        if (strcmp(folded, protected_names[i]) == 0)
            return PROTECT_ASK;
    return PROTECT_NONE;
}

enum protection protect_level(const struct aqfs_workspace *ws, const struct root *root,
                              const char *path) {
    enum protection level = workspace_protects(ws, root, path) ? PROTECT_ASK : PROTECT_NONE;
    while (*path) {
        size_t n = strcspn(path, "/");
        enum protection here = level_of_name(path, n, path[n] == '\0');
        level = here > level ? here : level;
        path += n + (path[n] == '/');
    }
    return level;
}
