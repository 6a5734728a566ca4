/* perform.h -- making the call of a case, and judging what it answers. */
#ifndef CONFORMANCE_PERFORM_H
#define CONFORMANCE_PERFORM_H

#include "match.h"
#include "tree.h"

#include "aqfs.h"
#include "glob.h"

struct score {
    int passed, failed, skipped;
};

static bool names_include(const struct datum *clause, const char *word) {
    for (size_t i = 1; clause && i < clause->n; i++)
        if (is_word(clause->items[i], word))
            return true;
    return !clause;
}

static bool is_wanted(const struct test_case *c) {
    const char *only = getenv("T");
    return !only || strstr(c->name, only);
}

/* A case for root is skipped for others, and the other way round. */
static bool runs_here(const struct test_case *c, const char *door) {
    return names_include(case_clause(c, "only"), geteuid() == 0 ? "root" : "nobody") &&
           names_include(case_clause(c, "doors"), door);
}

/* -- requests --------------------------------------------------------------------------------- */

static json_t *json_of_datum(const struct datum *d);

static json_t *json_of_plist(const struct datum *d, size_t from) {
    json_t *object = json_object();
    for (size_t i = from; i + 1 < d->n; i += 2)
        json_object_set_new(object, d->items[i]->text + 1, json_of_datum(d->items[i + 1]));
    return object;
}

static json_t *json_of_list(const struct datum *d) {
    json_t *array = json_array();
    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(array, json_of_datum(d->items[i]));
    return array;
}

static json_t *json_of_datum(const struct datum *d) {
    if (d->kind == DATUM_TEXT)
        return json_stringn(d->text, d->len);
    if (d->kind == DATUM_NUMBER)
        return json_loads(d->text, JSON_DECODE_ANY, NULL);
    if (is_nil(d))
        return json_array();
    if (is_word(d, "t") || is_word(d, "false"))
        return json_boolean(is_word(d, "t"));
    if (d->kind == DATUM_LIST)
        return is_keyword(d->items[0]) ? json_of_plist(d, 0) : json_of_list(d);
    if (!is_word(d, "null"))
        die("%s is not an argument's value", d->text);
    return json_null();
}

/* A case with its texts evaluated for where it runs. */
struct ready {
    struct arena arena;
    const struct test_case *c;
    const char *base;
    const struct table *table;
    struct datum *options, *how, *shown, *call, *want, *never; /* each but `want` may be NULL */
    const char *how_run;                                       /* for reports */
    /* Does what others do meanwhile in the directory `disturbed`, where that is not the usual. */
    void (*disturb)(const struct table *t, const struct test_case *c, const char *base,
                    const char *disturbed);
    const char *disturbed;
};

static struct datum *ready_clause(struct ready *r, const char *name) {
    const struct datum *clause = case_clause(r->c, name);
    return clause ? evaluate(&r->arena, clause, r->base) : NULL;
}

static struct datum *new_number(struct arena *a, size_t n) {
    char text[24];
    int length = snprintf(text, sizeof text, "%zu", n);
    return datum_new(a, DATUM_NUMBER, text, (size_t)length);
}

static struct datum *new_word(struct arena *a, const char *text) {
    return datum_new(a, DATUM_WORD, text, strlen(text));
}

/* What (glob NAME PATTERN (MATCHING...) (OTHER...)) asks of search_files. */
static void ready_glob(struct ready *r) {
    struct arena *a = &r->arena;
    struct datum *pattern = evaluate(a, r->c->form->items[2], r->base);
    struct datum *paths = evaluate(a, r->c->form->items[3], r->base);
    r->call = datum_list(a);
    datum_push(a, r->call, new_word(a, "call"));
    datum_push(a, r->call, new_word(a, "search_files"));
    datum_push(a, r->call, new_word(a, ":pattern"));
    datum_push(a, r->call, pattern);
    datum_push(a, r->call, new_word(a, ":exclude_patterns"));
    datum_push(a, r->call, datum_list(a));
    r->want = datum_list(a);
    datum_push(a, r->want, new_word(a, "reply"));
    datum_push(a, r->want, new_word(a, ":paths"));
    datum_push(a, r->want, paths);
    datum_push(a, r->want, new_word(a, ":total"));
    datum_push(a, r->want, new_number(a, paths->n));
}

/* In (call * ...) below an `each`, `*` is an operation and arguments of its own. */
static void fill_in_op(struct ready *r, struct datum *call) {
    if (!call || call->n < 2 || !is_word(call->items[1], "*"))
        return;
    if (!r->c->op)
        die("%s: * stands outside of an `each`", r->c->name);
    struct datum *op = evaluate(&r->arena, r->c->op, r->base);
    call->items[1] = op->items[0];
    for (size_t i = 1; i < op->n; i++)
        datum_push(&r->arena, call, op->items[i]);
}

static void add_option(struct ready *r, const char *key, const char *value) {
    if (plist_get(r->options, 1, key))
        return;
    datum_push(&r->arena, r->options, new_word(&r->arena, key));
    datum_push(&r->arena, r->options, datum_new(&r->arena, DATUM_TEXT, value, strlen(value)));
}

static void complete_options(struct ready *r, const char *resolver) {
    char *root = path_of("%s/project", r->base);
    if (!r->options) {
        r->options = datum_list(&r->arena);
        datum_push(&r->arena, r->options, new_word(&r->arena, "options"));
    }
    if (!plist_get(r->options, 1, ":backend"))
        add_option(r, ":root", root);
    add_option(r, ":resolver", resolver);
    free(root);
}

static struct ready ready_case(const struct table *t, const struct test_case *c, const char *base,
                               const char *resolver) {
    struct ready r = {.c = c, .base = base, .table = t};
    r.options = ready_clause(&r, "options");
    complete_options(&r, resolver);
    r.never = ready_clause(&r, "never");
    r.how = ready_clause(&r, "how");
    if (is_form(c->form, "glob")) {
        ready_glob(&r);
        return r;
    }
    r.call = ready_clause(&r, "call");
    fill_in_op(&r, r.call);
    r.shown = ready_clause(&r, "preview");
    fill_in_op(&r, r.shown);
    r.want = ready_clause(&r, "reply");
    if (!r.want)
        r.want = ready_clause(&r, "error");
    if (!r.want || r.want->n < 2)
        die("%s: expects neither a reply nor an error", c->name);
    return r;
}

/* -- the C door ------------------------------------------------------------------------------- */

static aqfs_reply *open_workspace(const struct ready *r, int format, aqfs_workspace **ws) {
    json_t *options = json_of_plist(r->options, 1);
    char *text = json_dumps(options, 0);
    aqfs_reply *reply = aqfs_open(text, strlen(text), format, ws);
    free(text);
    json_decref(options);
    return reply;
}

static json_t *request_of(const struct datum *call) {
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string(call->items[1]->text));
    json_object_set_new(request, "args", json_of_plist(call, 2));
    return request;
}

/* Takes REQUEST. */
static aqfs_reply *ask(aqfs_workspace *ws, json_t *request, int format) {
    char *text = json_dumps(request, 0);
    aqfs_context context = {.format = format};
    aqfs_reply *reply = aqfs_call(ws, text, strlen(text), &context);
    free(text);
    json_decref(request);
    return reply;
}

/* The digest of the preview that is made; NULL where it gets none. */
static json_t *digest_of(aqfs_workspace *ws, const struct ready *r) {
    json_t *request = request_of(r->shown ? r->shown : r->call);
    json_object_set_new(request, "preview", json_true());
    aqfs_reply *reply = ask(ws, request, AQFS_JSON);
    json_t *shown = json_loads(aqfs_reply_text(reply, NULL), 0, NULL);
    json_t *digest = json_incref(json_object_get(shown, "digest"));
    json_decref(shown);
    aqfs_reply_free(reply);
    return digest;
}

/* (how :authority WORD), (how :preview t), (how :digest TEXT), or (how :approved t): previewed
 * first, and committed with the digest of that. */
static aqfs_reply *call(const struct ready *r, int format, aqfs_workspace *ws) {
    const struct datum *authority = plist_get(r->how, 1, ":authority");
    const struct datum *digest = plist_get(r->how, 1, ":digest");
    bool approved = plist_get(r->how, 1, ":approved") != NULL;
    json_t *request = request_of(r->call);
    if (authority || approved || digest)
        json_object_set_new(request, "authority",
                            json_string(authority ? authority->text : "dangerous"));
    if (plist_get(r->how, 1, ":preview"))
        json_object_set_new(request, "preview", json_true());
    if (digest)
        json_object_set_new(request, "digest", json_string(digest->text));
    if (approved)
        json_object_set_new(request, "digest", digest_of(ws, r)); /* none: the call tells why */
    if (r->disturb)
        r->disturb(r->table, r->c, r->base, r->disturbed);
    else
        disturb_tree(r->table, r->c, r->base);
    return ask(ws, request, format);
}

/* The reply of the case's call, or why there is no workspace. */
static aqfs_reply *perform(const struct ready *r, int format) {
    aqfs_workspace *ws = NULL;
    aqfs_reply *reply = open_workspace(r, format, &ws);
    if (ws && r->call) {
        aqfs_reply_free(reply);
        reply = call(r, format, ws);
    }
    aqfs_free(ws);
    return reply;
}

static struct datum *parse_reply(struct arena *a, const char *text, size_t n, int format) {
    if (format == AQFS_JSON) {
        json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        struct datum *d = json ? datum_of_json(a, json) : NULL;
        json_decref(json);
        return d;
    }
    struct reader reader = {.arena = a, .at = text, .end = text + n};
    struct datum *d = read_datum(&reader);
    return reader.at == reader.end ? d : NULL;
}

static void check_reply(struct ready *r, const char *text, size_t n, int format,
                        struct buf *faults) {
    struct match m = {.json = format == AQFS_JSON};
    const struct datum *got = parse_reply(&r->arena, text, n, format);
    if (!got) {
        buf_str(faults, "  the reply cannot be read\n");
    } else if (!match_outcome(&m, r->want, got)) {
        buf_printf(faults, "  differs at%s\n", m.where.len ? m.where.data : " its beginning");
    }
    for (size_t i = 1; r->never && i < r->never->n; i++)
        if (memmem(text, n, r->never->items[i]->text, r->never->items[i]->len))
            buf_printf(faults, "  the reply tells \"%s\"\n", r->never->items[i]->text);
    buf_free(&m.where);
}

/* The matcher itself agrees with what search_files found. */
static void check_matcher(const struct test_case *c, struct buf *faults) {
    struct error e;
    const struct datum *form = c->form;
    struct buf pattern = {0};
    add_text(&pattern, form->items[2], "");
    struct glob *glob = glob_compile(pattern.data, pattern.len, &e);
    buf_free(&pattern);
    for (size_t list = 3; list <= 4 && list < form->n; list++) {
        for (size_t i = 0; glob && i < form->items[list]->n; i++) {
            struct buf path = {0};
            add_text(&path, form->items[list]->items[i], "");
            if (glob_matches(glob, path.data, path.len) != (list == 3))
                buf_printf(faults, "  the matcher is wrong about %s\n", path.data);
            buf_free(&path);
        }
    }
    if (!glob)
        buf_printf(faults, "  %s\n", e.message);
    glob_free(glob);
}
/* -- around it -------------------------------------------------------------------------------- */

static int open_descriptors(void) {
    struct dirent **names = NULL;
    int n = scandir("/proc/self/fd", &names, NULL, alphasort);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return n;
}

static void remove_tree(const char *path) {
    struct stat s;
    if (lstat(path, &s) != 0)
        return;
    if (!S_ISDIR(s.st_mode)) {
        (void)unlink(path);
        return;
    }
    (void)chmod(path, 0700);
    struct dirent **names = NULL;
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *below = path_of("%s/%s", path, names[i]->d_name);
        if (!is_dots(names[i]->d_name))
            remove_tree(below);
        free(below);
        free(names[i]);
    }
    free(names);
    (void)rmdir(path);
}

#define SHOWN_BYTES 3000

static void report(const struct ready *r, const char *how, const struct buf *faults,
                   const char *got, size_t got_n) {
    struct buf want = {0};
    print_datum(&want, r->want);
    printf("FAILED %s (%s)\n  expected: %.*s\n", r->c->name, how, SHOWN_BYTES, want.data);
    if (got)
        printf("  came:     %.*s\n", (int)(got_n < SHOWN_BYTES ? got_n : SHOWN_BYTES), got);
    printf("%s", faults->data);
    buf_free(&want);
}

static char *temporary_directory(void) {
    const char *where = getenv("TMPDIR");
    char *made = path_of("%s/conformance.XXXXXX", where ? where : "/tmp");
    char *real = mkdtemp(made) ? realpath(made, NULL) : NULL;
    if (!real)
        die("%s: %s", made, strerror(errno));
    free(made);
    return real;
}

#endif
