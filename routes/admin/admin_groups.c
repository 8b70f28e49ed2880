/* /v1/admin/groups. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/admin/api_key_body.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/key_group.h"

enum { LIST_DEFAULT = 20, LIST_MAX = 100 };

/* admin_groups_read_id: the id of the path, without grp_. */
static bool admin_groups_read_id(struct request *r, char ret[API_KEY_ID + 1])
{
	struct str id;

	if (!api_key_group(request_param(r, 0), &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such group");
		return false;
	}
	str_copy(ret, API_KEY_ID + 1, id);
	return true;
}

/* --- reading --- */

struct look {
	struct lookup          lookup;
	struct key_groups_read read;
};

static bool admin_groups_print_one(struct lookup *l, struct buf *out)
{
	return api_key_print_group(out, container_of(l, struct look, lookup)->read.groups,
				   clock_wall_ms());
}

static bool admin_groups_print_list(struct lookup *l, struct buf *out)
{
	return api_key_print_groups(out, &container_of(l, struct look, lookup)->read,
				    clock_wall_ms());
}

static const struct lookup_kind one_kind = { LOOKUP(struct look, read),
					     LOOKUP_ARENA(struct look, read.arena, 8 * MIB),
					     .print = admin_groups_print_one };

static const struct lookup_kind list_kind = { LOOKUP(struct look, read),
					      LOOKUP_ARENA(struct look, read.arena, 8 * MIB),
					      .print = admin_groups_print_list };

void admin_groups_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct look    *x = lookup_make(&one_kind, r, g);

	if (!x)
		return;
	x->read.limit = 1;
	if (admin_groups_read_id(r, x->read.id))
		lookup_start(&x->lookup, store_key_groups_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

static bool admin_groups_read_page(struct request *r, struct key_groups_read *ret)
{
	struct str text;
	struct str id = STR_NONE;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &ret->limit))
		return false;
	if (request_query(r, "after", 0, &text) && !api_key_group(text, &id)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
			     "must be the id of a group of this list");
		return false;
	}
	str_copy(ret->after, sizeof ret->after, id);
	return true;
}

void admin_groups_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct look    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	if (admin_groups_read_page(r, &x->read))
		lookup_start(&x->lookup, store_key_groups_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- changing --- */

struct change {
	struct lookup          lookup;
	struct key_group_write write;
	struct input          *input; /* owned; `write` points into it */
	struct audit_entry     entry;
};

static bool admin_groups_print_change(struct lookup *l, struct buf *out)
{
	const struct key_group_write *w = &container_of(l, struct change, lookup)->write;

	if (w->change != KEY_GROUP_DELETE)
		return api_key_print_group(out, &w->now, w->now_ms);
	return buf_fmt(out, "{\"id\":\"grp_%s\",\"object\":\"group.deleted\",\"deleted\":true}",
		       w->id);
}

static void admin_groups_change_finish(struct lookup *l)
{
	input_destroy(container_of(l, struct change, lookup)->input);
}

static const struct lookup_kind change_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, MIB),
	.print = admin_groups_print_change,
	.finish = admin_groups_change_finish,
};

static void admin_groups_change(struct request *r, struct gateway *g, enum key_group_change change,
				const char *id)
{
	struct change *x = lookup_make(&change_kind, r, g);
	struct err     e;

	if (!x)
		return;
	x->write.change = change;
	x->write.now_ms = clock_wall_ms();
	x->input = request_input_take(r);
	if (id)
		str_copy(x->write.id, sizeof x->write.id, str_of(id));
	else
		api_key_group_make(x->write.id);
	if (change != KEY_GROUP_DELETE &&
	    api_key_body_group(x->input, &g->now->usage_tags, &x->write, &e) != ERR_OK) {
		lookup_refuse(&x->lookup, &e);
		return;
	}
	lookup_audit(&x->lookup, AUDIT_GROUP_CREATE, STR_NONE, &x->entry);
	audit_group(&x->entry, &x->write);
	lookup_start(&x->lookup, store_key_group_write(g->store, &x->write));
}

void admin_groups_create(struct request *r, void *app)
{
	admin_groups_change(r, app, KEY_GROUP_CREATE, NULL);
}

void admin_groups_update(struct request *r, void *app)
{
	char id[API_KEY_ID + 1];

	if (admin_groups_read_id(r, id))
		admin_groups_change(r, app, KEY_GROUP_UPDATE, id);
}

void admin_groups_delete(struct request *r, void *app)
{
	char id[API_KEY_ID + 1];

	if (admin_groups_read_id(r, id))
		admin_groups_change(r, app, KEY_GROUP_DELETE, id);
}
