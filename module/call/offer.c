/* offer.c -- a refused edit or patch, as it could be made: see offer.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "offer.h"

#include "cleanup.h"
#include "diff.h"
#include "plan_diff.h"

#include <stdlib.h>
#include <string.h>

#define OFFERS_MOST 32
#define OFFERED_BYTES_MOST ((size_t)16 << 20)

/* The most bytes of a diff that an error shows. */
#define OFFERED_DIFF_BYTES 6000

struct offer {
    struct offer *next; /* the one made before this one */
    char digest[HASH_HEX];
    /* The edit of one file; without a path it is none. */
    const struct root *root;
    char *path;
    char held[HASH_HEX]; /* the version of the file that it is for */
    bool unified;        /* see textfile.h */
    struct span gone;    /* of the text before */
    struct buf text;     /* what comes there */
    struct spans spans;  /* of the text afterwards */
    /* The patch that it is of; without text it is of none. */
    struct buf patch;
    int format;
    bool placed;
};

static void free_offer(struct offer *o) {
    if (!o)
        return;
    free(o->path);
    buf_free(&o->text);
    spans_free(&o->spans);
    buf_free(&o->patch);
    free(o);
}

static void free_offers(struct offer *o) {
    while (o) {
        struct offer *next = o->next;
        free_offer(o);
        o = next;
    }
}

static struct text_ref ref_of_buf(const struct buf *b) {
    return (struct text_ref){b->data ? b->data : "", b->len};
}

/* -- making ------------------------------------------------------------------------------------ */

/* What EDITED replaces of the text BEFORE: all but what both have at the beginning and the end. */
static struct span find_gone(struct text_ref before, struct text_ref edited) {
    const size_t most = before.len < edited.len ? before.len : edited.len;
    const size_t head = common_head(before.data, edited.data, most);
    const size_t tail =
        common_tail(before.data + before.len, edited.data + edited.len, most - head);
    return (struct span){head, before.len - head - tail};
}

static void sign_offer(struct offer *o) {
    struct hash h;
    const uint64_t gone[] = {o->gone.at, o->gone.len};
    hash_start(&h);
    hash_add(&h, o->path, strlen(o->path) + 1);
    hash_add(&h, o->held, HASH_HEX);
    hash_add(&h, gone, sizeof gone);
    hash_add(&h, o->text.data ? o->text.data : "", o->text.len);
    hash_end(&h, o->digest);
}

/* Sets O to the edit that makes FILE, of CHANGE, the text EDITED.  False without memory. */
static bool set_edit(struct offer *o, struct change *change, const struct textfile *file,
                     const struct replaced *edited) {
    const struct text_ref before = ref_of_buf(&file->text), after = ref_of_buf(&edited->text);
    o->root = change->at.root;
    o->path = strdup(change->at.path);
    o->unified = file->unified;
    o->gone = find_gone(before, after);
    buf_add(&o->text, after.data + o->gone.at, after.len - (before.len - o->gone.len));
    memcpy(o->held, plan_held(change), HASH_HEX);
    bool ok = o->path && !o->text.failed;
    for (size_t i = 0; ok && i < edited->spans.n; i++)
        ok = spans_add(&o->spans, edited->spans.all[i]);
    return ok;
}

static struct offer *new_offer(struct change *change, const struct textfile *file,
                               const struct replaced *edited) {
    struct offer *o = calloc(1, sizeof *o);
    bool ok = o && set_edit(o, change, file, edited);
    if (ok)
        sign_offer(o);
    else
        free_offer(o);
    return ok ? o : NULL;
}

static size_t offer_size(const struct offer *o) {
    return sizeof *o + o->text.len + o->spans.n * sizeof *o->spans.all + o->patch.len;
}

/* Puts O at the head of the workspace's list, and frees the offers that are then over the bounds.
 */
static void keep_offer(struct aqfs_workspace *ws, struct offer *o) {
    struct offer *spent = NULL;
    size_t n = 0, bytes = 0;
    pthread_mutex_lock(&ws->lock);
    ws->free_offers = free_offers;
    o->next = ws->offers;
    ws->offers = o;
    for (struct offer **at = &ws->offers; *at; at = &(*at)->next) {
        bytes += offer_size(*at);
        if (++n > OFFERS_MOST || (n > 1 && bytes > OFFERED_BYTES_MOST)) {
            spent = *at;
            *at = NULL;
            break;
        }
    }
    pthread_mutex_unlock(&ws->lock);
    free_offers(spent);
}

static int diff_offer(struct call *c, const struct change *change, const struct textfile *file,
                      const struct replaced *edited, struct buf *out) {
    AUTO(buf_free) struct buf path = {0};
    struct diff_stats stats;
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    const struct diff_side before = {ref_of_buf(&file->text), ref_of_buf(&path)};
    const struct diff_side after = {ref_of_buf(&edited->text), ref_of_buf(&path)};
    return diff_unified(&c->work.ws->libraries, &before, &after, OFFERED_DIFF_BYTES, out, &stats,
                        &c->work.error);
}

/* Keeps O, and tells beside the error REFUSED how TOOL takes it, given WITH, and does DIFF. */
static void tell_offer(struct call *c, int refused, struct offer *o, const char *tool,
                       const char *with, const struct buf *diff) {
    AUTO(buf_free) struct buf words = {0};
    struct reply members = {.format = c->reply.format};
    reply_kv_cstring(&members, KEY_ACCEPT, o->digest);
    reply_kv_string(&members, KEY_DIFF, diff->data ? diff->data : "", diff->len);
    buf_printf(&words, "\nThis can be done instead, by %s with %s\"accept\": \"%s\" alone:\n", tool,
               with, o->digest);
    buf_add(&words, diff->data ? diff->data : "", diff->len);
    keep_offer(c->work.ws, o);
    call_refuse_with(c, refused, &members.out, &words);
}

int offer_make(struct call *c, int refused, struct change *change, const struct textfile *file,
               const struct replaced *edited) {
    AUTO(buf_free) struct buf diff = {0};
    int code = diff_offer(c, change, file, edited, &diff);
    struct offer *o = code ? NULL : new_offer(change, file, edited);
    if (!o)
        return code ? code : fail_memory(&c->work.error);
    tell_offer(c, refused, o, call_arg(c, "accept") ? c->op->name : "edit_file", "path and ",
               &diff);
    return AQFS_OK;
}

/* -- making that of a patch -------------------------------------------------------------------- */

static void hash_place(const struct call *c, const struct place *place, struct hash *h) {
    AUTO(buf_free) struct buf path = {0};
    if (place->root)
        place_show(c->work.ws, place->root, place->path, place->len, &path);
    hash_add(h, path.data ? path.data : "", path.len);
    hash_add(h, "", 1);
}

/* The digest is of what P does, to which files, and of what they hold. */
static void sign_plan(const struct call *c, struct plan *p, char digest[HASH_HEX]) {
    struct hash h;
    hash_start(&h);
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        const int facts[] = {(int)change->kind, (int)change->mode};
        hash_add(&h, facts, sizeof facts);
        hash_place(c, &change->at, &h);
        hash_place(c, &change->from, &h);
        const char *const hashes[] = {plan_held(change), plan_will_hold(change)};
        for (size_t j = 0; j < 2; j++)
            hash_add(&h, hashes[j], strlen(hashes[j]) + 1);
    }
    hash_end(&h, digest);
}

/* Sets O to the edit of the only file of P, if that is all that P does.  False without memory. */
static bool set_only_edit(struct call *c, struct plan *p, struct offer *o) {
    AUTO(textfile_free) struct textfile old = {0}, new = {0};
    struct change *change = p->n == 1 ? p->changes[0] : NULL;
    if (!change || change->kind != CHANGE_WRITE || change->mode != MODE_KEPT || change->from.root)
        return true;
    const bool is_new = change->seen.type == NODE_MISSING;
    bool read = !textfile_load_new(&c->work, change, &new) &&
                (is_new || !textfile_load(&c->work, change, &old));
    if (!read || (!is_new && !textfile_is_like(&old, &new))) {
        c->work.error = (struct error){0};
        return true;
    }
    struct replaced edited = {.text = new.text};
    const struct span gone = find_gone(ref_of_buf(&old.text), ref_of_buf(&new.text));
    const struct span span = {gone.at, new.text.len - (old.text.len - gone.len)};
    bool ok = spans_add(&edited.spans, span) && set_edit(o, change, &old, &edited);
    spans_free(&edited.spans);
    return ok;
}

static struct offer *new_patch_offer(struct call *c, struct plan *p,
                                     const struct offered_patch *patch) {
    struct offer *o = calloc(1, sizeof *o);
    if (o)
        buf_add(&o->patch, patch->text.data, patch->text.len);
    if (!o || o->patch.failed || !set_only_edit(c, p, o)) {
        free_offer(o);
        return NULL;
    }
    o->format = patch->format;
    o->placed = patch->placed;
    sign_plan(c, p, o->digest);
    return o;
}

/* The diff of P, as far as it is shown: whole lines. */
static int diff_plan(struct call *c, struct plan *p) {
    int code = AQFS_OK;
    for (size_t i = 0; i < p->n && !code && p->diff.len < OFFERED_DIFF_BYTES; i++)
        code = plan_diff(&c->work, p, p->changes[i]);
    if (p->diff.len <= OFFERED_DIFF_BYTES)
        return code;
    p->diff.len = linewise_start(p->diff.data, OFFERED_DIFF_BYTES);
    buf_str(&p->diff, "[diff truncated]\n");
    return code;
}

int offer_make_patch(struct call *c, int refused, struct plan *p,
                     const struct offered_patch *patch) {
    int code = diff_plan(c, p);
    struct offer *o = code ? NULL : new_patch_offer(c, p, patch);
    if (!o)
        return code ? code : fail_memory(&c->work.error);
    tell_offer(c, refused, o, c->op->name, "", &p->diff);
    return AQFS_OK;
}

/* -- taking ------------------------------------------------------------------------------------ */

static int fail_no_offer(struct call *c, const char *why) {
    (void)fail(&c->work.error, AQFS_STALE, "accept: %s: nothing was done", why);
    error_hint(&c->work.error,
               "give accept beside the arguments of the refused call, or read the file "
               "and make the edit from what is there now");
    return AQFS_STALE;
}

static bool is_named(const struct offer *o, struct text_ref digest) {
    return digest.len == strlen(o->digest) && memcmp(o->digest, digest.data, digest.len) == 0;
}

/* The offer that the argument `accept` names, or NULL; under the lock. */
static const struct offer *named_offer(const struct call *c) {
    const struct offer *o = c->work.ws->offers;
    while (o && !is_named(o, call_text(c, "accept")))
        o = o->next;
    return o;
}

/* Copies what the offer O makes of FILE to OUT. */
static bool copy_offer(const struct offer *o, struct textfile *file, struct replaced *out) {
    const struct text_ref before = ref_of_buf(&file->text);
    if (o->gone.at + o->gone.len > before.len)
        return false;
    const size_t behind = o->gone.at + o->gone.len;
    buf_add(&out->text, before.data, o->gone.at);
    buf_add(&out->text, o->text.data, o->text.len);
    buf_add(&out->text, before.data + behind, before.len - behind);
    bool ok = !out->text.failed;
    for (size_t i = 0; ok && i < o->spans.n; i++)
        ok = spans_add(&out->spans, o->spans.all[i]);
    out->count = 1;
    return ok;
}

#define NO_SUCH_OFFER "there is no such offer (any more)"

/* The questions that an offer must pass once it is found, under the lock. */
static const char *why_not_offered(const struct offer *o, struct change *change) {
    if (!o)
        return NO_SUCH_OFFER;
    if (!o->path)
        return "that was offered of a patch that does more than edit one file: give it to the tool "
               "that was refused";
    if (o->root != change->at.root || strcmp(o->path, change->at.path) != 0)
        return "that was offered for another file";
    if (memcmp(o->held, plan_held(change), HASH_HEX) != 0)
        return "the file has changed since that was offered";
    return NULL;
}

int offer_take(struct call *c, struct change *change, struct textfile *file, struct replaced *out) {
    struct aqfs_workspace *ws = c->work.ws;
    pthread_mutex_lock(&ws->lock);
    const struct offer *o = named_offer(c);
    const char *why = why_not_offered(o, change);
    bool ok = !why && (!o->unified || textfile_unify(file)) && copy_offer(o, file, out);
    pthread_mutex_unlock(&ws->lock);
    if (why)
        return fail_no_offer(c, why);
    return ok ? AQFS_OK : fail_memory(&c->work.error);
}

int offer_check(struct call *c, struct change *change, const struct textfile *file,
                const struct replaced *edited) {
    struct offer *o = new_offer(change, file, edited);
    if (!o)
        return fail_memory(&c->work.error);
    bool same = is_named(o, call_text(c, "accept"));
    free_offer(o);
    return same ? AQFS_OK : fail_no_offer(c, "what was offered is not what these arguments give");
}

int offer_take_patch(struct call *c, struct buf *kept, struct offered_patch *out) {
    pthread_mutex_lock(&c->work.ws->lock);
    const struct offer *o = named_offer(c);
    const char *why = !o                  ? NO_SUCH_OFFER
                      : o->patch.len == 0 ? "that was offered of an edit, and is no patch"
                                          : NULL;
    if (!why) {
        buf_add(kept, o->patch.data, o->patch.len);
        *out = (struct offered_patch){ref_of_buf(kept), o->format, o->placed};
    }
    pthread_mutex_unlock(&c->work.ws->lock);
    if (why)
        return fail_no_offer(c, why);
    return kept->failed ? fail_memory(&c->work.error) : AQFS_OK;
}

int offer_check_patch(struct call *c, struct plan *p) {
    struct offer made = {0};
    sign_plan(c, p, made.digest);
    return is_named(&made, call_text(c, "accept"))
               ? AQFS_OK
               : fail_no_offer(c, call_arg(c, "patch")->known
                                      ? "what was offered is not what these arguments give"
                                      : "a file has changed since that was offered");
}
