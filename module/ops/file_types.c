/* file_types.c -- kinds of files by their names: see file_types.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "file_types.h"

#include "path.h"

#include <string.h>

/* Names and ends of names, each with a space around it; an end begins with a dot. */
static const struct file_type {
    const char *name, *files;
} types[] = {
    {"asm", " .s .S .asm "},
    {"c", " .c .h "},
    {"clojure", " .clj .cljs .cljc .edn "},
    {"cpp", " .cc .cpp .cxx .hh .hpp .hxx .h "},
    {"csharp", " .cs "},
    {"css", " .css .scss .sass .less "},
    {"docker", " Dockerfile Containerfile .dockerfile "},
    {"elisp", " .el .emacs "},
    {"go", " .go "},
    {"html", " .html .htm .xhtml "},
    {"java", " .java "},
    {"js", " .js .jsx .mjs .cjs "},
    {"json", " .json .jsonl .json5 "},
    {"kotlin", " .kt .kts "},
    {"lisp", " .lisp .lsp .cl .asd .el .sexp "},
    {"lua", " .lua "},
    {"make", " Makefile makefile GNUmakefile .mk "},
    {"md", " .md .markdown "},
    {"org", " .org "},
    {"perl", " .pl .pm .t "},
    {"php", " .php "},
    {"py", " .py .pyi .pyw "},
    {"ruby", " .rb .rake Rakefile Gemfile "},
    {"rust", " .rs "},
    {"scheme", " .scm .ss .rkt .sld "},
    {"sh", " .sh .bash .zsh .ksh "},
    {"sql", " .sql "},
    {"swift", " .swift "},
    {"tex", " .tex .sty .cls .bib "},
    {"texinfo", " .texi .texinfo "},
    {"toml", " .toml "},
    {"ts", " .ts .tsx .mts .cts "},
    {"txt", " .txt "},
    {"xml", " .xml .xsd .xsl .svg "},
    {"yaml", " .yaml .yml "},
};
#define TYPE_COUNT (sizeof types / sizeof *types)

static const struct file_type *find_file_type(struct text_ref name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strlen(types[i].name) == name.len && memcmp(types[i].name, name.data, name.len) == 0)
            return &types[i];
    return NULL;
}

static int refuse_file_type(struct text_ref name, struct error *e) {
    char known[400] = "", label[PATH_LABEL];
    size_t used = 0;
    for (size_t i = 0; i < TYPE_COUNT && used < sizeof known; i++) {
        int wrote =
            snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", types[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    (void)fail(e, AQFS_INVALID_ARGUMENT, "file_types: expected some of %s; not %s", known,
               path_label(name.data, name.len, label));
    error_hint(e, "For other files give include, such as *.xyz");
    return AQFS_INVALID_ARGUMENT;
}

int file_types_check(const struct value *list, struct error *e) {
    for (size_t i = 0; i < list->count; i++)
        if (!find_file_type(list->list[i]))
            return refuse_file_type(list->list[i], e);
    return AQFS_OK;
}

/* Does FILES list what stands in the N bytes at NAME? */
static bool lists_name(const char *files, const char *name, size_t n) {
    for (const char *at = files; (at = strstr(at, " ")) && at[1]; at++)
        if (strncmp(at + 1, name, n) == 0 && at[1 + n] == ' ')
            return true;
    return false;
}

bool file_types_have(const struct value *list, const char *name, size_t n) {
    const char *dot = memrchr(name, '.', n);
    for (size_t i = 0; i < list->count; i++) {
        const struct file_type *type = find_file_type(list->list[i]);
        if (type && ((dot && lists_name(type->files, dot, n - (size_t)(dot - name))) ||
                     lists_name(type->files, name, n)))
            return true;
    }
    return false;
}
