/* facts.c -- facts about a file, as data and in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "facts.h"

#include <inttypes.h>

void fact_word(struct call *c, const char *key, const char *word) {
    reply_kv_cstring(&c->reply, key, word && word[0] ? word : NULL);
    if (word && word[0])
        buf_printf(&c->text, "%s: %s\n", key, word);
}

void fact_path(struct call *c, const char *key, const char *bytes, size_t n) {
    reply_kv_path(&c->reply, key, bytes, n);
    buf_printf(&c->text, "%s: ", key);
    path_show_safe(&c->text, bytes, n);
    buf_char(&c->text, '\n');
}

void fact_number(struct call *c, const char *key, int64_t number) {
    reply_kv_int(&c->reply, key, number);
    buf_printf(&c->text, "%s: %" PRId64 "\n", key, number);
}

void fact_count(struct call *c, const char *key, int64_t number) {
    if (number > 0)
        fact_number(c, key, number);
    else
        reply_kv_cstring(&c->reply, key, NULL);
}

void fact_flag(struct call *c, const char *key, bool yes) {
    reply_kv_bool(&c->reply, key, yes);
    buf_printf(&c->text, "%s: %s\n", key, yes ? "yes" : "no");
}

void fact_type(struct call *c, enum node_type type) {
    reply_kv_keyword(&c->reply, KEY_TYPE, node_type_name(type));
    buf_printf(&c->text, "type: %s\n", node_type_name(type));
}

void fact_time(struct call *c, const char *key, int64_t ns) {
    const int printed = sizeof "2026-11-18T11:40:00.000Z" - 1;
    struct buf *out = &c->reply.out;
    reply_kv_time(&c->reply, key, ns);
    if (ns != TIME_UNKNOWN && !out->failed)
        buf_printf(&c->text, "%s: %.*s\n", key, printed, out->data + out->len - printed - 1);
}
