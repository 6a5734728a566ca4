/* ask.c -- asking the person at a client about a plan: see ask.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ask.h"

#include "path.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

/* A person does not read more; what is left out is counted. */
#define MOST_SHOWN 100000

/* A character that has no look, or moves others, is shown by its number. */
static void show_visibly(struct buf *out, const char *text, size_t n) {
    for (size_t at = 0; at < n;) {
        int32_t code_point;
        size_t length = utf8_decode(text + at, n - at, &code_point);
        bool plain = code_point == '\n' || code_point == '\t' || code_point == ' ';
        if (code_point < 0)
            buf_printf(out, "<%02X>", (unsigned char)text[at]);
        else if (!plain && path_is_deceptive(code_point))
            buf_printf(out, "<U+%04X>", (unsigned)code_point);
        else
            buf_add(out, text + at, length);
        at += length;
    }
}

static void show_member(struct buf *out, const json_t *map, const char *key) {
    const json_t *text = json_object_get(map, key);
    if (json_is_string(text))
        show_visibly(out, json_string_value(text), json_string_length(text));
}

static void show_risks(struct buf *out, const json_t *target) {
    const json_t *risks = json_object_get(target, "risks"), *risk;
    size_t at;
    json_array_foreach(risks, at, risk) {
        buf_printf(out, "%s%s", at ? ", " : " (", json_string_value(risk));
    }
    if (json_array_size(risks) > 0)
        buf_char(out, ')');
}

static void show_targets(struct buf *out, const json_t *targets) {
    const json_t *target;
    size_t at;
    json_array_foreach(targets, at, target) {
        buf_printf(out, "  %s ", json_string_value(json_object_get(target, "action")));
        if (json_object_get(target, "from")) {
            show_member(out, target, "from");
            buf_str(out, " -> ");
        }
        show_member(out, target, "path");
        show_risks(out, target);
        if (json_object_get(target, "secret")) {
            buf_str(out, ", secret: ");
            show_member(out, target, "secret");
        }
        buf_char(out, '\n');
    }
}

static void show_refusal(struct buf *out, const char *tool, const json_t *refusal) {
    const json_t *diff = json_object_get(refusal, "diff");
    size_t n = json_string_length(diff);
    buf_printf(out, "%s (%s): ", tool, json_string_value(json_object_get(refusal, "tier")));
    show_member(out, refusal, "summary");
    buf_char(out, '\n');
    show_targets(out, json_object_get(refusal, "targets"));
    if (n == 0)
        return;
    size_t shown = n <= MOST_SHOWN ? n : utf8_cut(json_string_value(diff), n, MOST_SHOWN);
    buf_char(out, '\n');
    show_visibly(out, json_string_value(diff), shown);
    if (shown < n)
        buf_printf(out, "\n[%zu more bytes of the diff are not shown]\n", n - shown);
}

static void write_property(struct reply *r, const char *name, const char *type, const char *title,
                           const char *words) {
    reply_key(r, name);
    reply_map(r);
    reply_kv_cstring(r, "type", type);
    reply_kv_cstring(r, "title", title);
    reply_kv_cstring(r, "description", words);
    if (strcmp(type, "boolean") == 0)
        reply_kv_bool(r, "default", false);
    reply_end_map(r);
}

static void write_form(struct reply *r) {
    reply_key(r, "requestedSchema");
    reply_map(r);
    reply_kv_cstring(r, "type", "object");
    reply_key(r, "properties");
    reply_map(r);
    write_property(r, "approve", "boolean", "Do it", "Yes: exactly what is shown is done.");
    write_property(r, "reason", "string", "If not, why", "The model is told.");
    reply_end_map(r);
    reply_key(r, "required");
    reply_list(r);
    reply_kv_cstring(r, NULL, "approve");
    reply_end_list(r);
    reply_end_map(r);
}

void ask_write_params(struct reply *r, const char *tool, const json_t *refusal) {
    struct buf message = {0};
    show_refusal(&message, tool, refusal);
    reply_kv_string(r, "message", message.data ? message.data : "", message.len);
    r->out.failed = r->out.failed || message.failed;
    buf_free(&message);
    write_form(r);
}

enum answer ask_read(const json_t *result, char reason[512]) {
    const json_t *action = json_object_get(result, "action");
    const json_t *content = json_object_get(result, "content");
    const json_t *words = json_object_get(content, "reason");
    const char *word = json_string_value(action);
    size_t n = utf8_cut(json_is_string(words) ? json_string_value(words) : "",
                        json_string_length(words), 500);
    (void)snprintf(reason, 512, "%.*s", (int)n, n ? json_string_value(words) : "");
    if (!word)
        return ANSWER_NONE;
    if (strcmp(word, "accept") == 0)
        return json_is_true(json_object_get(content, "approve")) ? ANSWER_APPROVED : ANSWER_DENIED;
    if (strcmp(word, "decline") == 0)
        return ANSWER_DENIED;
    return strcmp(word, "cancel") == 0 ? ANSWER_CANCELLED : ANSWER_NONE;
}
