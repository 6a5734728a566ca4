/* driver.c -- the conformance table, through the C door.
 *
 *     driver run TABLE...         runs all cases: each resolver, each format
 *     driver setup DIR TABLE...   makes each case's tree in DIR, and prints the cases as
 *                                 plain data, once with each resolver
 *     driver disturb DIR NAME TABLE...
 *                                 does to the tree DIR what case NAME says is done meanwhile
 *     driver check DIR TABLE...   tells which of these trees are not as they should be
 *
 * The last three are for the drivers in the Lisps, which make the calls between
 * them.  T in the environment is a part of the names of the cases wanted.
 */
#include "match.h"
#include "tree.h"

#include "aqfs.h"
#include "glob.h"

static const char *const resolvers[] = {"openat2", "fallback"};

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

/* -- running ---------------------------------------------------------------------------------- */

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

static bool run_once(const struct table *t, const struct test_case *c, const char *directory,
                     const char *resolver, int format) {
    char *twin = path_of("%s.twin", directory), how[80];
    struct buf faults = {0};
    size_t n = 0;
    (void)snprintf(how, sizeof how, "c, %s, %s", resolver,
                   format == AQFS_JSON ? "json" : "s-expressions");
    build_tree(t, c, directory, directory, false);
    struct manifest before = manifest_of(directory);
    struct ready r = ready_case(t, c, directory, resolver);

    int descriptors = open_descriptors();
    aqfs_reply *reply = perform(&r, format);
    if (open_descriptors() != descriptors)
        buf_str(&faults, "  a descriptor was left open\n");
    const char *text = aqfs_reply_text(reply, &n);
    check_reply(&r, text, n, format, &faults);
    if (is_form(c->form, "glob"))
        check_matcher(c, &faults);
    check_tree(t, c, directory, &before, twin, &faults);
    if (faults.len > 0)
        report(&r, how, &faults, text, n);

    bool good = faults.len == 0;
    aqfs_reply_free(reply);
    arena_free(&r.arena);
    manifest_free(&before);
    buf_free(&faults);
    remove_tree(directory);
    remove_tree(twin);
    free(twin);
    return good;
}

static void run(const struct table *t, const struct test_case *c, const char *directory,
                struct score *score) {
    for (size_t i = 0; i < sizeof resolvers / sizeof *resolvers; i++) {
        for (int format = AQFS_SEXP; format <= AQFS_JSON; format++) {
            if (!runs_here(c, "c"))
                score->skipped++;
            else if (run_once(t, c, directory, resolvers[i], format))
                score->passed++;
            else
                score->failed++;
        }
    }
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

static int run_all(const struct table *t) {
    struct score score = {0};
    char *own = temporary_directory();
    for (size_t i = 0; i < t->n; i++) {
        char *directory = path_of("%s/%s", own, t->cases[i].name);
        if (is_wanted(&t->cases[i]))
            run(t, &t->cases[i], directory, &score);
        free(directory);
    }
    remove_tree(own);
    free(own);
    printf("conformance-c: %d passed, %d failed, %d skipped\n", score.passed, score.failed,
           score.skipped);
    return score.failed > 0;
}

/* -- for the other drivers -------------------------------------------------------------------- */

static void print_plist(const char *key, const struct datum *clause, size_t from) {
    struct buf out = {0};
    for (size_t i = from; clause && i < clause->n; i++) {
        buf_char(&out, ' ');
        print_datum(&out, clause->items[i]);
    }
    printf(" %s (", key);
    (void)fwrite(out.len ? out.data : "", 1, out.len, stdout); /* NULs too */
    printf(")");
    buf_free(&out);
}

static void print_doors(const struct test_case *c) {
    static const char *const doors[] = {"emacs", "lisp"};
    printf(" :doors (");
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
        if (runs_here(c, doors[i]))
            printf("%s ", doors[i]);
    printf(")");
}

static int table_count;
static char **table_names;

/* The command that disturbs the tree of a case. */
static void print_meanwhile(struct ready *r) {
    if (!case_clause(r->c, "meanwhile"))
        return;
    char *program = realpath("/proc/self/exe", NULL);
    const char *const words[] = {program, "disturb", r->base, r->c->name};
    struct datum *command = datum_list(&r->arena);
    for (size_t i = 0; i < 4; i++)
        datum_push(&r->arena, command,
                   datum_new(&r->arena, DATUM_TEXT, words[i], strlen(words[i])));
    for (int i = 0; i < table_count; i++)
        datum_push(&r->arena, command,
                   datum_new(&r->arena, DATUM_TEXT, table_names[i], strlen(table_names[i])));
    print_plist(":meanwhile", command, 0);
    free(program);
}

static void set_up(const struct table *t, const struct test_case *c, const char *directory,
                   const char *resolver) {
    struct ready r = ready_case(t, c, directory, resolver);
    if (runs_here(c, "emacs") || runs_here(c, "lisp")) {
        char *file = path_of("%s.before", directory);
        build_tree(t, c, directory, directory, false);
        struct manifest before = manifest_of(directory);
        manifest_save(&before, file);
        manifest_free(&before);
        free(file);
    }
    printf("(:name \"%s\"", c->name);
    print_doors(c);
    print_plist(":options", r.options, 1);
    print_plist(":how", r.how, 1);
    print_plist(":shown", r.shown, 1);
    print_meanwhile(&r);
    print_plist(":call", r.call, 1);
    print_plist(":want", r.want, 0);
    print_plist(":never", r.never, 1);
    printf(")\n");
    arena_free(&r.arena);
}

static int check(const struct table *t, const struct test_case *c, const char *directory) {
    char *file = path_of("%s.before", directory), *twin = path_of("%s.twin", directory);
    struct buf faults = {0};
    if (access(file, F_OK) == 0) { /* it was set up */
        struct manifest before = manifest_load(file);
        check_tree(t, c, directory, &before, twin, &faults);
        manifest_free(&before);
    }
    int failed = faults.len > 0;
    if (failed)
        printf("FAILED %s: the tree afterwards\n%s", c->name, faults.data);
    buf_free(&faults);
    free(file);
    free(twin);
    return failed;
}

/* In DIRECTORY, the trees for one resolver. */
static int for_resolver(const struct table *t, const char *directory, const char *resolver,
                        bool setting_up) {
    int failed = 0;
    if (setting_up && mkdir(directory, 0755) != 0)
        die("%s: %s", directory, strerror(errno));
    for (size_t i = 0; i < t->n; i++) {
        char *tree = path_of("%s/%s", directory, t->cases[i].name);
        if (is_wanted(&t->cases[i]) && setting_up)
            set_up(t, &t->cases[i], tree, resolver);
        else if (is_wanted(&t->cases[i]))
            failed += check(t, &t->cases[i], tree);
        free(tree);
    }
    return failed;
}

static int for_others(const struct table *t, const char *given, bool setting_up) {
    int failed = 0;
    char *own = realpath(given, NULL);
    if (!own)
        die("%s: %s", given, strerror(errno));
    for (size_t i = 0; i < sizeof resolvers / sizeof *resolvers; i++) {
        char *directory = path_of("%s/%s", own, resolvers[i]);
        failed += for_resolver(t, directory, resolvers[i], setting_up);
        free(directory);
    }
    free(own);
    if (!setting_up)
        printf("%d trees are not as they should be\n", failed);
    return failed > 0;
}

static int disturb(const struct table *t, const char *directory, const char *name) {
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->cases[i].name, name) == 0) {
            disturb_tree(t, &t->cases[i], directory);
            return 0;
        }
    }
    die("there is no case %s", name);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    bool running = strcmp(mode, "run") == 0, disturbing = strcmp(mode, "disturb") == 0;
    int tables = running ? 2 : disturbing ? 4 : 3;
    bool known = running || disturbing || strcmp(mode, "setup") == 0 || strcmp(mode, "check") == 0;
    if (argc <= tables || !known)
        die("usage: driver run TABLE... | setup DIR TABLE... | disturb DIR NAME TABLE... | "
            "check DIR TABLE...");
    struct table t = {0};
    table_count = argc - tables;
    table_names = argv + tables;
    for (int i = tables; i < argc; i++)
        table_add_file(&t, argv[i]);
    (void)umask(022);
    int status = running      ? run_all(&t)
                 : disturbing ? disturb(&t, argv[2], argv[3])
                              : for_others(&t, argv[2], strcmp(mode, "setup") == 0);
    table_free(&t);
    return status;
}
