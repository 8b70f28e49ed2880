/* /v1/admin/keys. The text of a key is only in the answer that creates the key. So these routes
 * have no Idempotency-Key: a second answer could not show the text. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/admin/api_key_body.h"
#include "routes/kit/lookup.h"
#include "store/api_key.h"
#include "store/job.h"

enum { LIST_DEFAULT = 20, LIST_MAX = 100 };

/* admin_keys_read_id: the id of the path, without key_. */
static bool admin_keys_read_id(struct request *r, char ret[API_KEY_ID + 1])
{
	struct str id;

	if (!api_key_id(request_param(r, 0), &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such key");
		return false;
	}
	str_copy(ret, API_KEY_ID + 1, id);
	return true;
}

/* --- reading --- */

struct look {
	struct lookup        lookup;
	struct api_keys_read read;
};

static bool admin_keys_print_one(struct lookup *l, struct buf *out)
{
	return api_key_print(out, container_of(l, struct look, lookup)->read.keys, NULL,
			     clock_wall_ms());
}

static bool admin_keys_print_list(struct lookup *l, struct buf *out)
{
	return api_key_print_list(out, &container_of(l, struct look, lookup)->read,
				  clock_wall_ms());
}

static const struct lookup_kind one_kind = { LOOKUP(struct look, read),
					     LOOKUP_ARENA(struct look, read.arena, 8 * MIB),
					     .print = admin_keys_print_one };

static const struct lookup_kind list_kind = { LOOKUP(struct look, read),
					      LOOKUP_ARENA(struct look, read.arena, 8 * MIB),
					      .print = admin_keys_print_list };

void admin_keys_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct look    *x = lookup_make(&one_kind, r, g);

	if (!x)
		return;
	x->read.limit = 1;
	if (admin_keys_read_id(r, x->read.id))
		lookup_start(&x->lookup, store_api_keys_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

static bool admin_keys_read_page(struct request *r, struct api_keys_read *ret)
{
	struct str text;
	struct str id = STR_NONE;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &ret->limit))
		return false;
	if (request_query(r, "after", 0, &text) && !api_key_id(text, &id)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a key of this list");
		return false;
	}
	str_copy(ret->after, sizeof ret->after, id);
	return true;
}

void admin_keys_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct look    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	if (admin_keys_read_page(r, &x->read))
		lookup_start(&x->lookup, store_api_keys_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- changing --- */

struct change {
	struct lookup        lookup;
	struct api_key_write write;
	struct input        *input; /* owned; `write` points into it */
	struct audit_entry   entry;
	char                 text[API_KEY_MAX]; /* "": no new text */
};

static bool print_change(struct lookup *l, struct buf *out)
{
	const struct change *x = container_of(l, struct change, lookup);

	return api_key_print(out, &x->write.now, x->text[0] ? x->text : NULL, x->write.now_ms);
}

static void admin_keys_change_finish(struct lookup *l)
{
	struct change *x = container_of(l, struct change, lookup);

	api_key_wipe(x->text);
	input_destroy(x->input);
}

static const struct lookup_kind change_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, MIB),
	.print = print_change,
	.finish = admin_keys_change_finish,
};

static struct change *admin_keys_make(struct request *r, struct gateway *g,
				      enum api_key_change change)
{
	struct change *x = lookup_make(&change_kind, r, g);

	if (!x)
		return NULL;
	x->write.change = change;
	x->write.now_ms = clock_wall_ms();
	x->input = request_input_take(r);
	return x;
}

static void admin_keys_start(struct change *x)
{
	lookup_audit(&x->lookup, AUDIT_KEY_CREATE, STR_NONE, &x->entry);
	audit_key(&x->entry, &x->write);
	if (x->text[0])
		hash_sha256(x->text, API_KEY_LENGTH, x->write.sha256);
	lookup_start(&x->lookup, store_api_key_write(x->lookup.gateway->store, &x->write));
}

void admin_keys_create(struct request *r, void *app)
{
	struct change *x = admin_keys_make(r, app, API_KEY_CREATE);
	struct err     e;

	if (!x)
		return;
	if (api_key_body_create(x->input, &x->lookup.gateway->now->usage_tags, &x->write, &e) !=
	    ERR_OK) {
		lookup_refuse(&x->lookup, &e);
		return;
	}
	api_key_make(x->write.id, x->text);
	x->write.owner = api_key_owner();
	admin_keys_start(x);
}

void admin_keys_update(struct request *r, void *app)
{
	char       id[API_KEY_ID + 1];
	struct err e;

	if (!admin_keys_read_id(r, id))
		return;
	struct change *x = admin_keys_make(r, app, API_KEY_UPDATE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	if (api_key_body_update(x->input, &x->lookup.gateway->now->usage_tags, &x->write, &e) ==
	    ERR_OK)
		admin_keys_start(x);
	else
		lookup_refuse(&x->lookup, &e);
}

void admin_keys_revoke(struct request *r, void *app)
{
	char id[API_KEY_ID + 1];

	if (!admin_keys_read_id(r, id))
		return;
	struct change *x = admin_keys_make(r, app, API_KEY_REVOKE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	admin_keys_start(x);
}

void admin_keys_rotate(struct request *r, void *app)
{
	char       id[API_KEY_ID + 1];
	struct err e;

	if (!admin_keys_read_id(r, id))
		return;
	struct change *x = admin_keys_make(r, app, API_KEY_ROTATE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	if (api_key_body_rotate(x->input, &x->write, &e) != ERR_OK) {
		lookup_refuse(&x->lookup, &e);
		return;
	}
	api_key_remake(id, x->text);
	admin_keys_start(x);
}
