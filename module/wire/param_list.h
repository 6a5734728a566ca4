/* param_list.h -- reading parameters that are given as data, in the catalogue's form.
 *
 * So the function that checks the core's own arguments also checks those of
 * tools that are declared elsewhere, such as in Emacs Lisp.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PARAM_LIST_H
#define AQFS_PARAM_LIST_H

#include "args.h"

struct reply;

struct param_list {
    struct params params;
    struct param *all;
    char **choices; /* of each parameter, or NULL */
};

/* Reads LIST, an array of objects such as {"name": "path", "type": "path", "required": true};
 * `default`, `least`, `most`, `choices` and `doc` may be absent.  AQFS_INVALID_ARGUMENT for an
 * object that is wrong.  LIST must outlive OUT.  Call param_list_free in either case. */
int param_list_read(const json_t *list, struct param_list *out, struct error *e);
void param_list_free(struct param_list *list);

/* Decodes ARGS by the parameters, and writes a map of those that were given or have a default. */
int param_list_check(const struct param_list *list, const json_t *args, struct reply *r,
                     struct error *e);

#endif
