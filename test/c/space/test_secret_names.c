/* SPDX-License-Identifier: MIT */
#include "secret_names.h"

#include "fixture.h"
#include "secret.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_directory(project_path(""));
    ws = open_project("");
}

static const struct secret_group *why(const char *path) {
    return secret_by_path(ws, &ws->roots[0], path, false);
}

static void is_secret(const char *path) {
    TEST_ASSERT_NOT_NULL_MESSAGE(why(path), path);
}

static void is_open(const char *path) {
    TEST_ASSERT_NULL_MESSAGE(why(path), path);
}

void test_secret_names__each_is_found_where_it_counts(void) {
    for (size_t i = 0; i < secret_name_count; i++) {
        const struct secret_name *row = &secret_names[i];
        char name[96], path[160];
        size_t n = 0;
        for (const char *c = row->pattern; *c; c++)
            if (*c != '*')
                name[n++] = *c;
        name[n] = '\0';
        (void)snprintf(path, sizeof path, "d/%s%s%s", row->above ? row->above : "",
                       row->above ? "/" : "", name);
        TEST_ASSERT_EQUAL_PTR_MESSAGE(&secret_groups[row->group], why(path), path);
        (void)snprintf(path, sizeof path, "d/%s%s%s/x/y.c", row->above ? row->above : "",
                       row->above ? "/" : "", name);
        if (row->kind == SECRET_TREE)
            is_secret(path);
        else
            is_open(path);
    }
}

void test_secret_names__stars(void) {
    TEST_ASSERT_TRUE(secret_pattern_matches("*", ""));
    TEST_ASSERT_TRUE(secret_pattern_matches("a*b*c", "aXbbYc"));
    TEST_ASSERT_TRUE(secret_pattern_matches("*ab", "aab"));
    TEST_ASSERT_FALSE(secret_pattern_matches("a*b", "abc"));
    TEST_ASSERT_FALSE(secret_pattern_matches("a", ""));
}

void test_secret_names__what_people_have(void) {
    is_secret(".env.production");
    is_secret(".ENVRC");
    is_secret("sub/.Env.local");
    is_secret("id_work");
    is_secret("id_rsa.bak");
    is_secret(".config/gcloud/credentials.db");
    is_secret("x/.docker/config.json");
    is_secret("my-service-account-prod.json");
    is_open(".env.example");
    is_open(".env.local.sample");
    is_open("id_rsa.pub");
    is_open("id_generator.c");
    is_open("env");
    is_open("config.json");
    is_open("secret/key.txt");
    is_open(".env/lib/python3/site.py");
    is_open("monkey");
    is_open("");
}

/* Editors and other programs keep copies beside the file. */
void test_secret_names__copies(void) {
    static const char *const copies[] = {
        "#.env#",           "server.pem~",     "server.pem.~12~",
        "#id_rsa#",         ".server.pem.swp", "secrets.yml.bak",
        "secrets.yml.orig", "#secrets.yml#~",  "credentials.json.old",
        "gh/hosts.yml~",    "#id_work#"};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        is_secret(copies[i]);
    static const char *const others[] = {
        "main.c~", "#main.c#", ".main.c.swp", "hosts.yml~",      "~",    "##",
        "#",       ".~1~",     "x.bak",       "secrets.yml.txt", ".bak", "#.env.example#"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_open(others[i]);
    TEST_ASSERT_NULL(secret_by_path(ws, &ws->roots[0], "server.pem~", true));
    reopen("\"secret_paths\":[\"conf/prod.json\",\"token\",\"!x.pem\",\":default\"]");
    is_secret("conf/#prod.json#");
    is_secret("conf/prod.json~");
    is_secret("a/token.bak");
    is_open("prod.json~");
    is_open("x.pem~");
}

/* Our temporary names, and the one for what may not be removed. */
void test_secret_names__what_a_crash_has_left(void) {
    is_secret(".aqfs-31dc8e2a046c387b7c0e78f3e462ef5f.bak");
    is_secret("d/.aqfs-31dc8e2a046c387b7c0e78f3e462ef5f.tmp/.env");
}

void test_secret_names__of_a_process(void) {
    is_secret("proc/1/environ");
    is_secret("proc/1/task/1/environ");
}

/* Names that a careless file system or reader takes for a secret one. */
void test_secret_names__are_folded(void) {
    is_secret(".e\xE2\x80\x8Bnv");
    is_secret(".env. ");
    is_secret(".env::$DATA");
    is_secret("server.PEM");
}
