/* filetype.h -- what kind of bytes these are: libmagic's word, and ours on text. */
#ifndef AQFS_FILETYPE_H
#define AQFS_FILETYPE_H

#include "workspace.h"

/* The MIME type and charset libmagic gives for the first bytes of a file, e.g. "text/x-lisp" and
 * "iso-8859-1".  Loads libmagic's database at first need; safe from any thread. */
struct filetype {
    char mime[128];
    char charset[64];
};
int filetype_of(struct aqfs_workspace *ws, const char *bytes, size_t n, struct filetype *out,
                struct error *e);

/* How much of a file filetype_of wants to see. */
#define FILETYPE_SAMPLE 65536

#endif
