/* SPDX-License-Identifier: MIT */
#include "host.h"

#include "beneath.h"
#include "clock.h"

#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const struct backend *host = &host_backend;
static struct error e;

void setUp(void) {
    support_start();
    make_file(project_path("a/f"), "hello");
    make_link(project_path("a/l"), "f");
    ws = open_project("");
}

/* Wraps both ways of listing, getdents64 and (in the portable build) readdir, to hide the types of
 * names on demand, as some file systems do. */
static bool types_unknown;
static int names_told;

static void tell(unsigned char *type) {
    names_told++;
    if (types_unknown)
        *type = DT_UNKNOWN;
}

static void tell_all(char *block, long n) {
    for (long at = 0; at < n;) {
        struct dirent64 *entry = (void *)(block + at);
        tell(&entry->d_type);
        at += entry->d_reclen;
    }
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's name is reserved
long syscall(long number, ...) {
    long (*real)(long, ...) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "syscall");
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    memcpy(&real, &symbol, sizeof real);
    long answer = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_getdents64)
        tell_all((char *)a[1], answer); // NOLINT(performance-no-int-to-ptr): it was one
    return answer;
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's name is reserved
struct dirent *readdir(DIR *stream) {
    struct dirent *(*real)(DIR *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "readdir");
    memcpy(&real, &symbol, sizeof real);
    struct dirent *entry = real(stream);
    if (entry)
        tell(&entry->d_type);
    return entry;
}

/* -- opening ---------------------------------------------------------------------------------- */

static int try_open(const char *path, enum open_kind kind, struct node *node) {
    *node = (struct node){0};
    return host->open(ws, &ws->roots[0], path, kind, node, &e);
}

static void opens(const char *path, enum open_kind kind, enum node_type type) {
    struct node node;
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, try_open(path, kind, &node), path);
    TEST_ASSERT_EQUAL_MESSAGE(type, node.info.type, path);
    TEST_ASSERT_EQUAL_PTR(host, node.backend);
    node_close(&node);
    TEST_ASSERT_NULL(node.backend);
    node_close(&node);
}

static void refuses(const char *path, enum open_kind kind, enum code code) {
    struct node node;
    int before = open_descriptors();
    TEST_ASSERT_EQUAL_MESSAGE(code, try_open(path, kind, &node), path);
    TEST_ASSERT_NULL_MESSAGE(node.backend, "its output was touched");
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

static void make_socket(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    TEST_ASSERT_TRUE(strlen(path) < sizeof name.sun_path);
    memcpy(name.sun_path, path, strlen(path));
    TEST_ASSERT_EQUAL(0, bind(fd, (struct sockaddr *)&name, sizeof name));
    close(fd);
}

void test_host__opens_each_kind(void) {
    opens("a/f", OPEN_FILE, NODE_FILE);
    opens("a", OPEN_DIRECTORY, NODE_DIRECTORY);
    opens("", OPEN_DIRECTORY, NODE_DIRECTORY);
    opens("a/f", OPEN_ANY, NODE_FILE);
    opens("a", OPEN_ANY, NODE_DIRECTORY);
    opens("a/l", OPEN_ANY, NODE_SYMLINK);
}

/* Threat 26: none of these blocks. */
void test_host__opens_nothing_that_is_no_file(void) {
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("p"), 0600));
    make_socket(project_path("s"));
    int64_t start = clock_now_ns();
    refuses("p", OPEN_FILE, AQFS_NOT_REGULAR);
    refuses("s", OPEN_FILE, AQFS_NOT_REGULAR);
    refuses("a", OPEN_FILE, AQFS_IS_DIRECTORY);
    refuses("a/l", OPEN_FILE, AQFS_RACED);
    TEST_ASSERT_TRUE(clock_now_ns() - start < INT64_C(10000000000));
    opens("p", OPEN_ANY, NODE_OTHER);
    opens("s", OPEN_ANY, NODE_OTHER);
}

/* Threat 27: an entry that is not a file is only looked at, not opened for reading, since opening a
 * device has effects.  inotify reports opens, but not those with O_PATH. */
void test_host__no_operation_opens_what_is_no_file(void) {
    static const char *const requests[] = {
        "\"get_file_info\",\"args\":{\"path\":\"p\"}",
        "\"file_exists\",\"args\":{\"path\":\"p\"}",
        "\"read_file\",\"args\":{\"path\":\"p\"}",
        "\"read_bytes\",\"args\":{\"path\":\"p\"}",
        "\"grep_files\",\"args\":{\"path\":\"p\",\"pattern\":\"x\"}",
        "\"grep_files\",\"args\":{\"pattern\":\"x\"}",
        "\"edit_file\",\"args\":{\"path\":\"p\",\"old_str\":\"a\",\"new_str\":\"b\"}",
        "\"insert_at_line\",\"args\":{\"path\":\"p\",\"line\":0,\"content\":\"x\"}",
        "\"write_file\",\"args\":{\"path\":\"p\",\"content\":\"x\"}",
        "\"write_bytes\",\"args\":{\"path\":\"p\",\"content\":\"AA==\",\"mode\":\"append\"}",
        "\"copy_file\",\"args\":{\"source\":\"p\",\"destination\":\"q\"}",
        "\"move_file\",\"args\":{\"source\":\"p\",\"destination\":\"q\"}",
        "\"move_file\",\"args\":{\"source\":\"q\",\"destination\":\"p\"}",
        "\"apply_patch\",\"args\":{\"patch\":\"--- a/p\\n+++ b/p\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}",
        "\"snapshot_create\",\"args\":{}",
        "\"delete_file\",\"args\":{\"path\":\"p\"}",
    };
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("p"), 0600));
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    TEST_ASSERT_TRUE(inotify_add_watch(watch, project_path("p"), IN_OPEN) >= 0);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char request[512];
        struct inotify_event event = {0};
        int n = snprintf(request, sizeof request, "{\"op\":%s,\"authority\":\"dangerous\"}",
                         requests[i]);
        aqfs_reply_free(aqfs_call(ws, request, (size_t)n, NULL));
        (void)!read(watch, &event, sizeof event); /* its deletion is reported, too */
        TEST_ASSERT_FALSE_MESSAGE(event.mask & IN_OPEN, requests[i]);
    }
    close(watch);
}

/* The place no longer is what `locate` found: RACED makes the caller locate it anew. */
void test_host__says_when_it_is_not_what_was_expected(void) {
    refuses("a/l", OPEN_DIRECTORY, AQFS_RACED);
    refuses("a/l/x", OPEN_FILE, AQFS_RACED);
    refuses("a/f", OPEN_DIRECTORY, AQFS_RACED);
    refuses("a/f/x", OPEN_ANY, AQFS_RACED);
    refuses("none", OPEN_FILE, AQFS_NOT_FOUND);
    refuses("none", OPEN_DIRECTORY, AQFS_NOT_FOUND);
    refuses("none/x", OPEN_ANY, AQFS_NOT_FOUND);
}

void test_host__opens_below_a_directory(void) {
    struct node dir, node;
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a/p"), 0600));
    make_directory(project_path("a/d"));
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a", OPEN_DIRECTORY, &dir));
    TEST_ASSERT_EQUAL(AQFS_OK, host->open_below(&dir, "f", OPEN_FILE, &node, &e));
    TEST_ASSERT_EQUAL_INT64(5, node.info.size);
    TEST_ASSERT_EQUAL(1, node.info.links);
    node_close(&node);
    TEST_ASSERT_EQUAL(AQFS_OK, host->open_below(&dir, "l", OPEN_ANY, &node, &e));
    TEST_ASSERT_EQUAL(NODE_SYMLINK, node.info.type);
    node_close(&node);
    TEST_ASSERT_EQUAL(AQFS_RACED, host->open_below(&dir, "l", OPEN_FILE, &node, &e));
    TEST_ASSERT_EQUAL(AQFS_NOT_REGULAR, host->open_below(&dir, "p", OPEN_FILE, &node, &e));
    TEST_ASSERT_EQUAL(AQFS_IS_DIRECTORY, host->open_below(&dir, "d", OPEN_FILE, &node, &e));
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, host->open_below(&dir, "none", OPEN_FILE, &node, &e));
    node_close(&dir);
}

/* Bytes read from OPEN_UNSEEN may be used only after `stat` has said that it is a file. */
void test_host__opens_unseen_what_a_directory_called_a_file(void) {
    struct node dir, node;
    struct info info;
    char bytes[20];
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a/p"), 0600));
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a", OPEN_DIRECTORY, &dir));
    TEST_ASSERT_EQUAL(AQFS_OK, host->open_below(&dir, "f", OPEN_UNSEEN, &node, &e));
    TEST_ASSERT_EQUAL(SIZE_UNKNOWN, node.info.size);
    TEST_ASSERT_EQUAL(5, host->read(&node, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL_MEMORY("hello", bytes, 5);
    TEST_ASSERT_EQUAL(0, host->read(&node, bytes, sizeof bytes, 5));
    TEST_ASSERT_EQUAL(3, host->read(&node, bytes, 3, 1));
    node_close(&node);
    TEST_ASSERT_EQUAL(AQFS_RACED, host->open_below(&dir, "l", OPEN_UNSEEN, &node, &e));
    TEST_ASSERT_EQUAL(AQFS_OK, host->open_below(&dir, "p", OPEN_UNSEEN, &node, &e));
    TEST_ASSERT_EQUAL(-ESPIPE, host->read(&node, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL(AQFS_OK, host->stat(&node, &info, &e));
    TEST_ASSERT_EQUAL(NODE_OTHER, info.type);
    node_close(&node);
    node_close(&dir);
}

/* -- listing ---------------------------------------------------------------------------------- */

struct seen {
    int count, most;
    char names[20][20];
    enum node_type types[20];
};

static int see(void *data, const char *name, size_t n, enum node_type type) {
    struct seen *s = data;
    TEST_ASSERT_EQUAL('\0', name[n]);
    memcpy(s->names[s->count], name, n + 1);
    s->types[s->count++] = type;
    return s->count == s->most ? AQFS_LIMIT : AQFS_OK;
}

static enum node_type type_seen(const struct seen *s, const char *name) {
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return s->types[i];
    return NODE_MISSING;
}

static void check_listing(void) {
    struct node dir;
    struct seen seen = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("kinds", OPEN_DIRECTORY, &dir));
    names_told = 0;
    TEST_ASSERT_EQUAL(AQFS_OK, host->list(&dir, see, &seen, &e));
    TEST_ASSERT_EQUAL_MESSAGE(8, names_told, "the core reads directories in another way");
    TEST_ASSERT_EQUAL(6, seen.count);
    TEST_ASSERT_EQUAL(NODE_FILE, type_seen(&seen, "file"));
    TEST_ASSERT_EQUAL(NODE_DIRECTORY, type_seen(&seen, "dir"));
    TEST_ASSERT_EQUAL(NODE_SYMLINK, type_seen(&seen, "link"));
    TEST_ASSERT_EQUAL(NODE_SYMLINK, type_seen(&seen, "dangling"));
    TEST_ASSERT_EQUAL(NODE_OTHER, type_seen(&seen, "fifo"));
    TEST_ASSERT_EQUAL(NODE_FILE, type_seen(&seen, "..."));
    node_close(&dir);
}

static void make_kinds(void) {
    make_file(project_path("kinds/file"), "");
    make_file(project_path("kinds/..."), "");
    make_directory(project_path("kinds/dir"));
    make_link(project_path("kinds/link"), "dir");
    make_link(project_path("kinds/dangling"), "none");
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("kinds/fifo"), 0600));
}

void test_host__lists_names_and_types(void) {
    make_kinds();
    check_listing();
}

/* Threat 88. */
void test_host__finds_types_that_are_not_told(void) {
    make_kinds();
    types_unknown = true;
    check_listing();
    const json_t *reply = ask(ws, "list_dir", "{\"path\": \"kinds\"}");
    types_unknown = false;
    TEST_ASSERT_EQUAL_STRING("file symlink directory other file symlink",
                             names_in(reply, "entries", "type"));
    TEST_ASSERT_EQUAL_STRING("...\ndangling@\ndir/\nfifo\nfile\nlink@\n", text_in(reply, "text"));
}

void test_host__a_listing_can_be_ended(void) {
    struct node dir;
    struct seen seen = {.most = 2};
    make_kinds();
    int before = open_descriptors();
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("kinds", OPEN_DIRECTORY, &dir));
    TEST_ASSERT_EQUAL(AQFS_LIMIT, host->list(&dir, see, &seen, &e));
    TEST_ASSERT_EQUAL(2, seen.count);
    node_close(&dir);
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

/* -- the rest --------------------------------------------------------------------------------- */

void test_host__stat_tells_of_the_entry_itself(void) {
    struct node dir;
    struct info info;
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a", OPEN_DIRECTORY, &dir));
    TEST_ASSERT_EQUAL(AQFS_OK, host->stat_below(&dir, "l", &info, &e));
    TEST_ASSERT_EQUAL(NODE_SYMLINK, info.type);
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, host->stat_below(&dir, "none", &info, &e));
    node_close(&dir);
}

void test_host__reads_links(void) {
    struct node dir;
    AUTO(buf_free) struct buf text = {0};
    char long_target[4001];
    memset(long_target, 't', 4000);
    long_target[4000] = '\0';
    make_link(project_path("a/long"), long_target);
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a", OPEN_DIRECTORY, &dir));
    buf_str(&text, "->");
    TEST_ASSERT_EQUAL(AQFS_OK, host->readlink_below(&dir, "l", &text, &e));
    TEST_ASSERT_EQUAL_STRING("->f", text.data);
    buf_clear(&text);
    TEST_ASSERT_EQUAL(AQFS_OK, host->readlink_below(&dir, "long", &text, &e));
    TEST_ASSERT_EQUAL_STRING(long_target, text.data);
    TEST_ASSERT_TRUE(host->readlink_below(&dir, "f", &text, &e) != AQFS_OK);
    node_close(&dir);
}

void test_host__reads_at_offsets(void) {
    struct node file;
    char bytes[20];
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a/f", OPEN_FILE, &file));
    TEST_ASSERT_EQUAL(5, host->read(&file, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL_MEMORY("hello", bytes, 5);
    TEST_ASSERT_EQUAL(3, host->read(&file, bytes, 3, 1));
    TEST_ASSERT_EQUAL_MEMORY("ell", bytes, 3);
    TEST_ASSERT_EQUAL(0, host->read(&file, bytes, sizeof bytes, 5));
    TEST_ASSERT_EQUAL(0, host->read(&file, bytes, sizeof bytes, 1000));
    TEST_ASSERT_EQUAL(0, host->read(&file, bytes, 0, 0));
    node_close(&file);
}

/* A driver may return fewer bytes at any time; only on some file systems a short read means the
 * end. */
void test_host__reads_on_where_a_short_read_is_not_the_end(void) {
    static char bytes[1 << 20];
    struct node file = {.backend = host, .info = {.size = SIZE_UNKNOWN}};
    file.fd = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    TEST_ASSERT_TRUE(file.fd >= 0);
    ssize_t once = pread(file.fd, bytes, sizeof bytes, 0);
    TEST_ASSERT_FALSE(beneath_is_well_known(file.fd));
    TEST_ASSERT_GREATER_THAN_INT64(once, host->read(&file, bytes, sizeof bytes, 0));
    node_close(&file);
}

/* Threat 29: a file that grows is read as far as asked for, one that shrinks to its end; a reader
 * can notice both. */
void test_host__reads_what_changes(void) {
    struct node file;
    struct info now;
    char bytes[8];
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a/f", OPEN_FILE, &file));
    make_file(project_path("a/f"), "hello and more");
    TEST_ASSERT_EQUAL(sizeof bytes, host->read(&file, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL(0, host->read(&file, bytes, sizeof bytes, 5));
    TEST_ASSERT_EQUAL(AQFS_OK, host->stat(&file, &now, &e));
    TEST_ASSERT_EQUAL_INT64(14, now.size);
    TEST_ASSERT_EQUAL(0, truncate(project_path("a/f"), 2));
    TEST_ASSERT_EQUAL(2, host->read(&file, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL(0, host->read(&file, bytes, sizeof bytes, 3));
    node_close(&file);
}

void test_host__errors_of_reading_are_answered(void) {
    struct node dir;
    char bytes[20];
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a", OPEN_DIRECTORY, &dir));
    TEST_ASSERT_EQUAL(-EISDIR, host->read(&dir, bytes, sizeof bytes, 0));
    node_close(&dir);
}

void test_host__who_may_read_and_write(void) {
    struct node file;
    TEST_ASSERT_EQUAL(0, chmod(project_path("a/f"), 0400));
    TEST_ASSERT_EQUAL(AQFS_OK, try_open("a/f", OPEN_ANY, &file));
    TEST_ASSERT_TRUE(host->may(&file, false));
    TEST_ASSERT_EQUAL(geteuid() == 0, host->may(&file, true));
    node_close(&file);
}

void test_host__types_have_names(void) {
    TEST_ASSERT_EQUAL_STRING("file", node_type_name(NODE_FILE));
    TEST_ASSERT_EQUAL_STRING("directory", node_type_name(NODE_DIRECTORY));
    TEST_ASSERT_EQUAL_STRING("symlink", node_type_name(NODE_SYMLINK));
    TEST_ASSERT_EQUAL_STRING("other", node_type_name(NODE_OTHER));
    TEST_ASSERT_EQUAL_STRING("other", node_type_name(NODE_UNKNOWN));
    TEST_ASSERT_EQUAL_STRING("missing", node_type_name(NODE_MISSING));
}

/* On a disk, and in memory: with none, one, a block full of names, and more than are read at once.
 */
static void list_to_the_end(const char *place) {
    static const int counts[] = {0, 1, 60, 3000};
    char *top = make_temporary_in(place, "list"), name[60];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        (void)snprintf(name, sizeof name, "%d", counts[i]);
        char *directory = path_of("%s/%s", top, name);
        make_directory(directory);
        for (int n = 0; n < counts[i]; n++) {
            char *file = path_of("%s/a-file-of-some-length-%d", directory, n);
            make_file(file, "");
            free(file);
        }
        aqfs_free(ws);
        char *root = path_of("\"root\": \"%s\"", directory);
        ws = open_elsewhere(root);
        TEST_ASSERT_EQUAL(counts[i],
                          number_in(ask(ws, "search_files", "{\"pattern\": \"*\"}"), "total"));
        free(root);
        free(directory);
    }
    remove_all(top);
    free(top);
}

void test_host__a_directory_is_listed_to_its_end(void) {
    list_to_the_end(temporary_place());
    list_to_the_end(base_path(""));
}
