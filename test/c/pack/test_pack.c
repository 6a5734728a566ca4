/* test_pack.c -- libgit2 reads packs back and git judges them: packs that pack.c writes, and one
 * that the core's former own compressor wrote.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "oid_set.h"
#include "pack.h"
#include "support.h"
#include "zip.h"

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

/* Every kind of data: empty, noise, text that repeats, runs, and more than fits the window. */
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
    struct zip *z = zip_new();
    for (size_t i = 0; i < OBJECTS; i++) {
        struct buf zipped = {0};
        struct oid oid = name_of(&contents[i]);
        zip_add(z, contents[i].data, contents[i].len, &zipped);
        TEST_ASSERT_TRUE(zipped.len <= contents[i].len + contents[i].len / 1000 + 100);
        TEST_ASSERT_EQUAL(0, pack_add(p, &oid, OBJECT_BLOB, contents[i].len, &zipped, &e));
        TEST_ASSERT_TRUE(pack_has(p, &oid));
        buf_free(&zipped);
    }
    zip_free(z);
}

static git_odb *open_odb(void) {
    git_odb *odb;
    git_odb_backend *packs;
    TEST_ASSERT_EQUAL(0, git_odb_new(&odb));
    TEST_ASSERT_EQUAL(0, git_odb_backend_pack(&packs, base_path("objects")));
    TEST_ASSERT_EQUAL(0, git_odb_add_backend(odb, packs, 1));
    return odb;
}

static void check_object(git_odb *odb, const struct buf *content) {
    git_odb_object *object;
    git_oid name;
    struct oid oid = name_of(content);
    memcpy(name.id, oid.bytes, OID_BYTES);
    TEST_ASSERT_EQUAL(0, git_odb_read(&object, odb, &name));
    TEST_ASSERT_EQUAL(content->len, git_odb_object_size(object));
    TEST_ASSERT_TRUE(memcmp(content->data, git_odb_object_data(object), content->len) == 0);
    git_odb_object_free(object);
}

/* git computes everything anew: checksums, names and the CRC of each object. */
static void ask_git(const char *words, const char *end) {
    char command[4096];
    (void)snprintf(command, sizeof command, "cd / && git %s '%s'/*.%s", words,
                   base_path("objects/pack"), end);
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
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
    for (size_t i = 0; i < OBJECTS; i++)
        check_object(odb, &contents[i]);
    git_odb_free(odb);
    ask_git("verify-pack", "idx");
}

/* An unfinished pack leaves no files. */
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

/* A pack of the compressor that libdeflate replaced: nothing, 200 lines, and noise. */
static const char old_pack[] =
    "5041434b0000000200000003307801030000000001b0c2037801cbc9cc4b553050c84f53485448cb"
    "cc495528c9482c51284eac2c5628c94855284ecc4de502ab3124428d11116a8c89506342841a5322"
    "d49811a166d4efa3f13e9ae647f3fb6859375ace8fd671f8eb82d1fa1d7ff88cb66df087cf68bb0e"
    "7ff88cb669f187cf687b1e7ff88cf665f087cf68fd8e3f7c46eb77fce1335abfe30f9fd1fa1d7ff8"
    "8cd6eff8c367b47ec71f3ea3f53bfef019addff187cf68fd8e3f7c46eb77fce1335abfe30f9f6158"
    "bf030072fd6f5ab00a780101a0005fff6c4e74921325222e31a1cd13be12ed426966ce24fc23d7da"
    "8d2097616a06956ec28ad403136828d4571e3c5dee6e5ec04a91115f5d3b513ec253a416ad6ee538"
    "9411d0289aa34cf5c0347c59caf08495f3611b0b5068d59804f92eb7299955577999be78c0106687"
    "0299e57f6cd235bcfb8f449deee23be1eccc8cbff5bfbec20bdbf86b9ce54f85b607cf46e94a4b2a"
    "fbd4e58f4fe15c11128218a32b18f7724e134e98e0be0d3aba3f96e038f7b71cc5e640a45027f752";

static void put_old_pack(void) {
    FILE *file = fopen(base_path("objects/pack/pack-old.pack"), "w");
    TEST_ASSERT_NOT_NULL(file);
    for (size_t i = 0; i + 1 < sizeof old_pack; i += 2) {
        const char digits[] = {old_pack[i], old_pack[i + 1], '\0'};
        TEST_ASSERT_NOT_EQUAL(EOF, fputc((int)strtol(digits, NULL, 16), file));
    }
    TEST_ASSERT_EQUAL(0, fclose(file));
    ask_git("index-pack", "pack");
}

void test_pack__old_ones_are_read(void) {
    AUTO(buf_free) struct buf nothing = {0}, lines = {0}, noise = {0};
    unsigned random = 7;
    buf_str(&nothing, "");
    for (int i = 0; i < 200; i++)
        buf_printf(&lines, "line %d of a file that says the same\n", i % 7);
    for (int i = 0; i < 160; i++) {
        random = random * 1103515245U + 12345U;
        buf_char(&noise, (char)(random >> 16));
    }
    make_directory(base_path("objects/pack"));
    put_old_pack();
    git_odb *odb = open_odb();
    check_object(odb, &nothing);
    check_object(odb, &lines);
    check_object(odb, &noise);
    git_odb_free(odb);
}

/* The compressor keeps no state: the same bytes give the same stream, whatever came before. */
void test_pack__zip_keeps_nothing(void) {
    AUTO(buf_free) struct buf first = {0}, again = {0};
    struct zip *z = zip_new();
    zip_add(z, contents[51].data, contents[51].len, &first);
    for (size_t i = 0; i < OBJECTS; i++) {
        buf_clear(&again);
        zip_add(z, contents[i].data, contents[i].len, &again);
    }
    buf_clear(&again);
    zip_add(z, contents[51].data, contents[51].len, &again);
    TEST_ASSERT_EQUAL(first.len, again.len);
    TEST_ASSERT_EQUAL_MEMORY(first.data, again.data, first.len);
    zip_free(z);
}

void test_pack__zip_without_memory(void) {
    AUTO(buf_free) struct buf out = {0};
    struct zip *z = zip_new();
    buf_str(&out, "kept");
    zip_add(z, "", SIZE_MAX, &out);
    TEST_ASSERT_TRUE(out.failed);
    TEST_ASSERT_EQUAL(4, out.len);
    zip_free(z);
    zip_free(NULL);
}

void test_pack__set_of_names(void) {
    struct oid_set set = {0};
    for (size_t i = 0; i < OBJECTS; i++) {
        struct oid oid = name_of(&contents[i]);
        TEST_ASSERT_FALSE(oid_set_has(&set, &oid));
        TEST_ASSERT_TRUE(oid_set_add(&set, &oid));
        TEST_ASSERT_TRUE(oid_set_add(&set, &oid));
        TEST_ASSERT_TRUE(oid_set_has(&set, &oid));
    }
    TEST_ASSERT_EQUAL(OBJECTS, set.n);
    oid_set_free(&set);
    TEST_ASSERT_EQUAL(0, set.n);
}
