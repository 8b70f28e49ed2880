/* POST /v1/translate: translates messages and chunks from OpenAI's form to LMC and back. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "lmc/translate.h"
#include "routes/kit/gateway.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The bytes of all bodies, of all loops, that are waiting for a worker or being translated. */
static atomic_size_t waiting;

/* A request to translate. The object owns itself from translate_post to translate_done. */
struct translation {
	struct request_aside aside;
	struct input        *input; /* owned, because the body may outlive its connection */
	struct buf           answer;
	size_t               counted; /* counted in `waiting` */
};

static void translation_destroy(struct translation *t)
{
	input_destroy(t->input);
	buf_finish(&t->answer);
	free(t);
}

/* Runs on a worker, or on the loop if the body is short. */
static enum errc translate_run(struct request_aside *a, struct err *e)
{
	struct translation          *t = container_of(a, struct translation, aside);
	char                         id[ID_MAX];
	const struct translate_about about = {
		.id = id_text(id_new(), ID_COMPLETION, id),
		.model = STR("translation"),
		.created_s = clock_wall_ms() / 1000,
	};

	return translate_messages(&t->input->doc, &about, &t->answer, e);
}

static void translate_done(struct request_aside *a)
{
	struct translation *t = container_of(a, struct translation, aside);

	atomic_fetch_sub(&waiting, t->counted);
	if (a->request && a->err.code == ERR_OK)
		reply_json_take(a->request, 200, &t->answer);
	else if (a->request)
		reply_error(a->request, &a->err);
	translation_destroy(t);
}

/* translate_count: a translation needs several times the memory of its body, so the waiting bodies
 * have a limit; one body of any length is always accepted. */
static bool translate_count(struct translation *t)
{
	size_t before = atomic_fetch_add(&waiting, t->input->body.len);

	t->counted = t->input->body.len;
	return before == 0 || before + t->counted <= LIMIT_TRANSLATE_WAITING;
}

void translate_post(struct request *r, void *app)
{
	struct gateway     *g = app;
	struct translation *t = calloc(1, sizeof *t);
	struct err          e;

	if (!t) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the translation");
		return;
	}
	t->input = request_input_take(r);
	buf_init(&t->answer, LIMIT_TRANSLATION);
	if (t->input->body.len <= LIMIT_TRANSLATE_LOOP) {
		t->aside.request = r;
		t->aside.err.code = translate_run(&t->aside, &t->aside.err);
		translate_done(&t->aside);
		return;
	}
	if (!translate_count(t))
		err_set(&e, ERR_OVERLOADED, "",
			"too many long translations are waiting; try again");
	else if (request_aside_start(&t->aside, r, g->work, translate_run, translate_done, &e) ==
		 ERR_OK)
		return;
	atomic_fetch_sub(&waiting, t->counted);
	reply_error(r, &e);
	translation_destroy(t);
}
