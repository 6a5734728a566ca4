/* emacs_args.h -- from Lisp values to a request's JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_ARGS_H
#define AQFS_EMACS_ARGS_H

#include "emacs_env.h"
#include "reply.h"
#include "table.h"

#include <jansson.h>

/* The request {"op": ..., "args": {...}} for the operation OP, a symbol or a string, and ARGS, a
 * property list; HOW is one of further members, such as :authority.  All are spelled with
 * underscores or hyphens.
 *
 *   string             text; see lisp_text
 *   integer, float     themselves
 *   t                  true
 *   :false :json-false false
 *   :null              absent
 *   nil                false, the empty list or absent, as the operation's row has it
 *   another symbol     its name, where one of several words is expected
 *   list, vector       a list
 *   list of keywords and values, inside another value: an object
 *
 * Any other value, a list that is circular or improper, and a key given twice are
 * AQFS_INVALID_ARGUMENT naming the key.  Answers like lisp_text. */
int args_request(emacs_env *env, emacs_value op, emacs_value args, emacs_value how, json_t **out,
                 struct error *e);

/* The options of workspace_open from a property list: as above, nil being absent. */
int args_options(emacs_env *env, emacs_value options, json_t **out, struct error *e);

/* Writes into R what ARGS, a property list, are by PARAMS, a list of parameters as the catalogue
 * has them: a map of those that were given or have a default. */
int args_check(emacs_env *env, emacs_value params, emacs_value args, struct reply *r,
               struct error *e);

/* Whether REQUEST's operation may take long. */
bool args_is_slow(const json_t *request);

/* For AUTO: P points to the json_t pointer that goes out of scope. */
void cleanup_json(void *p);

#endif
