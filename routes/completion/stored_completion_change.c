/* New metadata for a stored completion, and its deletion, as in OpenAI's API. */
#include "routes/completion/stored_completion_change.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/bulk.h"
#include "routes/kit/check.h"
#include "routes/chat/completion_print.h"
#include "schema/completion_update.h"
#include "store/completion.h"
#include "store/job.h"

#include <stdlib.h>

struct change {
	struct bulk             bulk;
	struct completion_write write;
	enum reasoning_name     reasoning;
	struct input           *input; /* owned; what write points into */
};

static bool print_completion(struct lookup *l, struct buf *out)
{
	const struct change *x = container_of(l, struct change, bulk.lookup);

	return completion_print(out, &x->write.now, x->reasoning);
}

static bool print_deleted(struct lookup *l, struct buf *out)
{
	char id[ID_MAX];

	id_text(container_of(l, struct change, bulk.lookup)->write.run, ID_COMPLETION, id);
	return buf_fmt(out, "{\"object\":\"chat.completion.deleted\",\"id\":\"%s\",", id) &&
	       buf_text(out, "\"deleted\":true}");
}

static void change_destroy(struct lookup *l)
{
	struct change *x = container_of(l, struct change, bulk.lookup);

	arena_finish(&x->write.arena);
	input_destroy(x->input);
	free(x);
}

static void change_done(struct store_job *job)
{
	struct change                 *x = container_of(job, struct change, write.job);
	const struct store_completion *now = &x->write.now;

	bulk_done(&x->bulk, &job->err, now->settings.n + now->answer.n + now->metadata.n);
}

/* make: NULL: refused. */
static struct change *make(struct request *r, struct gateway *g,
			   bool (*print)(struct lookup *l, struct buf *out))
{
	struct id id;

	if (!id_parse(request_param(r, 0), ID_COMPLETION, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such stored completion");
		return NULL;
	}
	struct change *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the change");
		return NULL;
	}
	x->bulk.work = g->work;
	x->reasoning = g->now->run.reasoning;
	x->bulk.lookup = (struct lookup){
		.job = &x->write.job, .print = print, .destroy = change_destroy
	};
	x->write = (struct completion_write){
		.job = { .loop = g->loop, .done = change_done },
		.owner = request_owner(r),
		.now_ms = clock_wall_ms(),
		.run = id,
	};
	arena_init(&x->write.arena, 3 * LIMIT_STORE_ROW);
	return x;
}

static void start(struct change *x, struct request *r, struct gateway *g)
{
	lookup_start(&x->bulk.lookup, r, store_completion_write(g->store, &x->write));
}

static enum errc read_body(struct change *x, struct err *e)
{
	struct completion_update body = COMPLETION_UPDATE_INIT;
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
	struct change *x = make(r, app, print_completion);

	if (!x)
		return;
	x->input = request_input_take(r);
	if (read_body(x, &e) == ERR_OK) {
		start(x, r, app);
		return;
	}
	reply_error(r, &e);
	change_destroy(&x->bulk.lookup);
}

void stored_completion_change_delete(struct request *r, void *app)
{
	struct change *x = make(r, app, print_deleted);

	if (!x)
		return;
	x->write.delete = true;
	start(x, r, app);
}
