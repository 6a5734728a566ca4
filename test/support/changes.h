/* changes.h -- asking for changes in a test: with an authority, as a preview, with a digest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "support.h"

/* The reply to OP with ARGS, a JSON object, and full authority. */
json_t *change(aqfs_workspace *ws, const char *op, const char *args);
/* The same, with the authority WORD. */
json_t *change_as(aqfs_workspace *ws, const char *word, const char *op, const char *args);
/* The preview of OP. */
json_t *preview(aqfs_workspace *ws, const char *op, const char *args);
/* Commits what the preview with DIGEST showed. */
json_t *change_approved(aqfs_workspace *ws, const char *digest, const char *op, const char *args);

/* Writes a file through WS, whatever its backend; TEXT needs no escapes in JSON. */
void put_file(aqfs_workspace *ws, const char *path, const char *text);
/* The text of a file, or the code of the error of reading it. */
const char *content_of(aqfs_workspace *ws, const char *path);
/* Fails the test unless the file NAME of the project holds TEXT on the disk. */
void check_text(const char *name, const char *text);

/* The number of temporary names in the project. */
int temporary_files(void);

#endif
