/* filetype.c -- libmagic's answer for the type of a file's bytes: see filetype.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "filetype.h"

#include <magic.h>
#include <stdio.h>
#include <string.h>

/* Without NO_CHECK_COMPRESS, some builds of libmagic run decompressors. */
#define FLAGS (MAGIC_MIME | MAGIC_NO_CHECK_COMPRESS)

/* For any action but loading, magic_getpath leaves out ~/.magic.  An agent may write to a home
 * directory, and its files must not decide what libmagic says. */
#define SYSTEM_DATABASE 1

/* Bounds the work that a hostile file can cause; libmagic's own limits suit whole files. */
static void set_limits(magic_t magic) {
    const size_t bytes = FILETYPE_SAMPLE, program_headers = 128, section_headers = 1024;
    (void)magic_setparam(magic, MAGIC_PARAM_BYTES_MAX, &bytes);
    (void)magic_setparam(magic, MAGIC_PARAM_ELF_PHNUM_MAX, &program_headers);
    (void)magic_setparam(magic, MAGIC_PARAM_ELF_SHNUM_MAX, &section_headers);
}

static int fail_magic(magic_t magic, struct error *e) {
    const char *reason = magic_error(magic);
    return fail(e, AQFS_IO, "libmagic cannot determine file types: %s",
                reason ? reason : "no reason");
}

/* Call with magic_lock held. */
static int load_magic_database(struct libraries *libraries, struct error *e) {
    if (libraries->magic)
        return AQFS_OK;
    magic_t magic = magic_open(FLAGS);
    if (!magic)
        return fail_memory(e);
    set_limits(magic);
    if (magic_load(magic, magic_getpath(NULL, SYSTEM_DATABASE)) != 0) {
        int code = fail_magic(magic, e);
        magic_close(magic);
        return code;
    }
    libraries->magic = magic;
    return AQFS_OK;
}

/* Takes "text/x-c; charset=us-ascii" apart. */
static void parse(const char *answer, struct filetype *out) {
    static const char separator[] = "; charset=";
    const char *charset = strstr(answer, separator);
    size_t mime = charset ? (size_t)(charset - answer) : strlen(answer);
    (void)snprintf(out->mime, sizeof out->mime, "%.*s", (int)mime, answer);
    (void)snprintf(out->charset, sizeof out->charset, "%s",
                   charset ? charset + sizeof separator - 1 : "binary");
}

int filetype_of(struct libraries *libraries, const char *bytes, size_t n, struct filetype *out,
                struct error *e) {
    (void)pthread_mutex_lock(&libraries->magic_lock);
    int code = load_magic_database(libraries, e);
    if (!code) {
        const char *answer =
            magic_buffer(libraries->magic, bytes, n < FILETYPE_SAMPLE ? n : FILETYPE_SAMPLE);
        if (answer)
            parse(answer, out);
        else
            code = fail_magic(libraries->magic, e);
    }
    (void)pthread_mutex_unlock(&libraries->magic_lock);
    return code;
}

void filetype_free(void *magic) {
    if (magic)
        magic_close(magic);
}
