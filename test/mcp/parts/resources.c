/* resources.c -- files as resources.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>

static json_t *read_uri(struct mcp *m, const char *uri) {
    return mcp_ask(m, "resources/read", json_pack("{s:s}", "uri", uri));
}

/* Each URI of the list leads to its file. */
static void listed_and_read(struct project *p) {
    make_file(project_file(p, "d/sp ace%#?.txt"), "odd\n");
    make_file(project_file(p, "d/\xC3\xBC.txt"), "umlaut\n");
    struct mcp *m = serve_modern(p, false);
    json_t *list = mcp_ask(m, "resources/list", NULL);
    const json_t *resources = at_path(list, "result.resources");
    static const char *const texts[] = {"one\ntwo\n", "odd\n", "umlaut\n"};
    EXPECT(p, json_array_size(resources) == 3);
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const char *uri = json_string_value(json_object_get(json_array_get(resources, i), "uri"));
        json_t *read = read_uri(m, uri);
        EXPECT_TEXT(p, texts[i], text_at(read, "result.contents.0.text"));
        EXPECT_TEXT(p, uri, text_at(read, "result.contents.0.uri"));
        EXPECT(p, json_is_integer(at_path(read, "result.ttlMs")));
        json_decref(read);
    }
    json_decref(list);
    END(p, m);
}

static void by_pages(struct project *p) {
    for (int i = 0; i < 1000; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "f%04d", i);
        make_file(project_file(p, name), "");
    }
    struct mcp *m = serve_modern(p, false);
    json_t *first = mcp_ask(m, "resources/list", NULL);
    json_t *second = mcp_ask(m, "resources/list",
                             json_pack("{s:s}", "cursor", text_at(first, "result.nextCursor")));
    json_t *third = mcp_ask(m, "resources/list",
                            json_pack("{s:s}", "cursor", text_at(second, "result.nextCursor")));
    EXPECT_TEXT(p, "a.txt", text_at(first, "result.resources.0.name"));
    EXPECT_TEXT(p, "f0499", text_at(second, "result.resources.0.name"));
    EXPECT(p, json_array_size(at_path(third, "result.resources")) == 1);
    EXPECT(p, !at_path(third, "result.nextCursor"));
    json_t *wrong = mcp_ask(m, "resources/list", json_pack("{s:s}", "cursor", "-1"));
    EXPECT(p, number_at(wrong, "error.code") == -32602);
    json_t *const all[] = {first, second, third, wrong};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    END(p, m);
}

static void bytes_that_are_no_text(struct project *p) {
    make_bytes(project_file(p, "x.bin"), "\0\1\2\xFF", 4);
    struct mcp *m = serve_modern(p, false);
    char *uri = path_of("file://localhost%s/x.bin", p->root);
    json_t *read = read_uri(m, uri);
    EXPECT_TEXT(p, "AAEC/w==", text_at(read, "result.contents.0.blob"));
    EXPECT(p, !at_path(read, "result.contents.0.text"));
    json_decref(read);
    free(uri);
    END(p, m);
}

static void not_a_resource(struct project *p) {
    char *missing = path_of("file://%s/none", p->root), *up = path_of("file://%s/../x", p->root);
    const char *const uris[] = {
        missing,           up,           "file:///etc/passwd", "http://a/b",
        "file://host/a",   "file://",    "file:///%zz",        "file:///a%00b",
        "file:///a?query", "file:///%ff"};
    struct mcp *m = serve_modern(p, false);
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        json_t *answer = read_uri(m, uris[i]);
        EXPECT(p, number_at(answer, "error.code") == -32602);
        EXPECT_TEXT(p, uris[i], text_at(answer, "error.data.uri"));
        json_decref(answer);
    }
    json_t *bare = mcp_ask(m, "resources/read", NULL);
    EXPECT(p, number_at(bare, "error.code") == -32602);
    json_decref(bare);
    END(p, m);
    m = serve_legacy(p, false);
    json_t *answer = read_uri(m, missing);
    EXPECT(p, number_at(answer, "error.code") == -32002);
    json_decref(answer);
    END(p, m);
    free(missing);
    free(up);
}

static void templates(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    json_t *answer = mcp_ask(m, "resources/templates/list", NULL);
    char *wanted = path_of("file://%s/{+path}", p->root);
    EXPECT_TEXT(p, wanted, text_at(answer, "result.resourceTemplates.0.uriTemplate"));
    json_decref(answer);
    free(wanted);
    END(p, m);
}

const struct mcp_case resource_cases[] = {
    {"resources/listed-and-read", listed_and_read},
    {"resources/by-pages", by_pages},
    {"resources/bytes-that-are-no-text", bytes_that_are_no_text},
    {"resources/not-a-resource", not_a_resource},
    {"resources/templates", templates},
    {NULL, NULL}};
