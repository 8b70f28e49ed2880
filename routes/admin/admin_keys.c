/* /v1/admin/keys.  A key's text is in the one answer that makes it and nowhere else, so these routes
 * know no Idempotency-Key: there is nothing to answer a second time with. */
#include "routes/admin/admin_keys.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/admin/api_key_body.h"
#include "routes/admin/api_key_print.h"
#include "routes/kit/lookup.h"
#include "routes/kit/page.h"
#include "store/api_key.h"
#include "store/job.h"

#include <stdlib.h>

enum { LIST_DEFAULT = 20, LIST_MAX = 100 };

static void no_memory(struct request *r)
{
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the request");
}

/* read_id: of the path, without key_. */
static bool read_id(struct request *r, char ret[API_KEY_ID + 1])
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

static bool print_one(struct lookup *l, struct buf *out)
{
	return api_key_print(out, container_of(l, struct look, lookup)->read.keys, NULL,
			     clock_wall_ms());
}

static bool print_list(struct lookup *l, struct buf *out)
{
	return api_key_print_list(out, &container_of(l, struct look, lookup)->read, clock_wall_ms());
}

static void look_destroy(struct lookup *l)
{
	struct look *x = container_of(l, struct look, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void look_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct look, read.job)->lookup, &job->err);
}

static void look(struct request *r, struct gateway *g, const struct api_keys_read *read,
		 bool (*print)(struct lookup *l, struct buf *out))
{
	struct look *x = calloc(1, sizeof *x);

	if (!x) {
		no_memory(r);
		return;
	}
	x->lookup = (struct lookup){ .job = &x->read.job, .print = print, .destroy = look_destroy };
	x->read = *read;
	x->read.job.loop = g->loop;
	x->read.job.done = look_done;
	arena_init(&x->read.arena, 8 * MIB);
	lookup_start(&x->lookup, r, store_api_keys_read(g->store, &x->read));
}

void admin_keys_get(struct request *r, void *app)
{
	struct api_keys_read read = { .limit = 1 };

	if (read_id(r, read.id))
		look(r, app, &read, print_one);
}

void admin_keys_list(struct request *r, void *app)
{
	struct api_keys_read read = { .limit = 0 };
	struct str           text;
	struct str           id = STR_NONE;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &read.limit))
		return;
	if (request_query(r, "after", 0, &text) && !api_key_id(text, &id)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a key of this list");
		return;
	}
	str_copy(read.after, sizeof read.after, id);
	look(r, app, &read, print_list);
}

/* --- changing --- */

struct change {
	struct lookup        lookup;
	struct api_key_write write;
	struct input        *input; /* owned; what write points into */
	char                 text[API_KEY_MAX]; /* "": there is no new one */
};

static bool print_change(struct lookup *l, struct buf *out)
{
	const struct change *x = container_of(l, struct change, lookup);

	return api_key_print(out, &x->write.now, x->text[0] ? x->text : NULL, x->write.now_ms);
}

static void change_destroy(struct lookup *l)
{
	struct change *x = container_of(l, struct change, lookup);

	api_key_wipe(x->text);
	arena_finish(&x->write.arena);
	input_destroy(x->input);
	free(x);
}

static void change_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct change, write.job)->lookup, &job->err);
}

static struct change *make(struct request *r, struct gateway *g, enum api_key_change change)
{
	struct change *x = calloc(1, sizeof *x);

	if (!x) {
		no_memory(r);
		return NULL;
	}
	x->lookup = (struct lookup){
		.job = &x->write.job, .print = print_change, .destroy = change_destroy
	};
	x->write = (struct api_key_write){
		.job = { .loop = g->loop, .done = change_done },
		.change = change,
		.now_ms = clock_wall_ms(),
	};
	arena_init(&x->write.arena, MIB);
	x->input = request_input_take(r);
	return x;
}

static void start(struct change *x, struct request *r, struct gateway *g)
{
	if (x->text[0])
		hash_sha256(x->text, API_KEY_LENGTH, x->write.sha256);
	lookup_start(&x->lookup, r, store_api_key_write(g->store, &x->write));
}

static void refuse(struct change *x, struct request *r, const struct err *e)
{
	reply_error(r, e);
	change_destroy(&x->lookup);
}

void admin_keys_create(struct request *r, void *app)
{
	struct change *x = make(r, app, API_KEY_CREATE);
	struct err     e;

	if (!x)
		return;
	if (api_key_body_create(x->input, &x->write, &e) != ERR_OK) {
		refuse(x, r, &e);
		return;
	}
	api_key_make(x->write.id, x->text);
	x->write.owner = api_key_owner();
	start(x, r, app);
}

void admin_keys_update(struct request *r, void *app)
{
	char       id[API_KEY_ID + 1];
	struct err e;

	if (!read_id(r, id))
		return;
	struct change *x = make(r, app, API_KEY_UPDATE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	if (api_key_body_update(x->input, &x->write, &e) == ERR_OK)
		start(x, r, app);
	else
		refuse(x, r, &e);
}

void admin_keys_revoke(struct request *r, void *app)
{
	char id[API_KEY_ID + 1];

	if (!read_id(r, id))
		return;
	struct change *x = make(r, app, API_KEY_REVOKE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	start(x, r, app);
}

void admin_keys_rotate(struct request *r, void *app)
{
	char       id[API_KEY_ID + 1];
	struct err e;

	if (!read_id(r, id))
		return;
	struct change *x = make(r, app, API_KEY_ROTATE);
	if (!x)
		return;
	memcpy(x->write.id, id, sizeof id);
	if (api_key_body_rotate(x->input, &x->write, &e) != ERR_OK) {
		refuse(x, r, &e);
		return;
	}
	api_key_remake(id, x->text);
	start(x, r, app);
}
