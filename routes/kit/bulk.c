/* Printing large answers beside the loop. */
#include "routes/kit/bulk.h"

#include "base/limits.h"
#include "http/reply.h"

enum { AROUND = 4 * MIB }; /* what stands round the bytes themselves */

static void print(struct work_job *job)
{
	struct bulk *b = container_of(job, struct bulk, job);

	if (b->lookup.print(&b->lookup, &b->body))
		return;
	b->err = b->lookup.why;
	if (b->err.code == ERR_OK)
		err_set(&b->err, ERR_INTERNAL, "", "the answer could not be made");
}

static void on_printed(struct work_job *job)
{
	struct bulk *b = container_of(job, struct bulk, job);

	if (b->lookup.request && b->err.code == ERR_OK)
		reply_json_take(b->lookup.request, 200, &b->body);
	else if (b->lookup.request)
		reply_error(b->lookup.request, &b->err);
	buf_finish(&b->body);
	b->lookup.destroy(&b->lookup);
}

void bulk_done(struct bulk *b, const struct err *e, size_t bytes)
{
	struct err busy;

	if (e->code != ERR_OK || !b->lookup.request || bytes <= LIMIT_TRANSLATE_LOOP) {
		lookup_done(&b->lookup, e);
		return;
	}
	b->err = (struct err){ .code = ERR_OK };
	buf_init(&b->body, bytes + AROUND);
	b->job = (struct work_job){
		.loop = b->lookup.job->loop, .run = print, .done = on_printed
	};
	if (work_submit(b->work, &b->job))
		return;
	err_set(&busy, ERR_OVERLOADED, "", "too much is waiting to be printed; try again");
	lookup_done(&b->lookup, &busy);
}
