/* get_file_info.c -- get_file_info.
 *
 * Links are followed, as by all operations.  The text of the link itself is shown as
 * `:target`.  A link that leads to nothing, or out of the project root, is shown
 * itself, with the type :symlink; for file_exists the first does not exist.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "facts.h"
#include "filetype.h"
#include "ops.h"
#include "scan.h"
#include "secret.h"
#include "secret_read.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* -- what a path names ------------------------------------------------------------------------ */

struct subject {
    struct place place;
    struct node node;
    bool is_link;      /* the path's last component is a link */
    bool readable;     /* NODE is a regular file that is open for reading */
    bool secret;       /* what is in it is not for the caller */
    bool leads_out;    /* a link that is shown itself, because what it leads to is outside */
    struct buf target; /* the link's text */
};

static void subject_close(struct subject *s) {
    node_close(&s->node);
    buf_free(&s->target);
}

/* Appends a link's text; nothing if its directory cannot be opened. */
static void read_target(struct call *c, const struct place *link, struct buf *out) {
    char directory[PATH_BYTES_MAX + 1];
    const char *name = path_basename(link->path);
    size_t n = name > link->path ? (size_t)(name - link->path) - 1 : 0;
    memcpy(directory, link->path, n);
    directory[n] = '\0';
    struct error e;
    AUTO(node_close) struct node node = {0};
    const struct backend *backend = c->work.ws->backend;
    if (!backend->open(c->work.ws, link->root, directory, OPEN_DIRECTORY, &node, &e))
        (void)backend->readlink_below(&node, name, out, &e);
}

/* Opens a regular file for reading.  Opens anything else, and a file that must not be read, only to
 * ask for its attributes. */
static int open_subject(struct call *c, struct text_ref path, struct subject *s) {
    int code = workspace_locate(c->work.ws, path, 0, &s->place, &c->work.error);
    if (code)
        return code;
    if (s->place.type == NODE_FILE) {
        code =
            workspace_open_path(c->work.ws, path, OPEN_FILE, &s->place, &s->node, &c->work.error);
        s->readable = code == AQFS_OK;
        if (code != AQFS_PERMISSION)
            return code;
    }
    return workspace_open_path(c->work.ws, path, OPEN_ANY, &s->place, &s->node, &c->work.error);
}

static int find_subject(struct call *c, struct text_ref path, struct subject *s) {
    struct place named;
    int code = workspace_locate(c->work.ws, path, LOCATE_LINK, &named, &c->work.error);
    if (code)
        return code;
    s->is_link = named.type == NODE_SYMLINK;
    if (s->is_link)
        read_target(c, &named, &s->target);
    if (s->target.failed)
        return fail_memory(&c->work.error);
    code = open_subject(c, path, s);
    s->leads_out = code == AQFS_OUTSIDE_ROOT;
    if (!s->is_link || !(s->leads_out || code == AQFS_NOT_FOUND || code == AQFS_LOOP))
        return code;
    s->place = named;
    return c->work.ws->backend->open(c->work.ws, named.root, named.path, OPEN_ANY, &s->node,
                                     &c->work.error);
}

/* -- what is in a file ------------------------------------------------------------------------ */

struct contents {
    struct filetype type;
    char encoding[ENCODING_NAME]; /* "" when not known, like the other strings */
    const char *endings;
    char version[HASH_HEX];
    bool changed;
};

static void take_encoding(struct contents *out, const char *name) {
    size_t n = strlen(name);
    if (n < sizeof out->encoding)
        memcpy(out->encoding, name, n + 1);
}

/* Examines a file that is not text, or whose text cannot be decoded (WHY): the encoding is what
 * libmagic calls it. */
static int examine_bytes(struct call *c, const struct node *file, int why, struct contents *out) {
    AUTO(byte_scan_free) struct byte_scan scan = {0};
    take_encoding(out, why == AQFS_BINARY ? "binary" : out->type.charset);
    int code = scan_bytes(c->work.ws, file, &c->work.budget, &scan, &c->work.error);
    memcpy(out->version, scan.version, sizeof out->version);
    out->changed = scan.changed;
    return code;
}

static int examine_whole(struct call *c, const struct node *file, struct contents *out) {
    AUTO(text_scan_free) struct text_scan scan = {.label = "", .first = 1, .last = 0};
    int code = scan_text(c->work.ws, file, &c->work.budget, &scan, &c->work.error);
    if (code == AQFS_BINARY || code == AQFS_ENCODING)
        return examine_bytes(c, file, code, out);
    take_encoding(out, scan.encoding.name);
    out->endings = endings_name(&scan.endings);
    memcpy(out->version, scan.version, sizeof out->version);
    out->changed = scan.changed;
    return code;
}

/* Examines the beginning of a file that is too large to be read whole. */
static void examine_sample(struct call *c, const char *bytes, size_t n, struct contents *out) {
    struct encoding encoding;
    struct endings endings = {0};
    struct error e;
    const struct text_ref any = {"", 0};
    int code = encoding_detect(&c->work.ws->libraries, "", any, bytes, n, &encoding, &e);
    take_encoding(out, code == AQFS_BINARY ? "binary" : code ? "" : encoding.name);
    if (code)
        return;
    endings_add(&endings, bytes, n);
    out->endings = endings_name(&endings);
}

static int examine(struct call *c, const struct node *file, struct contents *out) {
    AUTO_FREE char *sample = malloc(FILETYPE_SAMPLE);
    if (!sample)
        return fail_memory(&c->work.error);
    ssize_t n = file->backend->read(file, sample, FILETYPE_SAMPLE, 0);
    if (n < 0)
        return fail_errno(&c->work.error, (int)-n, "read");
    static const char empty[] = "inode/x-empty";
    struct error e; /* ignored: without libmagic's database only the MIME type is missing */
    if (n == 0)
        memcpy(out->type.mime, empty, sizeof empty);
    else
        (void)filetype_of(&c->work.ws->libraries, sample, (size_t)n, &out->type, &e);
    if (file->info.size <= c->work.ws->limits.read_bytes)
        return examine_whole(c, file, out);
    examine_sample(c, sample, (size_t)n, out);
    return AQFS_OK;
}

/* The names that libmagic gives to what is not a regular file. */
static const char *mime_of_other(const struct info *info) {
    if (info->type == NODE_DIRECTORY)
        return "inode/directory";
    if (info->type == NODE_SYMLINK)
        return "inode/symlink";
    switch (info->mode & S_IFMT) {
    case S_IFIFO:
        return "inode/fifo";
    case S_IFSOCK:
        return "inode/socket";
    case S_IFCHR:
        return "inode/chardevice";
    case S_IFBLK:
        return "inode/blockdevice";
    default:
        return "";
    }
}

/* -- the reply: each fact as data and as a line for a model ----------------------------------- */

/* Spells MODE as ls does: "rwxr-xr-x", with s and t for the special bits. */
static void spell_permissions(uint32_t mode, char out[10]) {
    static const char letters[] = "rwxrwxrwx";
    static const struct {
        uint32_t bit;
        int at;
        char with, without; /* with and without the x that stands there */
    } special[] = {{S_ISUID, 2, 's', 'S'}, {S_ISGID, 5, 's', 'S'}, {S_ISVTX, 8, 't', 'T'}};
    for (int i = 0; i < 9; i++)
        out[i] = (mode >> (8 - i)) & 1 ? letters[i] : '-';
    for (size_t i = 0; i < 3; i++)
        if (mode & special[i].bit)
            out[special[i].at] = out[special[i].at] == 'x' ? special[i].with : special[i].without;
    out[9] = '\0';
}

static void write_place_paths(struct call *c, const struct subject *s) {
    AUTO(buf_free) struct buf shown = {0}, absolute = {0};
    const struct place *place = &s->place;
    place_show(c->work.ws, place->root, place->path, place->len, &shown);
    buf_add(&absolute, place->root->path, place->root->len);
    if (place->len > 0 || place->root->len == 0)
        buf_char(&absolute, '/');
    buf_add(&absolute, place->path, place->len);
    if (shown.failed || absolute.failed) {
        c->reply.out.failed = true;
        return;
    }
    fact_path(c, KEY_PATH, shown.data, shown.len);
    fact_path(c, KEY_ABSOLUTE, absolute.data, absolute.len);
}

static void write_node(struct call *c, const struct subject *s) {
    const struct info *info = &s->node.info;
    const struct backend *backend = s->node.backend;
    char permissions[10] = "", mode[8] = "";
    bool real = info->type != NODE_SYMLINK; /* nothing is read or written through such a link */
    fact_type(c, info->type);
    fact_number(c, KEY_SIZE, info->size);
    fact_time(c, KEY_CREATED, info->created_ns);
    fact_time(c, KEY_MODIFIED, info->modified_ns);
    fact_time(c, KEY_ACCESSED, info->accessed_ns);
    if (info->mode) {
        spell_permissions(info->mode, permissions);
        (void)snprintf(mode, sizeof mode, "%04o", (unsigned)info->mode & 07777);
    }
    fact_word(c, KEY_PERMISSIONS, permissions);
    fact_word(c, KEY_MODE, mode);
    fact_flag(c, KEY_READABLE, real && backend->may(&s->node, false));
    fact_flag(c, KEY_WRITABLE, real && !c->work.ws->read_only && backend->may(&s->node, true));
}

/* Tells of no restricted subdirectory by counting it. */
static uint32_t links_to_show(const struct call *c, const struct subject *s) {
    struct info info = s->node.info;
    AUTO(buf_free) struct buf absolute = {0};
    if (info.type != NODE_DIRECTORY || !c->work.ws->backend->uncount)
        return info.links;
    buf_add(&absolute, s->place.root->path, s->place.root->len);
    if (s->place.len > 0)
        buf_char(&absolute, '/');
    buf_add(&absolute, s->place.path, s->place.len);
    if (!absolute.failed && absolute.data)
        c->work.ws->backend->uncount(c->work.ws, absolute.data, absolute.len, &info);
    return info.links;
}

static void write_contents(struct call *c, const struct subject *s,
                           const struct contents *contents) {
    const struct info *info = &s->node.info;
    bool known = contents->type.mime[0] || s->secret;
    fact_word(c, KEY_MIME_TYPE, known ? contents->type.mime : mime_of_other(info));
    fact_word(c, KEY_ENCODING, contents->encoding);
    fact_word(c, KEY_LINE_ENDINGS, contents->endings);
    fact_count(c, KEY_LINKS, links_to_show(c, s));
    fact_count(c, KEY_REVISION, (int64_t)info->revision);
    if (s->target.len > 0)
        fact_path(c, KEY_TARGET, s->target.data, s->target.len);
    else
        reply_kv_cstring(&c->reply, KEY_TARGET, NULL);
    fact_word(c, KEY_VERSION, contents->version);
    if (contents->changed)
        fact_flag(c, KEY_CHANGED, true);
    if (s->leads_out)
        buf_str(&c->text, "[the link leads out of the project root: what is there is not looked "
                          "at]\n");
    if (s->secret)
        buf_str(&c->text, "[a secret file: what is in it was not looked at]\n");
}

int op_get_file_info(struct call *c) {
    AUTO(subject_close) struct subject s = {0};
    struct contents contents = {0};
    int code = find_subject(c, call_text(c, "path"), &s);
    if (!code && call_keeps_secrets(c))
        s.secret = secret_of_place(&c->work, &s.place, &s.node.info) && s.readable;
    if (!code && s.readable && !s.secret)
        code = examine(c, &s.node, &contents);
    if (code)
        return code;
    write_place_paths(c, &s);
    write_node(c, &s);
    write_contents(c, &s, &contents);
    return AQFS_OK;
}
