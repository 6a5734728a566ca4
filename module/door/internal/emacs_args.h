/* emacs_args.h -- converting Lisp values to a request's JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_ARGS_H
#define AQFS_EMACS_ARGS_H

#include "emacs_env.h"
#include "reply.h"
#include "table.h"

#include <jansson.h>

/* Makes the request {"op": ..., "args": {...}} from the operation OP, a symbol or a string, and the
 * property list ARGS.  HOW is a property list of further members, such as :authority.  Names may
 * be spelled with underscores or hyphens.  *SLOW becomes true if the operation may take long.
 *
 *   string             text; see lisp_text
 *   integer, float     themselves
 *   t                  true
 *   :false :json-false false
 *   :null              absent
 *   nil                false, the empty list or absent, by the parameter's type
 *   another symbol     its name, if the parameter expects one of several words
 *   list, vector       a list
 *   list of keywords and values, inside another value: an object
 *
 * AQFS_INVALID_ARGUMENT, with the key in the message, for any other value, a circular or improper
 * list, and a key given twice; the errors of lisp_text; LISP_EXIT on a non-local exit. */
int args_request(emacs_env *env, emacs_value op, emacs_value args, emacs_value how, json_t **out,
                 bool *slow, struct error *e);

/* Converts the property list OPTIONS to the options of workspace_open, as args_request does; nil
 * means absent. */
int args_options(emacs_env *env, emacs_value options, json_t **out, struct error *e);

/* Checks the property list ARGS by PARAMS, a list of parameters as the catalogue has them.  Writes
 * into R the map of the arguments that were given or have a default.  Fails like args_request, and
 * with the errors of param_list_read and param_list_check. */
int args_check(emacs_env *env, emacs_value params, emacs_value args, struct reply *r,
               struct error *e);

/* For AUTO: P points to the json_t pointer that goes out of scope. */
void cleanup_json(void *p);

#endif
