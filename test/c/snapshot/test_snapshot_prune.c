/* Forgetting snapshots by number, age and size, and what that leaves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project(STATE);
}

static long long total(void) {
    return number_in(ask(ws, "snapshot_list", "{}"), "total");
}

static long long prune(const char *args) {
    json_t *reply = change(ws, "snapshot_prune", args);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return number_in(reply, "forgotten");
}

/* N snapshots of different texts; the ids in order. */
static void take(const char *ids[], size_t n) {
    for (size_t i = 0; i < n; i++) {
        char text[40];
        (void)snprintf(text, sizeof text, "version %zu\n", i);
        make_file(project_path("a.txt"), text);
        ids[i] = snapshot(ws);
        pause_ms(2);
    }
}

static void check_goes_back(const char *id, const char *text) {
    go_back(ws, id);
    TEST_ASSERT_EQUAL_STRING(text, text_of(project_path("a.txt")));
}

void test_snapshot_prune__by_number(void) {
    const char *ids[6];
    take(ids, 6);
    TEST_ASSERT_EQUAL(4, prune("{\"keep\":2}"));
    TEST_ASSERT_EQUAL(2, total());
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", ids[3])));
    check_goes_back(ids[4], "version 4\n");
    check_goes_back(ids[5], "version 5\n");
}

void test_snapshot_prune__not_the_last_unasked(void) {
    const char *ids[2];
    take(ids, 2);
    TEST_ASSERT_EQUAL(1, prune("{\"keep\":1,\"days\":0,\"bytes\":0}"));
    check_goes_back(ids[1], "version 1\n");
}

/* A key in a snapshot can be got rid of: nothing of it is left on the disk. */
void test_snapshot_prune__a_lone_one(void) {
    const char *ids[1];
    char command[4096];
    take(ids, 1);
    TEST_ASSERT_EQUAL(1, prune("{\"keep\":0}"));
    TEST_ASSERT_EQUAL(0, total());
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", ids[0])));
    (void)snprintf(command, sizeof command, "test -z \"$(ls '%s'/snapshots/*.git/objects/pack)\"",
                   base_path("state"));
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
    take(ids, 1);
    check_goes_back(ids[0], "version 0\n");
}

/* -- for whom ---------------------------------------------------------------------------------- */

/* The id of a snapshot for ORIGIN, with a tag if TAG is not "". */
static const char *take_for(const char *origin, const char *tag) {
    char request[256];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"snapshot_create\",\"authority\":\"cautious\","
                     "\"origin\":\"%s\",\"args\":{\"tag\":\"%s\"}}",
                     origin, tag);
    json_t *reply = ask_raw(ws, request, (size_t)n, &(aqfs_context){.format = AQFS_JSON});
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    pause_ms(2);
    return text_in(reply, "id");
}

static void check_is_kept(const char *id) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(on_snapshot(ws, "snapshot_diff", id)));
}

/* Those of a model and of undo make room among themselves, whatever tags they have. */
void test_snapshot_prune__a_persons_stay(void) {
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"snapshots\":3}");
    const char *plain = take_for("person", ""), *release = take_for("person", "release-1.0");
    const char *models = take_for("model", "mine"), *undo = take_for("undo", "before x");
    for (int i = 0; i < 8; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d\n", i);
        make_file(project_path("a.txt"), text);
        (void)take_for("model", i % 2 ? "release-1.0" : "");
        (void)take_for("undo", "after x");
    }
    check_is_kept(plain);
    check_is_kept(release);
    TEST_ASSERT_EQUAL(2 + 3 + 3, total());
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", models)));
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", undo)));
    /* Of a person's own, the oldest without a tag make room. */
    for (int i = 0; i < 4; i++)
        (void)take_for("person", "");
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", plain)));
    check_is_kept(release);
    TEST_ASSERT_EQUAL(1 + 3 + 3 + 3, total());
    TEST_ASSERT_EQUAL_STRING("approval-required", /* forgetting them otherwise is asked about */
                             code_of(ask(ws, "snapshot_prune", "{\"keep\":0}")));
    TEST_ASSERT_EQUAL(10, prune("{\"keep\":0}"));
}

/* An approval is of the snapshots that go, not of some going. */
void test_snapshot_prune__approved_by_name(void) {
    const char *ids[4];
    take(ids, 4);
    json_t *shown = preview(ws, "snapshot_prune", "{\"keep\":2,\"bytes\":9000000}");
    const char *digest = text_in(shown, "digest"), *words = text_in(shown, "diff");
    TEST_ASSERT_EQUAL_STRING("snapshot_prune: forgets 2 of 4 snapshots", text_in(shown, "summary"));
    TEST_ASSERT_NOT_NULL(strstr(words, ids[0]));
    TEST_ASSERT_NOT_NULL(strstr(words, ids[1]));
    TEST_ASSERT_NULL(strstr(words, ids[2]));
    TEST_ASSERT_NOT_NULL(strstr(words, "9000000 bytes"));
    static const char *const others[] = {"{\"keep\":1,\"bytes\":9000000}",
                                         "{\"keep\":2,\"bytes\":1}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        TEST_ASSERT_EQUAL_STRING("stale",
                                 code_of(change_approved(ws, digest, "snapshot_prune", others[i])));
    const char *last = snapshot(ws);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change_approved(ws, digest, "snapshot_prune",
                                                              "{\"keep\":2,\"bytes\":9000000}")));
    TEST_ASSERT_EQUAL(5, total());
    shown = preview(ws, "snapshot_prune", "{\"keep\":1}");
    TEST_ASSERT_NULL(strstr(text_in(shown, "diff"), last));
    change_approved(ws, text_in(shown, "digest"), "snapshot_prune", "{\"keep\":1}");
    TEST_ASSERT_EQUAL(1, total());
}

void test_snapshot_prune__by_age(void) {
    const char *ids[2];
    take(ids, 2);
    TEST_ASSERT_EQUAL(0, prune("{\"days\":1}"));
    pause_ms(1100);
    (void)snapshot(ws);
    TEST_ASSERT_EQUAL(2, prune("{\"days\":0}"));
    TEST_ASSERT_EQUAL(1, total());
}

/* Bytes that do not compress. */
static const char *noise(unsigned seed, size_t n) {
    static char text[200001];
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1103515245U + 12345U;
        text[i] = (char)('!' + (seed >> 16) % 90);
    }
    text[n] = '\0';
    return text;
}

void test_snapshot_prune__by_size(void) {
    const char *ids[5];
    for (size_t i = 0; i < 5; i++) {
        make_file(project_path("noise"), noise((unsigned)i + 1, 200000));
        ids[i] = snapshot(ws);
        pause_ms(2);
    }
    /* How many will go is not known before, and each that may is named. */
    json_t *shown = preview(ws, "snapshot_prune", "{\"bytes\":450000}");
    const char *words = text_in(shown, "diff");
    TEST_ASSERT_EQUAL_STRING("snapshot_prune: forgets up to 4 of 5 snapshots",
                             text_in(shown, "summary"));
    for (size_t i = 0; i < 5; i++)
        TEST_ASSERT_EQUAL(i < 4, strstr(words, ids[i]) != NULL);
    TEST_ASSERT_TRUE(prune("{\"bytes\":450000}") >= 2);
    TEST_ASSERT_TRUE(total() >= 1);
    make_file(project_path("noise"), "");
    go_back(ws, ids[4]);
    TEST_ASSERT_TRUE(strncmp(noise(5, 200000), text_of(project_path("noise")), 1000) == 0);
}

/* Nor does their size cost a person's snapshots their lives. */
void test_snapshot_prune__size_takes_only_ones_own(void) {
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"snapshot_bytes\":1048576}");
    make_file(project_path("noise"), noise(1, 200000));
    const char *release = take_for("person", "release-1.0"), *plain = take_for("person", "");
    for (unsigned i = 2; i < 12; i++) {
        make_file(project_path("noise"), noise(i, 200000));
        (void)take_for(i % 2 ? "model" : "undo", "");
    }
    check_is_kept(release);
    check_is_kept(plain);
    TEST_ASSERT_TRUE(total() < 12);
}

void test_snapshot_prune__by_itself(void) {
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"snapshots\":3}");
    const char *ids[8];
    take(ids, 8);
    TEST_ASSERT_EQUAL(3, total());
    check_goes_back(ids[5], "version 5\n"); /* its safety snapshot does not cost it its life */
    check_goes_back(ids[5], "version 5\n");
}

/* Many small packs become one, and all is still there. */
void test_snapshot_prune__many_packs(void) {
    enum { MANY = 60 };
    const char *ids[MANY];
    take(ids, MANY);
    char command[4096];
    (void)snprintf(command, sizeof command,
                   "test $(ls '%s'/snapshots/*.git/objects/pack | wc -l) -lt 110",
                   base_path("state"));
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
    check_goes_back(ids[0], "version 0\n");
    check_goes_back(ids[MANY - 1], "version 59\n");
    (void)snprintf(command, sizeof command,
                   "git --git-dir=$(echo '%s'/snapshots/*.git) fsck --strict >'%s' 2>&1",
                   base_path("state"), base_path("fsck"));
    TEST_ASSERT_EQUAL_MESSAGE(0, system(command),
                              text_of(base_path("fsck"))); // NOLINT(cert-env33-c)
}

/* The cache must not know what was thrown away. */
void test_snapshot_prune__what_was_forgotten_is_kept_anew(void) {
    const char *ids[2];
    take(ids, 2);
    make_file(project_path("a.txt"), "version 0\n");
    pause_ms(150);
    const char *third = snapshot(ws);
    make_file(project_path("a.txt"), "version 1\n");
    pause_ms(150);
    (void)snapshot(ws);
    (void)prune("{\"keep\":1}");
    make_file(project_path("a.txt"), "version 0\n");
    const char *last = snapshot(ws);
    make_file(project_path("a.txt"), "gone\n");
    check_goes_back(last, "version 0\n");
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", third)));
}
