/* shown_text.c -- what files were like when a caller was shown them: see shown_text.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shown_text.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS 64
#define BYTES_MOST ((size_t)8 << 20)

struct shown_text {
    char version[HASH_HEX];
    const struct root *root;
    struct buf path, caller, text;
};

/* A ring: the oldest text is the next one to be replaced. */
struct shown_texts {
    struct shown_text all[TEXTS];
    size_t next, bytes;
};

static void forget(struct shown_texts *texts, struct shown_text *one) {
    texts->bytes -= one->text.len;
    buf_free(&one->path);
    buf_free(&one->caller);
    buf_free(&one->text);
    *one = (struct shown_text){0};
}

static void shown_texts_free(struct shown_texts *texts) {
    for (size_t i = 0; i < TEXTS; i++)
        forget(texts, &texts->all[i]);
    free(texts);
}

static bool is_bytes(const struct buf *b, const char *bytes, size_t n) {
    return b->len == n && (n == 0 || memcmp(b->data, bytes, n) == 0);
}

static struct shown_text *find_shown(struct shown_texts *texts, struct text_ref caller,
                                     const struct place *place, struct text_ref version) {
    for (size_t i = 0; texts && i < TEXTS; i++) {
        struct shown_text *one = &texts->all[i];
        if (one->version[0] && strlen(one->version) == version.len &&
            memcmp(one->version, version.data, version.len) == 0 && one->root == place->root &&
            is_bytes(&one->path, place->path, place->len) &&
            is_bytes(&one->caller, caller.data, caller.len))
            return one;
    }
    return NULL;
}

/* Makes room for N bytes by forgetting the oldest texts, and returns a free place. */
static struct shown_text *make_room(struct shown_texts *texts, size_t n) {
    struct shown_text *one = &texts->all[texts->next];
    texts->next = (texts->next + 1) % TEXTS;
    forget(texts, one);
    for (size_t i = 0; i < TEXTS && texts->bytes + n > BYTES_MOST; i++)
        forget(texts, &texts->all[(texts->next + i) % TEXTS]);
    return one;
}

static void keep_shown(struct shown_texts *texts, struct text_ref caller, const struct place *place,
                       const char version[HASH_HEX], const struct buf *text) {
    struct shown_text *one = make_room(texts, text->len);
    memcpy(one->version, version, HASH_HEX);
    one->root = place->root;
    buf_add(&one->path, place->path, place->len);
    buf_add(&one->caller, caller.data ? caller.data : "", caller.len);
    buf_add(&one->text, text->data ? text->data : "", text->len);
    texts->bytes += one->text.len;
    if (one->path.failed || one->caller.failed || one->text.failed)
        forget(texts, one);
}

void shown_text_keep(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                     const char version[HASH_HEX], const struct buf *text) {
    if (!version[0] || text->len > SHOWN_TEXT_MOST)
        return;
    pthread_mutex_lock(&ws->lock);
    if (!ws->shown) {
        ws->shown = calloc(1, sizeof *ws->shown);
        ws->free_shown = shown_texts_free;
    }
    if (ws->shown &&
        !find_shown(ws->shown, caller, place, (struct text_ref){version, strlen(version)}))
        keep_shown(ws->shown, caller, place, version, text);
    pthread_mutex_unlock(&ws->lock);
}

bool shown_text_has(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                    const char version[HASH_HEX]) {
    pthread_mutex_lock(&ws->lock);
    bool has = find_shown(ws->shown, caller, place, (struct text_ref){version, strlen(version)});
    pthread_mutex_unlock(&ws->lock);
    return has;
}

bool shown_text_find(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                     struct text_ref version, struct buf *out) {
    pthread_mutex_lock(&ws->lock);
    const struct shown_text *one = find_shown(ws->shown, caller, place, version);
    if (one)
        buf_add(out, one->text.data ? one->text.data : "", one->text.len);
    pthread_mutex_unlock(&ws->lock);
    return one && !out->failed;
}
