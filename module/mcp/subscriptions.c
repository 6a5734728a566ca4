/* subscriptions.c -- resources that a client wants to hear of: resources/subscribe, and since
 * 2026-07-28 subscriptions/listen.
 *
 * An event of inotify only makes us look again, by a flight of our own (look.c), as the client
 * itself would: through the core, or through Emacs.  The client is told when that answer is another
 * one.  So it hears nothing of what it may not read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "subscription.h"

#include "cleanup.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SUBSCRIPTIONS 256

/* -- the list; the caller holds the lock ------------------------------------------------------- */

struct subscription *subscription_numbered(struct server *s, unsigned long number) {
    struct subscription *sub = s->heard.all;
    while (sub && sub->number != number)
        sub = sub->next;
    return sub;
}

static void free_subscription(struct subscription *sub) {
    json_decref(sub->listen);
    free(sub->uri);
    free(sub->path);
    free(sub->real);
    free(sub);
}

/* A new one, not open yet; NULL for too many, or without memory. */
static struct subscription *add_subscription(struct server *s, const struct speaker *by,
                                             const json_t *listen) {
    struct subscription *sub = s->heard.count < MOST_SUBSCRIPTIONS ? calloc(1, sizeof *sub) : NULL;
    if (!sub)
        return NULL;
    *sub = (struct subscription){.number = ++s->heard.numbers,
                                 .by = *by,
                                 .listen = listen ? json_deep_copy(listen) : NULL,
                                 .next = s->heard.all};
    s->heard.all = sub;
    s->heard.count++;
    return sub;
}

/* Is SUB of the request LISTEN, or NULL for resources/subscribe, and about URI, or NULL for any? */
static bool is_subscription_of(const struct subscription *sub, const json_t *listen,
                               const char *uri) {
    bool same = listen ? sub->listen && json_equal(sub->listen, listen) : !sub->listen;
    return same && (!uri || (sub->uri && strcmp(sub->uri, uri) == 0));
}

static struct subscription *find_subscription(struct server *s, const json_t *listen,
                                              const char *uri) {
    struct subscription *sub = s->heard.all;
    while (sub && !is_subscription_of(sub, listen, uri))
        sub = sub->next;
    return sub;
}

static size_t remove_subscriptions(struct server *s, const json_t *listen, const char *uri) {
    size_t removed = 0;
    for (struct subscription **at = &s->heard.all; *at;) {
        struct subscription *sub = *at;
        if (!is_subscription_of(sub, listen, uri)) {
            at = &sub->next;
            continue;
        }
        *at = sub->next;
        s->heard.count--;
        removed++;
        free_subscription(sub);
    }
    return removed;
}

static bool leads_into(const char *path, const char *directory) {
    return path && path_is_below(path, strlen(path), directory, strlen(directory));
}

bool subscription_is_below(const struct subscription *sub, const char *directory) {
    return leads_into(sub->path, directory) || leads_into(sub->real, directory);
}

static bool is_on_the_way(void *server, const char *directory) {
    struct server *s = server;
    pthread_mutex_lock(&s->lock);
    const struct subscription *sub = s->heard.all;
    while (sub && !subscription_is_below(sub, directory))
        sub = sub->next;
    pthread_mutex_unlock(&s->lock);
    return sub != NULL;
}

/* Removes them, without the lock. */
static void end_subscriptions(struct server *s, const json_t *listen, const char *uri) {
    pthread_mutex_lock(&s->lock);
    bool watches = remove_subscriptions(s, listen, uri) > 0 && s->heard.served;
    pthread_mutex_unlock(&s->lock);
    if (watches)
        watches_keep(&s->heard.watches, is_on_the_way, s);
}

/* -- what the client is told ------------------------------------------------------------------- */

static void write_subscription_id(struct reply *r, const json_t *listen) {
    if (!listen)
        return;
    reply_key(r, "_meta");
    reply_map(r);
    rpc_value(r, META("subscriptionId"), listen);
    reply_end_map(r);
}

void subscription_tell(struct server *s, const struct subscription *sub) {
    struct reply r;
    rpc_begin_method(
        &r, sub->tools ? "notifications/tools/list_changed" : "notifications/resources/updated",
        NULL);
    write_subscription_id(&r, sub->listen);
    if (sub->uri)
        reply_kv_cstring(&r, "uri", sub->uri);
    rpc_end_method(&r);
    server_send(s, &r);
}

void subscriptions_tell_tools(struct server *s) {
    for (const struct subscription *sub = s->heard.all; sub; sub = sub->next)
        if (sub->tools && sub->open)
            subscription_tell(s, sub);
}

static void acknowledge(struct server *s, const json_t *listen) {
    struct reply r;
    bool tools = false;
    rpc_begin_method(&r, "notifications/subscriptions/acknowledged", NULL);
    write_subscription_id(&r, listen);
    reply_key(&r, "notifications");
    reply_map(&r);
    reply_key(&r, "resourceSubscriptions");
    reply_list(&r);
    for (struct subscription *sub = s->heard.all; sub; sub = sub->next)
        if (is_subscription_of(sub, listen, NULL)) {
            sub->open = true;
            tools = tools || sub->tools;
            if (sub->uri)
                reply_kv_cstring(&r, NULL, sub->uri);
        }
    reply_end_list(&r);
    if (tools)
        reply_kv_bool(&r, "toolsListChanged", true);
    reply_end_map(&r);
    rpc_end_method(&r);
    server_send(s, &r);
}

/* -- a resource -------------------------------------------------------------------------------- */

/* Puts the resource URI with PATH onto the list; NULL for too many, or without memory.  The caller
 * holds the lock. */
static struct subscription *add_uri_and_path(struct server *s, const struct flight *f,
                                             const json_t *listen, const json_t *uri,
                                             const char *path) {
    struct subscription *sub = add_subscription(s, &f->by, listen);
    if (!sub)
        return NULL;
    sub->uri = strdup(json_string_value(uri));
    sub->path = strdup(path);
    sub->looking = true;
    if (sub->uri && sub->path && (!listen || sub->listen))
        return sub;
    s->heard.all = sub->next; /* it is the first */
    s->heard.count--;
    free_subscription(sub);
    return NULL;
}

/* Notes the resource, before anybody looks at it, unless it is on the list.  Its number, or 0.
 * *OPEN says that the client knows already that it is served. */
static unsigned long note_resource(struct server *s, const struct flight *f, const json_t *listen,
                                   const json_t *uri, const char *path, bool *open) {
    pthread_mutex_lock(&s->lock);
    const struct subscription *sub = find_subscription(s, listen, json_string_value(uri));
    if (!sub)
        sub = add_uri_and_path(s, f, listen, uri, path);
    unsigned long number = sub ? sub->number : 0;
    *open = sub && sub->open;
    pthread_mutex_unlock(&s->lock);
    return number;
}

/* Begins to watch the resource URI for F, if the client may read it. */
static int add_resource(struct server *s, struct flight *f, const json_t *listen, const json_t *uri,
                        struct error *e) {
    AUTO(buf_free) struct buf path = {0};
    bool open = false;
    int code = resource_path(uri, &path, e);
    code = code ? code : watching_start(s, e);
    if (code)
        return code;
    unsigned long number = note_resource(s, f, listen, uri, path.data, &open);
    if (!number)
        return fail(e, AQFS_LIMIT, "%d resources are subscribed to: end one of them first",
                    MOST_SUBSCRIPTIONS);
    code = open ? AQFS_OK : look_at_subscription(s, f, number, e);
    if (code)
        end_subscriptions(s, listen, json_string_value(uri));
    return code;
}

/* -- requests ---------------------------------------------------------------------------------- */

static void answer_nothing(struct server *s, const json_t *id, const struct speaker *by) {
    struct reply r;
    answer_begin(&r, id, by, "complete", NULL);
    answer_end(&r);
    server_send(s, &r);
}

/* Tells the client that the resource is served, unless that has ended meanwhile. */
static int open_resource(struct server *s, const struct flight *f, const json_t *uri,
                         struct error *e) {
    pthread_mutex_lock(&s->lock);
    struct subscription *sub = find_subscription(s, NULL, json_string_value(uri));
    if (sub)
        sub->open = true;
    if (sub && !flight_is_cancelled(f))
        answer_nothing(s, f->message.id, &f->by);
    pthread_mutex_unlock(&s->lock);
    return sub ? AQFS_OK : fail(e, AQFS_CANCELLED, "The subscription has ended");
}

bool subscription_begin(struct server *s, struct flight *f) {
    struct error e;
    const json_t *uri = json_object_get(f->message.params, "uri");
    int code = add_resource(s, f, NULL, uri, &e);
    code = code ? code : open_resource(s, f, uri, &e);
    if (code)
        resource_refuse(s, f, &e);
    return true;
}

void subscription_leave(struct server *s, const struct message *m, const struct speaker *by) {
    const json_t *uri = json_object_get(m->params, "uri");
    struct reply r;
    struct fault fault;
    if (!json_is_string(uri)) {
        fault_set(&fault, RPC_INVALID_PARAMS, "resources/unsubscribe: expected uri, a string");
        rpc_error(&r, m->id, &fault, NULL);
        server_send(s, &r);
        return;
    }
    end_subscriptions(s, NULL, json_string_value(uri));
    answer_nothing(s, m->id, by);
}

/* The fault in the members of subscriptions/listen; NULL when there is none. */
static const char *wrong_filter(const json_t *filter) {
    static const char *const flags[] = {"toolsListChanged", "promptsListChanged",
                                        "resourcesListChanged"};
    const json_t *uris = json_object_get(filter, "resourceSubscriptions"), *uri;
    size_t at;
    if (!json_is_object(filter))
        return "notifications, an object";
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_object_get(filter, flags[i]) &&
            !json_is_boolean(json_object_get(filter, flags[i])))
            return "toolsListChanged, promptsListChanged and resourcesListChanged to be true or "
                   "false";
    if (uris && !json_is_array(uris))
        return "resourceSubscriptions, a list of URIs";
    json_array_foreach(uris, at, uri) {
        if (!json_is_string(uri))
            return "resourceSubscriptions, a list of URIs";
    }
    return NULL;
}

/* Puts the listening itself onto the list. */
static bool note_listening(struct server *s, const struct flight *f, const json_t *filter) {
    pthread_mutex_lock(&s->lock);
    struct subscription *sub = add_subscription(s, &f->by, f->message.id);
    if (sub)
        sub->tools = s->link && json_is_true(json_object_get(filter, "toolsListChanged"));
    pthread_mutex_unlock(&s->lock);
    return sub != NULL;
}

bool subscription_listen(struct server *s, struct flight *f) {
    const json_t *filter = json_object_get(f->message.params, "notifications"), *uri;
    const char *wrong = wrong_filter(filter);
    struct error e;
    struct fault fault;
    size_t at;
    if (wrong || !note_listening(s, f, filter)) {
        fault_set(&fault, wrong ? RPC_INVALID_PARAMS : RPC_INTERNAL_ERROR,
                  wrong ? "subscriptions/listen: expected %s"
                        : "%.0sToo much is subscribed to: end a subscription first",
                  wrong ? wrong : "");
        server_refuse(s, f, &fault, NULL);
        return true;
    }
    json_array_foreach(json_object_get(filter, "resourceSubscriptions"), at, uri) {
        if (!flight_is_cancelled(f))
            (void)add_resource(s, f, f->message.id, uri, &e);
    }
    pthread_mutex_lock(&s->lock);
    bool cancelled = flight_is_cancelled(f);
    if (!cancelled)
        acknowledge(s, f->message.id);
    pthread_mutex_unlock(&s->lock);
    if (cancelled)
        end_subscriptions(s, f->message.id, NULL);
    return true;
}

bool subscriptions_know(struct server *s, const json_t *id) {
    pthread_mutex_lock(&s->lock);
    bool known = id && find_subscription(s, id, NULL);
    pthread_mutex_unlock(&s->lock);
    return known;
}

void subscriptions_cancel(struct server *s, const json_t *id) {
    if (id)
        end_subscriptions(s, id, NULL);
}

/* -- the end ----------------------------------------------------------------------------------- */

/* The answer to a listening, which is sent when the server ends it. */
static void end_listening(struct server *s, const struct subscription *sub) {
    struct reply r;
    rpc_begin(&r);
    rpc_id(&r, sub->listen);
    reply_key(&r, "result");
    reply_map(&r);
    reply_kv_cstring(&r, "resultType", "complete");
    write_subscription_id(&r, sub->listen);
    reply_end_map(&r);
    rpc_end(&r);
    server_send(s, &r);
}

void subscriptions_free(struct server *s) {
    while (s->heard.all) {
        struct subscription *sub = s->heard.all;
        s->heard.all = sub->next;
        if (sub->listen && !sub->uri && sub->open)
            end_listening(s, sub);
        free_subscription(sub);
    }
    s->heard.count = 0;
    watching_close(s);
}
