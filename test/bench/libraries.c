/* libraries.c -- measures what we wrote, and what we chose, against what else there is:
 * libraries DIR, of whose files it takes the first 16 MB.
 *
 *     library/pack      an object as packs hold it: compressed, with its CRC-32 and its part of the
 *                       pack's SHA-1; the peer is zlib at its fastest, with its own CRC-32
 *     library/version   hash.c, a BLAKE2b with 16 bytes of result, against OpenSSL's BLAKE2b
 *
 * Prints the lines that bench.c describes, in processor time, and for the first row also the
 * bytes of both results: `SIZE name ours peer peer_bytes ratio`.  Heeds BENCH_ROWS and BENCH_RUNS.
 *
 * SPDX-License-Identifier: MIT
 */
#include "die.h"
#include "hash.h"
#include "zip.h"

#define OPENSSL_SUPPRESS_DEPRECATED /* as checksum.h has it */
#include <fnmatch.h>
#include <ftw.h>
#include <libdeflate.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { FILES_MOST = 20000, BYTES_MOST = 16000000, RUNS_MOST = 99 };

static struct {
    char *data;
    size_t n;
} files[FILES_MOST];

static struct {
    const char *rows;
    int runs;
    size_t n, bytes;
    struct zip *zip;
    EVP_MD_CTX *digest;
    size_t result; /* bytes that the last run made */
} bench;

static int take_file(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)where;
    if (type != FTW_F || s->st_size == 0)
        return 0;
    if (bench.n == FILES_MOST || bench.bytes >= BYTES_MOST)
        return 1;
    FILE *file = fopen(path, "re");
    char *data = malloc((size_t)s->st_size);
    must(file && data, path);
    if (!file || !data)
        return 1; /* for cppcheck, which does not know that must ends the program */
    files[bench.n].data = data;
    files[bench.n].n = fread(data, 1, (size_t)s->st_size, file);
    bench.bytes += files[bench.n++].n;
    (void)fclose(file);
    return 0;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* -- the sides --------------------------------------------------------------------------------- */

static void pack_ours(void) {
    struct buf out = {0};
    SHA_CTX sum;
    unsigned char end[SHA_DIGEST_LENGTH];
    volatile uint32_t crc;
    (void)SHA1_Init(&sum);
    for (size_t i = 0; i < bench.n; i++) {
        buf_clear(&out);
        zip_add(bench.zip, files[i].data, files[i].n, &out);
        crc = libdeflate_crc32(0, out.data, out.len);
        (void)SHA1_Update(&sum, out.data, out.len);
        bench.result += out.len;
    }
    (void)crc;
    (void)SHA1_Final(end, &sum);
    buf_free(&out);
}

static void pack_zlib(void) {
    static unsigned char out[4 * BYTES_MOST];
    SHA_CTX sum;
    unsigned char end[SHA_DIGEST_LENGTH];
    volatile uLong crc;
    (void)SHA1_Init(&sum);
    for (size_t i = 0; i < bench.n; i++) {
        uLongf n = sizeof out;
        if (compress2(out, &n, (const Bytef *)files[i].data, files[i].n, Z_BEST_SPEED) != Z_OK)
            die("a file is too large");
        crc = crc32(0, out, (uInt)n);
        (void)SHA1_Update(&sum, out, n);
        bench.result += n;
    }
    (void)crc;
    (void)SHA1_Final(end, &sum);
}

static void version_ours(void) {
    for (size_t i = 0; i < bench.n; i++) {
        struct hash h;
        char hex[HASH_HEX];
        hash_start(&h);
        hash_add(&h, files[i].data, files[i].n);
        hash_end(&h, hex);
    }
}

static void version_openssl(void) {
    for (size_t i = 0; i < bench.n; i++) {
        unsigned char result[EVP_MAX_MD_SIZE];
        if (!EVP_DigestInit_ex(bench.digest, EVP_blake2b512(), NULL) ||
            !EVP_DigestUpdate(bench.digest, files[i].data, files[i].n) ||
            !EVP_DigestFinal_ex(bench.digest, result, NULL))
            die("OpenSSL has no BLAKE2b");
    }
}

/* -- rows -------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_side(void (*side)(void), size_t *result) {
    bench.result = 0;
    double started = now_ms();
    side();
    *result = bench.result;
    return now_ms() - started;
}

static void time_row(const char *name, void (*ours)(void), const char *peer, void (*theirs)(void),
                     double bound) {
    double mine[RUNS_MOST], others[RUNS_MOST];
    size_t made = 0, other_made = 0;
    if (fnmatch(bench.rows, name, 0) != 0)
        return;
    for (int run = 0; run < bench.runs; run++) {
        mine[run] = time_side(ours, &made);
        others[run] = time_side(theirs, &other_made);
    }
    qsort(mine, (size_t)bench.runs, sizeof *mine, by_size);
    qsort(others, (size_t)bench.runs, sizeof *others, by_size);
    double ms = mine[bench.runs / 2], other_ms = others[bench.runs / 2];
    printf("BENCH %s %.2f %s %.2f %.3f %.2f %s\n", name, ms, peer, other_ms, ms / other_ms, bound,
           ms <= bound * other_ms ? "ok" : "SHORT");
    if (made > 0)
        printf("SIZE %s %zu %s %zu %.3f\n", name, made, peer, other_made,
               (double)made / (double)other_made);
}

int main(int argc, char **argv) {
    const char *runs = getenv("BENCH_RUNS"), *rows = getenv("BENCH_ROWS");
    bench.rows = rows ? rows : "*";
    bench.runs = runs ? (int)strtol(runs, NULL, 10) : 7;
    bench.zip = zip_new();
    bench.digest = EVP_MD_CTX_new();
    if (argc != 2 || bench.runs < 1 || bench.runs > RUNS_MOST || !bench.zip || !bench.digest)
        die("libraries DIR; BENCH_RUNS at most 99");
    (void)nftw(argv[1], take_file, 20, FTW_PHYS);
    printf("# library: %zu files, %zu bytes\n", bench.n, bench.bytes);
    time_row("library/pack", pack_ours, "zlib", pack_zlib, 1);
    time_row("library/version", version_ours, "openssl", version_openssl, 1.05);
    zip_free(bench.zip);
    EVP_MD_CTX_free(bench.digest);
    for (size_t i = 0; i < bench.n; i++)
        free(files[i].data);
    return 0;
}
