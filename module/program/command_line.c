/* command_line.c -- the options of `agent-q-fs mcp`: see command_line.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command_line.h"

#include "audit.h"
#include "canonical.h"
#include "emacs_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words_reading {
    struct parsed *out;
    const char *audit; /* as it was given, or NULL */
};

struct switch_row {
    const char *name;
    const char *value;  /* what stands for its value in the help; NULL if it has none */
    const char *member; /* the option of the workspace that it sets, or NULL */
    /* Takes the value; returns what was expected, or NULL when it is right. */
    const char *(*take)(struct words_reading *r, const struct switch_row *row, const char *value);
    bool rules; /* Emacs decides about it where that makes the calls */
    bool maybe; /* its value may be left out */
    const char *words;
};

/* -- values ------------------------------------------------------------------------------------ */

/* PATH as an absolute path; the last part need not exist.  NULL without memory. */
static char *absolute_path(const char *path) {
    char here[PATH_MAX], *out = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (!getcwd(here, sizeof here) || asprintf(&out, "%s/%s", here, path) < 0)
        return NULL;
    return out;
}

/* Is NAME one of a file on another machine, as Emacs has them: /ssh:host:/directory/? */
static bool is_remote_name(const char *name) {
    size_t method = name[0] == '/' ? strcspn(name + 1, "/:") : 0;
    return method > 0 && name[1 + method] == ':' && strchr(name + method + 2, ':') != NULL;
}

static const char *take_root_path(struct words_reading *r, const struct switch_row *row,
                                  const char *value) {
    char *root = canonical_path(value);
    if (!root && is_remote_name(value))
        root = strdup(value); /* Emacs knows what it means, and nothing else does */
    if (!root)
        return strerror(errno);
    bool again = json_object_get(r->out->settings.options, row->member) != NULL;
    json_t *path = json_string(root);
    free(root);
    if (!path)
        return "a path that is UTF-8";
    json_object_set_new(r->out->settings.options, row->member, path);
    return again ? "it is given once" : NULL;
}

static const char *take_list(struct words_reading *r, const struct switch_row *row,
                             const char *value) {
    json_t *options = r->out->settings.options, *text = json_string(value);
    if (!text)
        return "UTF-8";
    if (!json_object_get(options, row->member))
        json_object_set_new(options, row->member, json_array());
    json_array_append_new(json_object_get(options, row->member), text);
    return NULL;
}

static const char *take_flag(struct words_reading *r, const struct switch_row *row,
                             const char *value) {
    (void)value;
    if (row->member)
        json_object_set_new(r->out->settings.options, row->member, json_true());
    else
        r->out->settings.text_only = true;
    return NULL;
}

static const char *take_emacs(struct words_reading *r, const struct switch_row *row,
                              const char *value) {
    (void)row;
    r->out->settings.emacs = true;
    r->out->settings.socket = value;
    return value && !value[0] ? "a socket, or nothing" : NULL;
}

static const char *take_authority(struct words_reading *r, const struct switch_row *row,
                                  const char *value) {
    (void)row;
    for (enum tier tier = TIER_SAFE; tier <= TIER_DANGEROUS; tier++) {
        if (strcmp(value, tier_name(tier)) != 0)
            continue;
        r->out->settings.authority = tier;
        return NULL;
    }
    return "safe, cautious or dangerous";
}

static const char *take_tools(struct words_reading *r, const struct switch_row *row,
                              const char *value) {
    (void)row;
    r->out->settings.tools = value;
    return NULL;
}

static const char *take_audit(struct words_reading *r, const struct switch_row *row,
                              const char *value) {
    (void)row;
    r->audit = value;
    return value[0] ? NULL : "a file, or none";
}

static const char *take_state_directory(struct words_reading *r, const struct switch_row *row,
                                        const char *value) {
    char *path = absolute_path(value);
    json_t *text = path ? json_string(path) : NULL;
    free(path);
    if (!text)
        return "a path that is UTF-8";
    json_object_set_new(r->out->settings.options, row->member, text);
    return NULL;
}

/* NAME=JSON: any option of a workspace. */
static const char *take_option(struct words_reading *r, const struct switch_row *row,
                               const char *value) {
    const char *equals = strchr(value, '=');
    char name[64];
    (void)row;
    if (!equals || (size_t)(equals - value) >= sizeof name)
        return "NAME=JSON";
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = '\0';
    json_t *json = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (!json)
        return "NAME=JSON, such as mode=\"unrestricted\"";
    json_object_set_new(r->out->settings.options, name, json);
    return NULL;
}

/* -- the options ------------------------------------------------------------------------------- */

static const struct switch_row switches[] = {
    {"--root", "DIRECTORY", "root", take_root_path, false, false,
     "the project; no path leads out of it"},
    {"--emacs", "[SOCKET]", NULL, take_emacs, false, true,
     "a running Emacs with agent-q-fs-mcp-mode does it, by its own rules, and asks its user"},
    {"--authority", "TIER", NULL, take_authority, true, false,
     "safe, cautious or dangerous: what is done unasked; cautious if not given"},
    {"--read-only", NULL, "read_only", take_flag, false, false, "nothing is changed"},
    {"--allowed-path", "PATH", "allowed_paths", take_list, true, false,
     "a directory outside that may be used"},
    {"--restricted-path", "PATH", "restricted_paths", take_list, false, false,
     "a path inside that is neither used nor shown"},
    {"--protected-path", "PATH", "protected_paths", take_list, false, false,
     "a path whose changes are always dangerous"},
    {"--secret-path", "PATTERN", "secret_paths", take_list, true, false,
     "files that are asked about before they are read; :default stands for the list that counts "
     "if there is none"},
    {"--tools", "NAMES", NULL, take_tools, false, false,
     "sets of tools and tools, with commas between; coding if not given"},
    {"--text-only", NULL, NULL, take_flag, false, false,
     "answers have words alone, for clients that give a model the data in their place"},
    {"--audit", "FILE", NULL, take_audit, true, false,
     "where calls are written down, or none; mcp-audit.jsonl in the state directory if not given"},
    {"--state-dir", "DIRECTORY", "state_dir", take_state_directory, true, false,
     "where journals are kept; $XDG_STATE_HOME/agent-q-fs if not given"},
    {"--option", "NAME=JSON", NULL, take_option, true, false,
     "any option of a workspace, as the manual has it"},
};
#define SWITCH_COUNT (sizeof switches / sizeof *switches)

void command_line_help(FILE *to) {
    for (size_t i = 0; i < SWITCH_COUNT; i++) {
        char head[60];
        (void)snprintf(head, sizeof head, "%s %s", switches[i].name,
                       switches[i].value ? switches[i].value : "");
        (void)fprintf(to, "  %-27s %s\n", head, switches[i].words);
    }
}

static const struct switch_row *find_switch(const char *word, size_t n) {
    for (size_t i = 0; i < SWITCH_COUNT; i++)
        if (strlen(switches[i].name) == n && memcmp(switches[i].name, word, n) == 0)
            return &switches[i];
    return NULL;
}

static int complain(const char *word, const char *what) {
    (void)fprintf(stderr, "agent-q-fs mcp: %.200s: %s (agent-q-fs --help says more)\n", word, what);
    return 2;
}

/* Reads the option at WORDS[*AT], `--name value` or `--name=value`, and goes on behind it. */
static int read_switch(struct words_reading *r, int n, char **words, int *at) {
    const char *word = words[(*at)++], *value = NULL;
    size_t length = strcspn(word, "=");
    const struct switch_row *row = find_switch(word, length);
    if (!row)
        return complain(word, "there is no such option");
    if (word[length] == '=')
        value = word + length + 1;
    else if (row->value && *at < n && !(row->maybe && words[*at][0] == '-'))
        value = words[(*at)++];
    if (!row->value && value)
        return complain(word, "it has no value");
    if (row->rules)
        r->out->not_for_emacs = row->name;
    if (row->value && !value && !row->maybe)
        return complain(word, "its value is missing");
    const char *expected = row->take(r, row, value);
    if (!expected)
        return 0;
    char words_of[200];
    (void)snprintf(words_of, sizeof words_of, "expected %s, got %.80s", expected,
                   value ? value : "nothing");
    return complain(row->name, words_of);
}

/* -- what is not given ------------------------------------------------------------------------- */

static bool set_default(json_t *options, const char *name, char *owned) {
    if (owned && !json_object_get(options, name))
        json_object_set_new(options, name, json_string(owned));
    free(owned);
    return json_object_get(options, name) != NULL;
}

char *command_line_state_directory(void) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *out = NULL;
    int n = -1;
    if (state && state[0] == '/')
        n = asprintf(&out, "%s/agent-q-fs", state);
    else if (home && home[0] == '/')
        n = asprintf(&out, "%s/.local/state/agent-q-fs", home);
    return n < 0 ? NULL : out;
}

/* Checks the options of a server whose calls an Emacs makes. */
static int check_for_emacs(const struct words_reading *r) {
    if (!r->out->not_for_emacs)
        return 0;
    return complain(r->out->not_for_emacs,
                    "with --emacs, this is an option of Emacs: set it there, or give --root alone");
}

/* The log that LOG names, and the older files of it, are nothing of the project to those whose
 * calls it holds, also where a root holds it.  The state directory is no part of any project.  A
 * name that would be a pattern is left alone. */
static bool restrict_log(json_t *options, const char *log) {
    json_t *paths = json_object_get(options, "restricted_paths");
    if (strpbrk(log, "*?[\"\\"))
        return true;
    if (!paths) {
        paths = json_array();
        json_object_set_new(options, "restricted_paths", paths);
    }
    bool added = json_array_append_new(paths, json_string(log)) == 0;
    for (int i = 1; added && i <= AUDIT_OLDER_FILES; i++)
        added = json_array_append_new(paths, json_sprintf("%s.%d", log, i)) == 0;
    return added;
}

static int complete_words(struct words_reading *r) {
    json_t *options = r->out->settings.options;
    const char *home = getenv("HOME");
    bool named = json_object_get(options, "root") || json_object_get(options, "backend");
    if (!named && !r->out->not_for_emacs && emacs_socket_is_there())
        r->out->settings.emacs = true;
    if (r->out->settings.emacs)
        return check_for_emacs(r);
    if (home && home[0] == '/')
        (void)set_default(options, "home", strdup(home));
    if (!named)
        return complain("--root",
                        "which project?  Give --root DIRECTORY; or --emacs, for a running "
                        "Emacs with agent-q-fs-mcp-mode");
    if (!set_default(options, "state_dir", command_line_state_directory()))
        return complain("--state-dir",
                        "there is neither XDG_STATE_HOME nor HOME: give a directory");
    const char *state = json_string_value(json_object_get(options, "state_dir"));
    if (r->audit && strcmp(r->audit, "none") == 0)
        return 0;
    if (r->audit) {
        r->out->audit = absolute_path(r->audit);
        if (r->out->audit && !restrict_log(options, r->out->audit))
            return complain("--audit", "expected a path that is UTF-8");
    } else if (asprintf(&r->out->audit, "%s/mcp-audit.jsonl", state ? state : "") < 0)
        r->out->audit = NULL;
    r->out->settings.audit = r->out->audit;
    return r->out->audit ? 0 : complain("--audit", "there is no memory");
}

int command_line_read(int n, char **words, struct parsed *out) {
    struct words_reading r = {.out = out};
    *out = (struct parsed){
        .settings = {.options = json_object(), .authority = TIER_CAUTIOUS, .tools = "coding"}};
    for (int at = 0; at < n;) {
        if (strcmp(words[at], "--help") == 0) {
            out->help = true;
            return 0;
        }
        if (read_switch(&r, n, words, &at) != 0)
            return 2;
    }
    return complete_words(&r);
}

void command_line_free(struct parsed *parsed) {
    json_decref(parsed->settings.options);
    free(parsed->audit);
}
