/* What deflate.c and pack.c write is read by libgit2, byte for byte. */
#include "deflate.h"
#include "pack.h"
#include "support.h"

#include "unity.h"

#include <fcntl.h>
#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 300 };

static struct buf contents[OBJECTS];
static unsigned seed;

static unsigned chance(unsigned below) {
    seed = seed * 1103515245U + 12345U;
    return (seed >> 8) % below;
}

/* Of every sort: empty, noise, text that repeats, runs, and long enough to leave the window. */
static void make_content(struct buf *out, size_t i) {
    size_t n = i < 20 ? i : i % 50 == 0 ? 100000 + chance(200000) : chance(3000);
    buf_str(out, "");
    while (out->len < n) {
        switch (i % 5) {
        case 0:
            buf_char(out, (char)chance(256));
            break;
        case 1:
            buf_printf(out, "line %u of a file that says the same\n", chance(50));
            break;
        case 2:
            buf_char(out, 'a');
            break;
        case 3:
            buf_char(out, (char)("abc\n"[chance(4)]));
            break;
        default:
            buf_printf(out, "%u,%u;", chance(10), chance(1000000));
        }
    }
}

void setUp(void) {
    support_start();
    (void)git_libgit2_init();
    seed = 7;
    for (size_t i = 0; i < OBJECTS; i++)
        make_content(&contents[i], i);
}

void tearDown(void) {
    for (size_t i = 0; i < OBJECTS; i++)
        buf_free(&contents[i]);
    (void)git_libgit2_shutdown();
    support_end();
}

static struct oid name_of(const struct buf *bytes) {
    git_oid oid;
    struct oid name;
    TEST_ASSERT_EQUAL(0, git_odb_hash(&oid, bytes->data, bytes->len, GIT_OBJECT_BLOB));
    memcpy(name.bytes, oid.id, OID_BYTES);
    return name;
}

static void add_all(struct pack *p) {
    struct error e;
    struct deflate *d = deflate_new();
    for (size_t i = 0; i < OBJECTS; i++) {
        struct buf zipped = {0};
        struct oid oid = name_of(&contents[i]);
        deflate_zlib(d, contents[i].data, contents[i].len, &zipped);
        TEST_ASSERT_TRUE(zipped.len <= contents[i].len + contents[i].len / 1000 + 100);
        TEST_ASSERT_EQUAL(0, pack_add(p, &oid, OBJECT_BLOB, contents[i].len, &zipped, &e));
        TEST_ASSERT_TRUE(pack_has(p, &oid));
        buf_free(&zipped);
    }
    deflate_free(d);
}

static git_odb *open_odb(void) {
    git_odb *odb;
    git_odb_backend *packs;
    TEST_ASSERT_EQUAL(0, git_odb_new(&odb));
    TEST_ASSERT_EQUAL(0, git_odb_backend_pack(&packs, base_path("objects")));
    TEST_ASSERT_EQUAL(0, git_odb_add_backend(odb, packs, 1));
    return odb;
}

void test_pack__read_by_libgit2(void) {
    struct pack p;
    struct error e;
    make_directory(base_path("objects/pack"));
    int dir = open(base_path("objects/pack"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    TEST_ASSERT_EQUAL(0, pack_start(&p, dir, &e));
    add_all(&p);
    TEST_ASSERT_EQUAL(0, pack_finish(&p, &e));
    pack_end(&p);
    (void)close(dir);
    git_odb *odb = open_odb();
    for (size_t i = 0; i < OBJECTS; i++) {
        git_odb_object *object;
        git_oid name;
        struct oid oid = name_of(&contents[i]);
        memcpy(name.id, oid.bytes, OID_BYTES);
        TEST_ASSERT_EQUAL(0, git_odb_read(&object, odb, &name));
        TEST_ASSERT_EQUAL(contents[i].len, git_odb_object_size(object));
        TEST_ASSERT_TRUE(memcmp(contents[i].data, git_odb_object_data(object), contents[i].len) ==
                         0);
        git_odb_object_free(object);
    }
    git_odb_free(odb);
    char command[4096];
    (void)snprintf(command, sizeof command, "cd / && git verify-pack '%s'/*.idx",
                   base_path("objects/pack"));
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
}

/* What is not finished leaves nothing. */
void test_pack__unfinished(void) {
    struct pack p;
    struct error e;
    make_directory(base_path("objects/pack"));
    int dir = open(base_path("objects/pack"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    TEST_ASSERT_EQUAL(0, pack_start(&p, dir, &e));
    add_all(&p);
    pack_end(&p);
    TEST_ASSERT_NOT_EQUAL(0, unlinkat(dir, ".", AT_REMOVEDIR));
    (void)close(dir);
    TEST_ASSERT_EQUAL(0, rmdir(base_path("objects/pack")));
}

void test_pack__sha1(void) {
    static const unsigned char abc[SHA1_BYTES] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81,
                                                  0x6a, 0xba, 0x3e, 0x25, 0x71, 0x78, 0x50,
                                                  0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
    unsigned char sum[SHA1_BYTES];
    struct sha1 h;
    sha1_start(&h);
    sha1_add(&h, "a", 1);
    sha1_add(&h, "bc", 2);
    sha1_end(&h, sum);
    TEST_ASSERT_EQUAL_MEMORY(abc, sum, SHA1_BYTES);
}
