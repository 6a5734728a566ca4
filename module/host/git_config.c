/* git_config.c -- the files that a configuration of git names, which git then obeys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "git_config.h"

#include "path.h"

#include <string.h>
#include <strings.h>

#define WORD_MOST 64
#define WORD_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."

struct config_reader {
    const char *at, *end;
    char section[WORD_MOST]; /* in the letters of the file; of includeIf without its condition */
    char key[WORD_MOST];
    char value[PATH_BYTES_MAX + 1];
};

/* A key NULL is any. */
static const struct {
    const char *section, *key;
    enum git_config_kind kind;
} paths_of_config[] = {
    {"include", "path", GIT_CONFIG_INCLUDE},
    {"includeif", "path", GIT_CONFIG_INCLUDE},
    {"core", "worktree", GIT_CONFIG_TREE},
    {"core", "hookspath", GIT_CONFIG_WORK},
    {"core", "attributesfile", GIT_CONFIG_WORK},
    {"core", "fsmonitor", GIT_CONFIG_COMMAND},
    {"core", "sshcommand", GIT_CONFIG_COMMAND},
    {"core", "editor", GIT_CONFIG_COMMAND},
    {"core", "pager", GIT_CONFIG_COMMAND},
    {"core", "askpass", GIT_CONFIG_COMMAND},
    {"core", "gitproxy", GIT_CONFIG_COMMAND},
    {"core", "alternaterefscommand", GIT_CONFIG_COMMAND},
    {"sequence", "editor", GIT_CONFIG_COMMAND},
    {"interactive", "difffilter", GIT_CONFIG_COMMAND},
    {"credential", "helper", GIT_CONFIG_COMMAND},
    {"gpg", "program", GIT_CONFIG_COMMAND},
    {"gpg", "defaultkeycommand", GIT_CONFIG_COMMAND},
    {"uploadpack", "packobjectshook", GIT_CONFIG_COMMAND},
    {"remote", "uploadpack", GIT_CONFIG_COMMAND},
    {"remote", "receivepack", GIT_CONFIG_COMMAND},
    {"gc", "recentobjectshook", GIT_CONFIG_COMMAND},
    {"hook", "command", GIT_CONFIG_COMMAND},
    {"diff", "external", GIT_CONFIG_COMMAND},
    {"diff", "command", GIT_CONFIG_COMMAND},
    {"diff", "textconv", GIT_CONFIG_COMMAND},
    {"merge", "driver", GIT_CONFIG_COMMAND},
    {"filter", "clean", GIT_CONFIG_COMMAND},
    {"filter", "smudge", GIT_CONFIG_COMMAND},
    {"filter", "process", GIT_CONFIG_COMMAND},
    {"difftool", "cmd", GIT_CONFIG_COMMAND},
    {"difftool", "path", GIT_CONFIG_COMMAND},
    {"mergetool", "cmd", GIT_CONFIG_COMMAND},
    {"mergetool", "path", GIT_CONFIG_COMMAND},
    {"guitool", "cmd", GIT_CONFIG_COMMAND},
    {"browser", "cmd", GIT_CONFIG_COMMAND},
    {"browser", "path", GIT_CONFIG_COMMAND},
    {"man", "cmd", GIT_CONFIG_COMMAND},
    {"man", "path", GIT_CONFIG_COMMAND},
    {"trailer", "command", GIT_CONFIG_COMMAND},
    {"trailer", "cmd", GIT_CONFIG_COMMAND},
    {"tar", "command", GIT_CONFIG_COMMAND},
    {"submodule", "update", GIT_CONFIG_COMMAND},
    {"imap", "tunnel", GIT_CONFIG_COMMAND},
    {"sendemail", "sendmailcmd", GIT_CONFIG_COMMAND},
    {"sendemail", "smtpserver", GIT_CONFIG_COMMAND},
    {"sendemail", "tocmd", GIT_CONFIG_COMMAND},
    {"sendemail", "cccmd", GIT_CONFIG_COMMAND},
    {"sendemail", "headercmd", GIT_CONFIG_COMMAND},
    {"alias", NULL, GIT_CONFIG_COMMAND},
    {"pager", NULL, GIT_CONFIG_COMMAND},
};

static bool config_is_at(const struct config_reader *r, const char *characters) {
    return r->at < r->end && *r->at && strchr(characters, *r->at);
}

static void skip_all(struct config_reader *r, const char *characters) {
    while (config_is_at(r, characters))
        r->at++;
}

static void skip_line(struct config_reader *r) {
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end + 1 : r->end;
}

/* A word that is too long for a name of ours becomes "". */
static void read_config_word(struct config_reader *r, char word[WORD_MOST]) {
    size_t n = 0;
    for (; config_is_at(r, WORD_BYTES); r->at++)
        if (n < WORD_MOST)
            word[n++] = *r->at;
    word[n < WORD_MOST ? n : 0] = '\0';
}

/* [section] or [section "what it is for"], which may hold brackets. */
static void read_section(struct config_reader *r) {
    bool quoted = false;
    r->at++;
    skip_all(r, " \t");
    read_config_word(r, r->section);
    for (; r->at < r->end && *r->at != '\n' && (quoted || *r->at != ']'); r->at++) {
        if (*r->at == '\\' && r->end - r->at > 1)
            r->at++;
        else if (*r->at == '"')
            quoted = !quoted;
    }
    r->at += config_is_at(r, "]");
}

/* Up to the end of the line or a comment, as git reads it: quotes go, a backslash takes the next
 * character along or continues the line, and spaces count between other characters.  A value that
 * is too long to be a path becomes "". */
static void read_value(struct config_reader *r) {
    size_t n = 0, kept = 0;
    bool quoted = false;
    for (; r->at < r->end && *r->at != '\n' && (quoted || !config_is_at(r, "#;")); r->at++) {
        char c = *r->at;
        bool escaped = c == '\\' && r->end - r->at > 1;
        if (c == '"' || c == '\r') {
            quoted = quoted != (c == '"');
            continue;
        }
        if (escaped)
            c = *++r->at;
        if (escaped && c == '\n')
            continue;
        if (n < sizeof r->value)
            r->value[n++] = c;
        if (quoted || escaped || (c != ' ' && c != '\t'))
            kept = n;
    }
    r->value[kept < sizeof r->value ? kept : 0] = '\0';
}

/* [diff.lisp] is another way to write [diff "lisp"]. */
static bool is_in_section(const struct config_reader *r, const char *name) {
    size_t n = strcspn(r->section, ".");
    return strlen(name) == n && strncasecmp(r->section, name, n) == 0;
}

/* An alias without an exclamation mark is a command of git's own. */
static bool is_git_command(const struct config_reader *r) {
    return is_in_section(r, "alias") && r->value[0] != '!';
}

static int tell_of_path(const struct config_reader *r, git_config_each each, void *data) {
    if (!r->value[0] || is_git_command(r))
        return 0;
    for (size_t i = 0; i < sizeof paths_of_config / sizeof *paths_of_config; i++)
        if (is_in_section(r, paths_of_config[i].section) &&
            (!paths_of_config[i].key || strcasecmp(r->key, paths_of_config[i].key) == 0))
            return each(data, paths_of_config[i].kind, r->value);
    return 0;
}

int git_config_read(const char *text, size_t n, git_config_each each, void *data) {
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8; git skips it, too */
    struct config_reader r = {.at = text, .end = text + n};
    int answer = 0;
    if (n >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
        r.at += strlen(mark);
    while (!answer && r.at < r.end) {
        skip_all(&r, " \t\r\n");
        if (config_is_at(&r, "[")) {
            read_section(&r); /* a key may follow in the same line */
            continue;
        }
        read_config_word(&r, r.key);
        skip_all(&r, " \t");
        r.value[0] = '\0';
        if (config_is_at(&r, "=")) {
            r.at++;
            skip_all(&r, " \t");
            read_value(&r);
        }
        skip_line(&r);
        answer = tell_of_path(&r, each, data);
    }
    return answer;
}
