/* routes/admin/api_key_body: what is asked of a key, from a JSON object: a request's, or what the command
 * line was made into. */
#pragma once

#include "base/allowance.h"
#include "base/buf.h"
#include "json/input.h"
#include "msg/usage_tag.h"
#include "store/api_key.h"
#include "store/key_group.h"
#include "store/usage.h"

struct value;

/* Each fills what w asks for; spans point into the input.  w->now_ms is set; tags: what may be named.
 * Errors: those of fields_read, INVALID_VALUE. */
enum errc api_key_body_create(struct input *in, const struct usage_tag_names *tags,
			      struct api_key_write *w, struct err *e) MUST_USE;
enum errc api_key_body_update(struct input *in, const struct usage_tag_names *tags,
			      struct api_key_write *w, struct err *e) MUST_USE;
/* api_key_body_scopes: the scopes that a list names (enum scope). */
enum errc api_key_body_scopes(struct input *in, json_at list, unsigned *ret,
			      struct err *e) MUST_USE;
enum errc api_key_body_rotate(struct input *in, struct api_key_write *w, struct err *e) MUST_USE;
/* api_key_body_group: of a group, to create or to change it. */
enum errc api_key_body_group(struct input *in, const struct usage_tag_names *tags,
			     struct key_group_write *w, struct err *e) MUST_USE;

/* --- allowance_body: limits and budgets of keys, from JSON and to it. */

/* allowance_body_limits_value, allowance_body_budget_value: as the admin routes tell them, owned; a JSON
 * null where there are none.  NULL: no memory. */
struct value *allowance_body_limits_value(const struct allowance *a) MUST_USE;
struct value *allowance_body_budget_value(const struct allowance *a) MUST_USE;
/* allowance_body_money: a sum of money, as a string, owned.  NULL: no memory. */
struct value *allowance_body_money(int64_t nano) MUST_USE;
/* The three parts of what is left of a budget, owned.  began_ms 0: it was never used.  allowance_body_left_value: all
 * three as an object; a JSON null where there is no budget.  NULL: no memory. */
struct allowance_body_left {
	struct value *cost, *tokens, *renewed_at;
};
struct allowance_body_left allowance_body_left(const struct budget_row *b, int64_t now_ms);
struct value *allowance_body_left_value(const struct budget_row *b, int64_t now_ms) MUST_USE;

/* --- api_key_print: a key as a JSON object, for the admin routes and the command line. */

/* api_key_print: text: shown once, when it was made or rotated; else NULL.  False: out is full. */
bool api_key_print(struct buf *out, const struct store_api_key *k, const char *text,
		   int64_t now_ms) MUST_USE;
/* api_key_print_list: a page of them. */
bool api_key_print_list(struct buf *out, const struct api_keys_read *read, int64_t now_ms) MUST_USE;
/* api_key_print_group, api_key_print_groups: the same for groups. */
bool api_key_print_group(struct buf *out, const struct store_key_group *g, int64_t now_ms) MUST_USE;
bool api_key_print_groups(struct buf *out, const struct key_groups_read *read,
			  int64_t now_ms) MUST_USE;
/* api_key_scopes: the names of scopes, a list, owned.  NULL: no memory. */
struct value *api_key_scopes(unsigned scopes) MUST_USE;
/* api_key_status: "active", "expired" or "revoked". */
const char *api_key_status(const struct store_api_key *k, int64_t now_ms);
