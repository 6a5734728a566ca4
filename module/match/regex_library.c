/* regex_library.c -- compiling with the PCRE2 that is loaded: see regex_library.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_library.h"

#include "utf8.h"

#include <string.h>

/* ^ and $ match at the ends of every line, wherever it stands in a text. */
#define OPTIONS (PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C)

/* Since 10.43; NULL with an older library, whichever one the headers belong to. */
extern int pcre2_set_max_varlookbehind_8(pcre2_compile_context *context, uint32_t most)
    __attribute__((weak));

static void allow_varying(struct regex_compiler *c, uint32_t most) {
    if (pcre2_set_max_varlookbehind_8)
        (void)pcre2_set_max_varlookbehind_8(c->context, most);
}

bool regex_compiler_init(struct regex_compiler *c, const struct regex_options *options) {
    bool machine_code = !options->interpreted;
    *c = (struct regex_compiler){
        .context = pcre2_compile_context_create(NULL),
        .options = OPTIONS | (options->ignore_case ? PCRE2_CASELESS : 0),
        .machine_code = {machine_code, machine_code},
    };
    if (!c->context)
        return false;
    (void)pcre2_set_newline(c->context, PCRE2_NEWLINE_LF);
    allow_varying(c, 0);
    return true;
}

void regex_compiler_free(struct regex_compiler *c) {
    pcre2_compile_context_free(c->context);
}

static pcre2_code *compile_only(struct regex_compiler *c, const char *pattern, size_t n, int kind,
                                uint32_t options) {
    uint32_t all = c->options | options | (kind == TEXT_UTF ? PCRE2_UTF | PCRE2_UCP : 0);
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, n, all, &c->error, &c->error_at, c->context);
    c->error = code ? 0 : c->error;
    return code;
}

pcre2_code *regex_compiler_compile(struct regex_compiler *c, const char *pattern, size_t n,
                                   int kind, uint32_t options) {
    pcre2_code *code = compile_only(c, pattern, n, kind, options);
    if (code && c->machine_code[kind]) /* if this fails, pcre2_match interprets */
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return code;
}

int fail_pattern(const char *pattern, size_t n, int number, size_t offset, struct error *e) {
    char message[256] = "";
    (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
    offset = utf8_cut(pattern, n, offset);
    size_t from = offset > 30 ? utf8_cut(pattern, n, offset - 30) : 0;
    (void)fail(e, AQFS_INVALID_ARGUMENT, "pattern: %s, at character %zu%s%.*s", message,
               utf8_count(pattern, offset), offset > from ? ", after " : "", (int)(offset - from),
               pattern + from);
    error_hint(e, "Escape special characters with a backslash, or pass literal to search for the "
                  "text as it stands");
    return AQFS_INVALID_ARGUMENT;
}

/* ---- Known errors, and whether the library has them */

/* Does the library find PATTERN in TEXT? */
static bool library_finds(struct regex_compiler *c, const char *pattern, const char *text,
                          bool machine_code) {
    char copy[64] = {0}; /* machine code loads whole vectors, also beyond the end */
    size_t n = strlen(text);
    memcpy(copy, text, n < sizeof copy ? n : sizeof copy);
    uint32_t caseless = c->options & PCRE2_CASELESS;
    c->options &= ~caseless;
    pcre2_code *code = compile_only(c, pattern, strlen(pattern), TEXT_UTF, 0);
    c->options |= caseless;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    if (code && machine_code)
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    bool found = code && data && pcre2_match(code, (PCRE2_SPTR)copy, n, 0, 0, data, NULL) > 0;
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return found;
}

/* Before PCRE2 10.41, machine code remembers too much of where a repeat was tried in vain.  Since
 * 10.45, it looks for the characters that a match begins with, and gets them wrong before counted
 * repeats: here it looks for `==` but not for `=a`. */
uint32_t regex_compiler_care(struct regex_compiler *c, bool repeats, bool counts) {
    bool machine_code = c->machine_code[TEXT_BYTES] || c->machine_code[TEXT_UTF];
    bool right = (!repeats || library_finds(c, "-*[ab]+b", "a-bb", machine_code)) &&
                 (!counts || library_finds(c, "xs?=abcdef.{9}", "x=abcdef012345678", machine_code));
    return right ? 0 : PCRE2_NO_START_OPTIMIZE;
}

/* PCRE2 10.43 and 10.44 make .{1,9} possessive, because the other branch has a fixed length.
 */
static bool varying_is_right(struct regex_compiler *c) {
    return library_finds(c, "(?<=a|b.{1,9})c", "byyc", false);
}

/* Machine code errs about (*THEN) in a lookaround, and in PCRE2 10.42 about the other members of a
 * class with one of these names. */
static bool is_misread(const char *pattern, size_t n) {
    static const char *const parts[] = {"(*THEN", "graph:]", "print:]"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(pattern, n, parts[i], strlen(parts[i])))
            return true;
    return false;
}

/* ---- Lookbehinds that vary in length */

static int fail_varying(struct error *e) {
    (void)fail(e, AQFS_INVALID_ARGUMENT,
               "pattern: a lookbehind varies in length, which this version of PCRE2 gets wrong");
    error_hint(e, "Give each alternative of the lookbehind a fixed length, or use \\K");
    return AQFS_INVALID_ARGUMENT;
}

/* Compiles a pattern of which a lookbehind varies in length, if that is why it did not compile.
 * The machine code takes the end of such a lookbehind for the end of the text, so $ and \b err. */
static pcre2_code *compile_varying(struct regex_compiler *c, const char *pattern, size_t n) {
    if (!pcre2_set_max_varlookbehind_8)
        return NULL;
    allow_varying(c, VARYING_MOST);
    c->machine_code[TEXT_BYTES] = c->machine_code[TEXT_UTF] = false;
    c->varies = true;
    return compile_only(c, pattern, n, TEXT_UTF, 0);
}

/* ---- Judging */

static void read_facts(const pcre2_code *code, struct pattern_facts *facts) {
    static const uint32_t asked[PATTERN_FACTS] = {PCRE2_INFO_CAPTURECOUNT, PCRE2_INFO_BACKREFMAX,
                                                  PCRE2_INFO_NAMECOUNT, PCRE2_INFO_MATCHEMPTY,
                                                  PCRE2_INFO_MINLENGTH};
    for (int i = 0; i < PATTERN_FACTS; i++)
        (void)pcre2_pattern_info(code, asked[i], &facts->of[i]);
}

int regex_compiler_judge(struct regex_compiler *c, const char *pattern, size_t n, struct error *e) {
    pcre2_code *code = compile_only(c, pattern, n, TEXT_UTF, 0);
    if (!code)
        code = compile_varying(c, pattern, n);
    if (!code)
        return fail_pattern(pattern, n, c->error, c->error_at, e);
    read_facts(code, &c->facts);
    pcre2_code_free(code);
    c->machine_code[TEXT_UTF] &= !is_misread(pattern, n);
    return c->varies && !varying_is_right(c) ? fail_varying(e) : AQFS_OK;
}

bool regex_compiler_agrees(struct regex_compiler *c, const struct buf *written) {
    pcre2_code *code = compile_only(c, written->data, written->len, TEXT_UTF, 0);
    struct pattern_facts facts = {{0}};
    if (code)
        read_facts(code, &facts);
    pcre2_code_free(code);
    return code && memcmp(&facts, &c->facts, sizeof facts) == 0;
}
