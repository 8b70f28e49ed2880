/* Changes the metadata of a stored completion, or deletes it, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/check.h"
#include "routes/kit/lookup.h"
#include "routes/chat/completion_print.h"
#include "schema/schema.h"
#include "store/completion.h"
#include "store/job.h"

struct change {
	struct lookup           lookup;
	struct completion_write write;
	enum reasoning_name     reasoning;
	struct input           *input; /* owned; `write` points into it */
};

static bool print_completion(struct lookup *l, struct buf *out)
{
	const struct change *x = container_of(l, struct change, lookup);

	return completion_print(out, &x->write.now, x->reasoning);
}

static bool completion_change_print_deleted(struct lookup *l, struct buf *out)
{
	char id[ID_MAX];

	id_text(container_of(l, struct change, lookup)->write.run, ID_COMPLETION, id);
	return buf_fmt(out, "{\"object\":\"chat.completion.deleted\",\"id\":\"%s\",", id) &&
	       buf_text(out, "\"deleted\":true}");
}

static void completion_change_finish(struct lookup *l)
{
	input_destroy(container_of(l, struct change, lookup)->input);
}

static size_t completion_change_bytes(const struct lookup *l)
{
	const struct store_completion *now = &container_of(l, struct change, lookup)->write.now;

	return now->settings.n + now->answer.n + now->metadata.n;
}

static const struct lookup_kind update_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, 3 * LIMIT_STORE_ROW),
	.bytes = completion_change_bytes,
	.print = print_completion,
	.finish = completion_change_finish,
};

static const struct lookup_kind delete_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, 3 * LIMIT_STORE_ROW),
	.print = completion_change_print_deleted,
	.finish = completion_change_finish,
};

/* completion_change_make: NULL: the request was refused. */
static struct change *completion_change_make(struct request *r, struct gateway *g,
					     const struct lookup_kind *kind)
{
	struct id id;

	if (!id_parse(request_param(r, 0), ID_COMPLETION, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such stored completion");
		return NULL;
	}
	struct change *x = lookup_make(kind, r, g);
	if (!x)
		return NULL;
	x->reasoning = g->now->run.reasoning;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	x->write.run = id;
	return x;
}

static void completion_change_start(struct change *x)
{
	lookup_start(&x->lookup, store_completion_write(x->lookup.gateway->store, &x->write));
}

static enum errc completion_change_read_body(struct change *x, struct err *e)
{
	struct completion_update body = completion_update_init;
	struct input            *in = x->input;
	enum errc                rc;

	rc = fields_read(&completion_update_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc != ERR_OK || body.metadata == JSON_ABSENT)
		return rc;
	x->write.metadata = json_raw(&in->doc, body.metadata);
	return check_metadata(&in->doc, body.metadata, e);
}

void stored_completion_change_update(struct request *r, void *app)
{
	struct err     e;
	struct change *x = completion_change_make(r, app, &update_kind);

	if (!x)
		return;
	x->input = request_input_take(r);
	if (completion_change_read_body(x, &e) == ERR_OK)
		completion_change_start(x);
	else
		lookup_refuse(&x->lookup, &e);
}

void stored_completion_change_delete(struct request *r, void *app)
{
	struct change *x = completion_change_make(r, app, &delete_kind);

	if (!x)
		return;
	x->write.delete = true;
	completion_change_start(x);
}
