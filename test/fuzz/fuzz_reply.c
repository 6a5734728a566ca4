/* SPDX-License-Identifier: MIT */
/* fuzz_reply.c -- what is written is read back the same, as JSON and as an s-expression, and every
 * shown path is accepted as the bytes it stands for. */
#include "aqfs.h"
#include "fuzz.h"
#include "path.h"
#include "reply.h"
#include "utf8.h"

#include <jansson.h>
#include <string.h>

static void check_json(const char *bytes, size_t n) {
    struct reply r = {.format = AQFS_JSON};
    reply_map(&r);
    reply_kv_string(&r, "a-b", bytes, n);
    reply_end_map(&r);
    PROMISE(utf8_is_valid(r.out.data, r.out.len));
    json_t *v = json_loadb(r.out.data, r.out.len, JSON_ALLOW_NUL, NULL);
    PROMISE(v);
    const json_t *s = json_object_get(v, "a_b");
    if (utf8_is_valid(bytes, n))
        PROMISE(json_string_length(s) == n && memcmp(json_string_value(s), bytes, n) == 0);
    json_decref(v);
    buf_free(&r.out);
}

/* Both Lisps read a string thus: up to the next quote that no backslash stands before. */
static void check_sexp(const char *bytes, size_t n) {
    struct reply r = {.format = AQFS_SEXP};
    struct buf back = {0};
    reply_string(&r, bytes, n);
    PROMISE(utf8_is_valid(r.out.data, r.out.len));
    size_t i = 1;
    PROMISE(r.out.data[0] == '"');
    for (; r.out.data[i] != '"'; i++) {
        i += r.out.data[i] == '\\';
        buf_char(&back, r.out.data[i]);
    }
    PROMISE(i + 1 == r.out.len);
    if (utf8_is_valid(bytes, n))
        PROMISE(back.len == n && (n == 0 || memcmp(back.data, bytes, n) == 0));
    buf_free(&back);
    buf_free(&r.out);
}

static void check_path(const char *bytes, size_t n,
                       void (*show)(struct buf *, const char *, size_t)) {
    char accepted[PATH_BYTES_MAX + 1];
    size_t back;
    struct error e;
    struct buf shown = {0};
    show(&shown, bytes, n);
    PROMISE(utf8_is_valid(shown.data, shown.len));
    PROMISE(path_accept(shown.data, shown.len, NULL, accepted, &back, &e) == AQFS_OK);
    PROMISE(back == n && memcmp(accepted, bytes, n) == 0);
    buf_free(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data;
    char label[PATH_LABEL];
    check_json(bytes, size);
    check_sexp(bytes, size);
    if (size > 0 && size < NAME_BYTES_MAX && !memchr(bytes, '\0', size)) {
        check_path(bytes, size, path_show);
        check_path(bytes, size, path_show_safe);
    }
    path_label(bytes, size, label);
    PROMISE(utf8_is_valid(label, strlen(label)));
    return 0;
}
