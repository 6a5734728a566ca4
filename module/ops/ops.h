/* ops.h -- the functions of the operations, for the rows of the table.
 *
 * Each is in the file that is named after its tool.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OPS_H
#define AQFS_OPS_H

struct call;
struct plan;

int plan_edit_file(struct call *c, struct plan *p);
int plan_insert_at_line(struct call *c, struct plan *p);
int plan_create_file(struct call *c, struct plan *p);
int plan_write_file(struct call *c, struct plan *p);
int plan_write_bytes(struct call *c, struct plan *p);
int plan_make_directory(struct call *c, struct plan *p);
int plan_move_file(struct call *c, struct plan *p);
int plan_copy_file(struct call *c, struct plan *p);
int plan_delete_file(struct call *c, struct plan *p);
int plan_apply_patch(struct call *c, struct plan *p);
int plan_apply_patch_json(struct call *c, struct plan *p);
int plan_apply_patch_freeform(struct call *c, struct plan *p);
int plan_replace_in_files(struct call *c, struct plan *p);
void report_replaced(struct call *c, const struct plan *p);
void report_patch(struct call *c, const struct plan *p);
void report_edit(struct call *c, const struct plan *p);
void report_write(struct call *c, const struct plan *p);
void report_make_directory(struct call *c, const struct plan *p);
void report_move(struct call *c, const struct plan *p);
void report_delete(struct call *c, const struct plan *p);

int op_get_project_root(struct call *c);
int op_list_directory(struct call *c);
int op_list_dir(struct call *c);
int op_directory_tree(struct call *c);
int op_get_file_info(struct call *c);
int op_file_exists(struct call *c);
int op_read_file(struct call *c);
int op_read_bytes(struct call *c);
int op_search_files(struct call *c);
int plan_edit_form(struct call *c, struct plan *p);
int op_grep_files(struct call *c);

#endif
