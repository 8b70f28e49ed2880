/* POST /v1/translate: translates messages and chunks from OpenAI's form to LMC and back. */
#include "routes/chat/translate.h"

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
	struct work_job job;
	struct request *request; /* NULL: the client left */
	struct input   *input;   /* owned, because the body may outlive its connection */
	struct buf      answer;
	struct err      err;     /* code ERR_OK: the answer is complete */
	size_t          counted; /* counted in `waiting` */
};

static void translation_destroy(struct translation *t)
{
	input_destroy(t->input);
	buf_finish(&t->answer);
	free(t);
}

static void translate_client_left(void *arg)
{
	struct translation *t = arg;

	t->request = NULL;
}

/* Runs on a worker, or on the loop if the body is short. */
static void translate_run(struct work_job *job)
{
	struct translation          *t = container_of(job, struct translation, job);
	char                         id[ID_MAX];
	const struct translate_about about = {
		.id = id_text(id_new(), ID_COMPLETION, id),
		.model = STR("translation"),
		.created_s = clock_wall_ms() / 1000,
	};

	t->err.code = translate(&t->input->doc, &about, &t->answer, &t->err);
}

static void translate_done(struct work_job *job)
{
	struct translation *t = container_of(job, struct translation, job);

	atomic_fetch_sub(&waiting, t->counted);
	if (t->request && t->err.code == ERR_OK)
		reply_json_take(t->request, 200, &t->answer);
	else if (t->request)
		reply_error(t->request, &t->err);
	translation_destroy(t);
}

/* translate_count: a translation needs several times the memory of its body, so the waiting bodies
 * have a limit; one body of any length is always accepted. */
static bool translate_count(struct translation *t)
{
	size_t before = atomic_fetch_add(&waiting, t->input->body.len);

	t->counted = t->input->body.len;
	if (before == 0 || before + t->counted <= LIMIT_TRANSLATE_WAITING)
		return true;
	atomic_fetch_sub(&waiting, t->counted);
	return false;
}

void translate_post(struct request *r, void *app)
{
	struct gateway     *g = app;
	struct translation *t = calloc(1, sizeof *t);

	if (!t) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the translation");
		return;
	}
	t->job = (struct work_job){ .loop = g->loop, .run = translate_run, .done = translate_done };
	t->request = r;
	t->input = request_input_take(r);
	buf_init(&t->answer, LIMIT_TRANSLATION);
	if (t->input->body.len <= LIMIT_TRANSLATE_LOOP) {
		translate_run(&t->job);
		translate_done(&t->job);
		return;
	}
	request_on_left(r, translate_client_left, t);
	bool counted = translate_count(t);
	if (counted && work_submit(g->work, &t->job))
		return;
	if (counted)
		atomic_fetch_sub(&waiting, t->counted);
	reply_refuse(r, ERR_OVERLOADED, "", "too many long translations are waiting; try again");
	translation_destroy(t);
}
