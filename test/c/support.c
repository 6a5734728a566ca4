/* support.c -- what the tests of the boundary share: see support.h. */
#include "support.h"

#include "unity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char base[PATH_BYTES_MAX + 1];
static json_t *replies; /* an array that owns them */
static int descriptors_before, threads_before;

/* -- trees ------------------------------------------------------------------------------------ */

static const char *kept_path(const char *above, const char *name) {
    static char paths[8][3 * PATH_BYTES_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s%s%s%s", base, above, name[0] ? "/" : "", name);
    return path;
}

const char *base_path(const char *name) {
    return kept_path("", name);
}

const char *project_path(const char *name) {
    return kept_path("/project", name);
}

static void make_parents(const char *path) {
    char *copy = strdup(path);
    for (char *slash = copy; copy && (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        (void)mkdir(copy, 0755);
    }
    free(copy);
}

void make_directory(const char *path) {
    make_parents(path);
    TEST_ASSERT_TRUE_MESSAGE(mkdir(path, 0755) == 0 || errno == EEXIST, path);
}

void make_file(const char *path, const char *text) {
    make_parents(path);
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    TEST_ASSERT_TRUE(fputs(text, file) >= 0);
    TEST_ASSERT_EQUAL(0, fclose(file));
}

void make_link(const char *path, const char *target) {
    make_parents(path);
    TEST_ASSERT_EQUAL_MESSAGE(0, symlink(target, path), path);
}

const char *text_of(const char *path) {
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (!file)
        return "(none)";
    (void)fclose(file);
    return text;
}

const char *repeated(const char *piece, size_t times) {
    static char text[8 * PATH_BYTES_MAX];
    size_t n = strlen(piece);
    TEST_ASSERT_TRUE(times * n < sizeof text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * n, piece, n);
    text[times * n] = '\0';
    return text;
}

/* By descriptors, so that it can be as deep as it likes; one at a time. */
static void remove_below(int directory) {
    DIR *stream = fdopendir(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream)) != NULL) { // cppcheck-suppress readdirCalled
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            unlinkat(dirfd(stream), name, 0) == 0)
            continue;
        if (unlinkat(dirfd(stream), name, AT_REMOVEDIR) == 0 ||
            fchmodat(dirfd(stream), name, 0700, 0) != 0)
            continue;
        int below = openat(dirfd(stream), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            remove_below(below);
        (void)unlinkat(dirfd(stream), name, AT_REMOVEDIR);
    }
    if (stream)
        closedir(stream);
}

void remove_all(const char *path) {
    if (unlink(path) == 0)
        return;
    (void)chmod(path, 0700);
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0)
        remove_below(directory);
    (void)rmdir(path);
}

/* -- beginning and end ------------------------------------------------------------------------ */

static int count_names(const char *directory) {
    struct dirent **names = NULL;
    int n = scandir(directory, &names, NULL, alphasort);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return n;
}

int open_descriptors(void) {
    return count_names("/proc/self/fd");
}

void pause_ms(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

int running_threads(void) {
    return count_names("/proc/self/task");
}

/* A thread that was joined may be listed a moment longer. */
static int settled_threads(void) {
    for (int i = 0; i < 100 && running_threads() > threads_before; i++)
        pause_ms(1);
    return running_threads();
}

static void *do_nothing(void *data) {
    return data;
}

/* A sanitizer starts a thread of its own along with the first one: not to be counted as ours. */
static void start_a_thread(void) {
    pthread_t thread;
    TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, do_nothing, NULL));
    TEST_ASSERT_EQUAL(0, pthread_join(thread, NULL));
    pause_ms(1);
}

void support_start(void) {
    /* In memory where that can be: on a busy disk some of these trees take minutes. */
    const char *where = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    char made[200];
    (void)snprintf(made, sizeof made, "%s/aqfs-test.XXXXXX", where ? where : "/tmp");
    TEST_ASSERT_NOT_NULL(mkdtemp(made));
    TEST_ASSERT_NOT_NULL(realpath(made, base));
    make_directory(project_path(""));
    replies = json_array();
    start_a_thread();
    descriptors_before = open_descriptors();
    threads_before = running_threads();
}

void support_end(void) {
    json_decref(replies);
    replies = NULL;
    remove_all(base);
    TEST_ASSERT_EQUAL_MESSAGE(descriptors_before, open_descriptors(), "descriptors left open");
    TEST_ASSERT_EQUAL_MESSAGE(threads_before, settled_threads(), "threads left running");
}

/* -- workspaces and calls --------------------------------------------------------------------- */

static bool asks_for_fallback(void) {
    const char *resolver = getenv("AQFS_TEST_RESOLVER");
    return resolver && strcmp(resolver, "fallback") == 0;
}

bool has_openat2(void) {
    return syscall(SYS_openat2, -1, "", NULL, 0) == 0 || errno != ENOSYS;
}

bool uses_fallback(void) {
    return asks_for_fallback() || !has_openat2();
}

static json_t *keep(aqfs_reply *reply) {
    size_t n;
    TEST_ASSERT_NOT_NULL(reply);
    const char *text = aqfs_reply_text(reply, &n);
    json_t *json = json_loadb(text, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(json, text);
    const char *code = aqfs_reply_error(reply);
    TEST_ASSERT_EQUAL_STRING(code_of(json), code ? code : "ok");
    aqfs_reply_free(reply);
    json_array_append_new(replies, json);
    return json;
}

/* Opens what the members FIRST say, and MEMBERS. */
static aqfs_workspace *open_with(const char *first, const char *members) {
    char more[8192], options[16384];
    const char *mark = strstr(members, "%s");
    if (mark)
        (void)snprintf(more, sizeof more, "%.*s%s%s", (int)(mark - members), members, base,
                       mark + 2);
    else
        (void)snprintf(more, sizeof more, "%s", members);
    int n = snprintf(options, sizeof options, "{%s\"resolver\": \"%s\"%s%s}", first,
                     asks_for_fallback() ? "fallback" : "auto", more[0] ? ", " : "", more);
    aqfs_workspace *ws = NULL;
    const json_t *reply = keep(aqfs_open(options, (size_t)n, AQFS_JSON, &ws));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_NOT_NULL(ws);
    return ws;
}

aqfs_workspace *open_project(const char *members) {
    char first[8192];
    (void)snprintf(first, sizeof first, "\"root\": \"%s\", ", project_path(""));
    return open_with(first, members);
}

aqfs_workspace *open_elsewhere(const char *members) {
    return open_with("", members);
}

json_t *fail_to_open(const char *options) {
    aqfs_workspace *ws = (aqfs_workspace *)base; /* to be overwritten */
    json_t *reply = keep(aqfs_open(options, strlen(options), AQFS_JSON, &ws));
    TEST_ASSERT_NULL(ws);
    TEST_ASSERT_TRUE(strcmp("ok", code_of(reply)) != 0);
    return reply;
}

json_t *ask_raw(aqfs_workspace *ws, const char *request, size_t n, const aqfs_context *context) {
    aqfs_context own = context ? *context : (aqfs_context){0};
    own.format = AQFS_JSON;
    return keep(aqfs_call(ws, request, n, &own));
}

int gather_items(void *array, const char *datum, size_t n) {
    json_t *json = json_loadb(datum, n, 0, NULL);
    json_array_extend(array, json_object_get(json, "items"));
    json_decref(json);
    return 0;
}

json_t *ask(aqfs_workspace *ws, const char *op, const char *args) {
    char *request = NULL;
    int n = asprintf(&request, "{\"op\": \"%s\", \"args\": %s}", op, args);
    TEST_ASSERT_TRUE(n > 0);
    json_t *reply = ask_raw(ws, request, (size_t)n, NULL);
    free(request);
    return reply;
}

json_t *ask_path(aqfs_workspace *ws, const char *op, const char *path) {
    json_t *args = json_pack("{s:s}", "path", path);
    char *text = json_dumps(args, 0);
    json_t *reply = ask(ws, op, text);
    free(text);
    json_decref(args);
    return reply;
}

const char *code_of(const json_t *reply) {
    const json_t *code = json_object_get(reply, "error");
    return json_is_string(code) ? json_string_value(code) : "ok";
}

const char *text_in(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    return json_is_string(value) ? json_string_value(value) : "";
}

long long number_in(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

const char *names_in(const json_t *reply, const char *list, const char *key) {
    static char names[65536];
    size_t n = 0, i;
    json_t *item;
    names[0] = '\0';
    json_array_foreach(json_object_get(reply, list), i, item) {
        const char *name = key ? text_in(item, key) : json_string_value(item);
        if (name && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "", name);
    }
    return names;
}

/* -- children --------------------------------------------------------------------------------- */

/* The child becomes another program in the end, so that nobody looks for what it left open. */
int in_child(int (*body)(void)) {
    int status;
    int *answer =
        mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(answer != MAP_FAILED);
    *answer = -1;
    (void)fflush(stdout);
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        *answer = body();
        (void)execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    int answered = *answer;
    (void)munmap(answer, sizeof *answer);
    TEST_ASSERT_EQUAL_MESSAGE(0, status, "the child ended badly");
    return answered;
}

void run_child(int (*body)(void), const char *why) {
    char message[120];
    int answer = in_child(body);
    if (answer == CHILD_SKIP)
        TEST_IGNORE_MESSAGE(why);
    (void)snprintf(message, sizeof message, "the check in line %d failed in the child", answer);
    TEST_ASSERT_EQUAL_MESSAGE(0, answer, message);
}

bool forbid_call(long number, int errnum) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)errnum & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* A user may do with mounts what he likes in a namespace in which he is himself. */
static bool own_users(void) {
    char users[40], groups[40];
    (void)snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    (void)snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
           write_file("/proc/self/gid_map", groups);
}

bool own_mounts(void) {
    return (unshare(CLONE_NEWNS) == 0 || own_users()) &&
           mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0;
}
