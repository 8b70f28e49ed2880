/* A request whose work is at a worker's: who comes back first, the worker or the client's end. */
#include "http/request_aside.h"

static void request_aside_left(void *arg)
{
	struct request_aside *a = arg;

	a->request = NULL;
	work_unwant(&a->job);
}

static void request_aside_run(struct work_job *job)
{
	struct request_aside *a = container_of(job, struct request_aside, job);

	a->err.code = a->run(a, &a->err);
}

static void request_aside_done(struct work_job *job)
{
	struct request_aside *a = container_of(job, struct request_aside, job);

	if (a->request)
		request_on_left(a->request, NULL, NULL);
	a->done(a);
}

enum errc request_aside_start(struct request_aside *a, struct request *r, struct work_pool *pool,
			      enum errc (*run)(struct request_aside *a, struct err *e),
			      void (*done)(struct request_aside *a), struct err *e)
{
	*a = (struct request_aside){ .request = r, .run = run, .done = done };
	a->job = (struct work_job){ .loop = request_view(r)->loop,
				    .run = request_aside_run,
				    .done = request_aside_done };
	if (!work_submit(pool, &a->job))
		return err_set(e, ERR_OVERLOADED, "",
			       "too many large requests are waiting; try again");
	request_on_left(r, request_aside_left, a);
	return ERR_OK;
}
