/* The files of the messages, for the sandbox: contents that the messages have themselves, in memory that has a
 * descriptor, and uploaded ones.
 *
 *   the first execution of the run --> a worker: the descriptors --> they go with the order
 *
 * Each run brings them anew, as a session may have ended since.  Of equal names the last one counts. */
#include "base/limits.h"
#include "base/full_io.h"
#include "computer/link.h"
#include "run/computer.h"
#include "shape/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct gathered {
	char name[LIMIT_FILE_NAME + 1];
	int  fd; /* owned */
};

struct gather {
	struct work_job  job;
	struct run      *run; /* the worker looks only at what stays while it works */
	struct str      *messages;
	size_t           message_count;
	size_t           at; /* the message that is walked */
	struct gathered  list[LIMIT_RUNNER_FILES];
	size_t           count;
	struct link_file sent[LIMIT_RUNNER_FILES];
	struct err       err;
};

/* --- on a worker --- */

/* gather_add: fd is consumed. */
static bool gather_add(struct gather *g, struct str name, int fd)
{
	struct gathered new = { .fd = fd };
	size_t i = 0;

	context_place(name, new.name);
	while (i < g->count && strcmp(g->list[i].name, new.name) != 0)
		i++;
	if (i == LIMIT_RUNNER_FILES) {
		close(fd);
		return err_set(&g->err, ERR_INVALID_VALUE, "messages",
			       "the messages have more than %d files for the computer",
			       LIMIT_RUNNER_FILES) == ERR_OK;
	}
	if (i < g->count)
		close(g->list[i].fd);
	else
		g->count++;
	g->list[i] = new;
	return true;
}

static bool gather_write(int fd, struct str content)
{
	return whole_write(fd, content) && lseek(fd, 0, SEEK_SET) == 0;
}

static bool gather_inlined(void *arg, struct str name, struct str content)
{
	struct gather *g = arg;
	int            fd = memfd_create("file", MFD_CLOEXEC);

	if (fd >= 0 && gather_write(fd, content))
		return gather_add(g, name, fd);
	if (fd >= 0)
		close(fd);
	return err_no_memory(&g->err) == ERR_OK;
}

static bool gather_uploaded(void *arg, size_t n)
{
	struct gather *g = arg;
	struct str     name = STR_NONE;
	int            fd = -1;

	if (attach_open(g->run, g->at, n, &fd, &name, &g->err) != ERR_OK)
		return false;
	return fd < 0 || gather_add(g, name, fd);
}

static void gather_work(struct work_job *job)
{
	struct gather              *g = container_of(job, struct gather, job);
	const struct context_walker walker = { gather_inlined, gather_uploaded, g };
	enum errc                   rc = ERR_OK;
	struct err                  e;

	for (; rc == ERR_OK && g->at < g->message_count; g->at++)
		rc = context_walk(g->messages[g->at], &walker, &e);
	if (rc != ERR_OK && g->err.code == ERR_OK)
		g->err = e;
}

/* --- on the loop --- */

static void gather_on_done(struct work_job *job)
{
	struct gather *g = container_of(job, struct gather, job);
	struct run    *r = g->run;
	struct err     e = g->err;

	run_release(r);
	if (r->state >= STATE_CALLING && r->state <= STATE_EXECUTING)
		step_over(r, &e);
	else
		run_free_if_over(r);
}

bool gather_wanted(const struct run *r)
{
	return r->computer->chose && run_files(r) != CONTEXT_PROMPT && !r->computer->gather;
}

enum step_next gather_start(struct run *r, struct err *e)
{
	struct gather *g = calloc(1, sizeof *g);
	size_t         old;

	if (!g) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	r->computer->gather = g;
	g->run = r;
	g->job = (struct work_job){ .loop = run_loop(r),
				    .run = gather_work,
				    .done = gather_on_done };
	if (call_messages(r, &g->messages, &g->message_count, &old, e) != ERR_OK)
		return STEP_FAILED;
	run_hold(r);
	if (work_submit(r->engine->o.work, &g->job))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many files are waiting to be read; try again");
	return STEP_FAILED;
}

bool gather_put(struct run_computer *c, struct buf *out, size_t *ret_count)
{
	struct gather *g = c->gather;
	bool           ok = true;

	*ret_count = 0;
	if (!g)
		return true;
	for (size_t i = 0; ok && i < g->count; i++) {
		g->sent[i] = (struct link_file){ out->len, g->list[i].fd };
		ok = frame_put(out, FRAME_GIVE, str_of(g->list[i].name));
	}
	*ret_count = g->count;
	return ok;
}

const struct link_file *gather_sent(const struct run_computer *c)
{
	return c->gather ? c->gather->sent : NULL;
}

void gather_close(struct run_computer *c)
{
	struct gather *g = c->gather;

	for (size_t i = 0; g && i < g->count; i++)
		close(g->list[i].fd);
	if (g)
		g->count = 0;
}

void gather_drop(struct run_computer *c)
{
	gather_close(c);
	free(TAKE(c->gather));
}
