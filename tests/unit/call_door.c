/* The door into a run, without a connection: calls that the program makes itself pass the key, the limits and
 * the store as a client's do, and have a line in the log. */
#include "base/log.h"
#include "call/door.h"
#include "call/idem.h"
#include "desk/admit.h"
#include "json/input.h"
#include "loop/loop.h"
#include "provider/provider.h"
#include "provider/registry.h"
#include "shape/family.h"
#include "store/run.h"
#include "store/sqlite/engine.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOOK_US = 1000, MOST_LOOKS = 60 * 1000 };

struct world {
	char                  dir[64];
	char                  path[96];
	struct loop          *loop;
	pthread_t             thread;
	sem_t                 ran; /* what the test waits for has happened on the loop */
	struct store         *store;
	struct registry      *registry;
	struct run_engine    *runs;
	struct run_settings   settings;
	struct admit_settings admit;
	struct identity      *who;
	struct door           door;
	struct timer          look;
	size_t                looks;
	size_t                released;

	/* the call, */
	const char          *key; /* NULL: none */
	const char          *text;
	bool                 stream;
	bool                 leave; /* as soon as it is begun */
	struct task          task;
	struct door_call    *call;
	struct call_request *rq;
	/* and what its observer saw */
	size_t     limits;
	int64_t    left; /* requests, as it was told last */
	bool       over;
	bool       replayed;
	struct err err; /* code ERR_OK: none */
	struct buf answer;
	char       run[ID_MAX];
	char       conversation[ID_MAX];

	struct run_read read;
};

/* --- an observer that is no client --- */

static void end_now(struct task *t)
{
	struct world *w = container_of(t, struct world, task);

	door_leave(TAKE(w->call));
	w->over = true;
}

static void end_later(struct world *w)
{
	w->task.fn = end_now;
	loop_later(w->loop, &w->task);
}

static void see_run(struct world *w)
{
	struct door_view v;

	door_view(w->call, &v);
	w->replayed = v.replayed;
	str_copy(w->run, sizeof w->run, v.run.id);
	str_copy(w->conversation, sizeof w->conversation, v.run.conversation);
}

static void take_bytes(void *arg)
{
	struct world *w = arg;
	bool          last;
	struct str    s = door_ready(w->call, &last);

	CHECK(buf_str(&w->answer, s));
	door_taken(w->call, s.n);
	if (last && w->task.fn != end_now)
		end_later(w);
}

static void on_open(void *arg)
{
	see_run(arg);
	take_bytes(arg);
}

static void on_done(void *arg, const struct err *e)
{
	struct world *w = arg;

	see_run(w);
	if (e)
		w->err = *e;
	else if (!door_whole(w->call, &w->answer))
		(void)err_no_memory(&w->err);
	door_leave(TAKE(w->call));
	w->over = true;
}

static void on_begun(void *arg)
{
	struct world *w = arg;

	if (w->leave)
		end_later(w);
}

static void on_refused(void *arg, const struct err *e)
{
	struct world *w = arg;

	w->err = *e;
	w->call = NULL;
	w->over = true;
}

static void on_limits(void *arg, const struct rate_view *view)
{
	struct world *w = arg;

	w->limits++;
	w->left = view->of[RATE_KEY][RATE_REQUESTS].left;
}

static const struct door_observer observer = {
	.run = { on_open, take_bytes, on_done, on_begun },
	.refused = on_refused,
	.limits = on_limits,
};

/* --- the request --- */

static void release(void *held)
{
	((struct world *)held)->released++;
}

static struct call_request *request_of(struct world *w)
{
	struct input        *in = input_create(MIB);
	struct call_request *rq = in ? arena_alloc(&in->arena, sizeof *rq) : NULL;
	struct str          *message = rq ? arena_alloc(&in->arena, sizeof *message) : NULL;
	struct answer_label *name = rq ? arena_alloc(&in->arena, sizeof *name) : NULL;
	struct err           e;

	CHECK(message && name);
	CHECK(buf_fmt(&in->body, "{\"role\":\"user\",\"content\":\"%s\"}", w->text));
	rq->input = in;
	rq->held = w;
	rq->release = release;
	*message = buf_view(&in->body);
	rq->what.messages = message;
	rq->what.message_count = 1;
	rq->what.prompt.stream = w->stream;
	rq->manner.family = &family_chat;
	rq->manner.store = true;
	rq->manner.finish = true;
	rq->caller.who = w->who;
	rq->caller.owner = w->who->owner;
	rq->caller.scopes = SCOPES_USUAL;
	rq->caller.request_id = STR("req_own");
	CHECK(door_target(w->registry, STR("echo"), "model", rq, &e) == ERR_OK);
	if (!w->key)
		return rq;
	CHECK(idem_parse(str_of(w->key), name, &e) == ERR_OK);
	CHECK(idem_bind(STR("RUN"), STR("test"), input_digest(in), name, &e) == ERR_OK);
	rq->caller.key = name;
	return rq;
}

/* Until the call is over for its observer, and its run has its end in the store. */
static void look(struct timer *t)
{
	struct world *w = container_of(t, struct world, look);

	if ((w->over && run_engine_live(w->runs) == 0) || ++w->looks == MOST_LOOKS)
		sem_post(&w->ran);
	else
		timer_start(w->loop, &w->look, LOOK_US);
}

static void start_now(struct task *t)
{
	struct world *w = container_of(t, struct world, task);

	w->look.fn = look;
	timer_start(w->loop, &w->look, LOOK_US);
	door_start(w->call, TAKE(w->rq));
}

static void on_loop(struct world *w, void (*fn)(struct task *t))
{
	w->task.fn = fn;
	loop_post(w->loop, &w->task);
	while (sem_wait(&w->ran) != 0) {
	}
}

static void call(struct world *w, const char *key, const char *text)
{
	w->key = key;
	w->text = text;
	w->over = w->replayed = false;
	w->limits = w->looks = w->released = 0;
	w->left = -1;
	w->run[0] = w->conversation[0] = '\0';
	w->err = (struct err){ .code = ERR_OK };
	buf_clear(&w->answer);
	w->rq = request_of(w);
	w->call = door_create(&w->door, &observer, w);
	assert_non_null(w->call);
	on_loop(w, start_now);
	assert_true(w->over);
	assert_int_equal(w->released, 1);
}

static void on_read(struct store_job *job)
{
	sem_post(&container_of(job, struct world, read.job)->ran);
}

static void read_now(struct task *t)
{
	struct world *w = container_of(t, struct world, task);

	CHECK(store_run_read(w->store, &w->read));
}

/* The run as the store has it, until the next is read. */
static const struct run_read *read_run(struct world *w)
{
	arena_finish(&w->read.arena);
	w->read = (struct run_read){ .job = { .loop = w->loop, .done = on_read },
				     .owner = w->who->owner,
				     .shape = STR("") };
	arena_init(&w->read.arena, MIB);
	assert_true(id_parse(str_of(w->run), ID_RUN, &w->read.run));
	on_loop(w, read_now);
	assert_int_equal(w->read.job.err.code, ERR_OK);
	return &w->read;
}

/* --- the surroundings --- */

static const struct run_settings *settings_of(void *arg)
{
	return &((struct world *)arg)->settings;
}

static void make_registry(struct world *w)
{
	struct provider_options o = { .name = "echo", .dialect = "echo" };
	struct model_options    m = { .name = "echo", .provider = "echo" };
	struct provider        *p;
	struct err              e;

	assert_int_equal(provider_create(&o, &p, &e), ERR_OK);
	assert_int_equal(registry_create_take(&p, 1, &m, 1, NULL, &w->registry, &e), ERR_OK);
}

static void *run_loop(void *arg)
{
	loop_run(arg);
	return NULL;
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct err    e;

	assert_non_null(w);
	snprintf(w->dir, sizeof w->dir, "door-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->path, sizeof w->path, "%s/p.db", w->dir);
	buf_init(&w->answer, MIB);
	assert_int_equal(loop_create(0, &w->loop, &e), ERR_OK);

	struct store_options so = {
		.path = w->path, .readers = 1, .busy_ms = 2000, .migrate = true
	};
	assert_int_equal(sqlite_engine.open(&so, &w->store, &e), ERR_OK);
	make_registry(w);
	w->settings.commit_after_us = 60 * 1000000ll;

	struct run_engine_options ro = {
		.env = { .loop = w->loop }, .store = w->store, .settings = settings_of, .arg = w
	};
	assert_int_equal(run_engine_create(&ro, &w->runs, &e), ERR_OK);
	w->admit = (struct admit_settings){ .max_calls = 4 };
	w->door = (struct door){ .loop = w->loop,
				 .runs = w->runs,
				 .store = w->store,
				 .admit = &w->admit,
				 .settings = &w->settings };

	static int64_t          number; /* a key's count goes on for longer than a test */
	struct identity_options io = { .id = STR("key_test"),
				       .number = ++number,
				       .owner = 3,
				       .scopes = SCOPES_USUAL,
				       .allowance = { .requests = 1,
						      .requests_window_us = 3600 * 1000000ll } };
	w->who = identity_create(&io);
	assert_non_null(w->who);
	sem_init(&w->ran, 0, 0);
	assert_int_equal(pthread_create(&w->thread, NULL, run_loop, w->loop), 0);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal", ".lock", ".search" };
	struct world            *w = *state;
	char                     name[128];

	loop_stop(w->loop);
	pthread_join(w->thread, NULL);
	run_engine_destroy(w->runs);
	store_destroy(w->store);
	registry_destroy(w->registry);
	loop_destroy(w->loop);
	identity_release(w->who);
	sem_destroy(&w->ran);
	buf_finish(&w->answer);
	arena_finish(&w->read.arena);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(name, sizeof name, "%s%s", w->path, ends[i]);
		unlink(name);
	}
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	return 0;
}

static bool answer_has(const struct world *w, const char *part)
{
	return w->answer.len > 0 && memmem(w->answer.data, w->answer.len, part, strlen(part));
}

/* --- tests --- */

static void keyed_and_limited(bool stream, struct world *w)
{
	struct buf first;
	char       run[ID_MAX], conversation[ID_MAX];

	w->stream = stream;
	call(w, "key-1", "hello there");
	assert_int_equal(w->err.code, ERR_OK);
	assert_false(w->replayed);
	assert_true(w->limits > 0);
	assert_int_equal(w->left, 0);
	assert_true(answer_has(w, "there"));
	str_copy(run, sizeof run, str_of(w->run));
	str_copy(conversation, sizeof conversation, str_of(w->conversation));

	const struct run_read *read = read_run(w);
	assert_int_equal(read->status, RUN_COMPLETED);
	assert_false(id_none(read->conversation));
	assert_non_null(memmem(read->answer.p, read->answer.n, "hello there", 11));

	first = w->answer;
	buf_init(&w->answer, MIB);
	call(w, "key-1", "hello there");
	assert_int_equal(w->err.code, ERR_OK);
	assert_true(w->replayed);
	assert_string_equal(w->run, run);
	assert_string_equal(w->conversation, conversation);
	assert_int_equal(w->answer.len, first.len);
	assert_memory_equal(w->answer.data, first.data, first.len);
	buf_finish(&first);

	call(w, "key-1", "something else");
	assert_int_equal(w->err.code, ERR_KEY_REUSED);

	call(w, "key-2", "hello there");
	assert_int_equal(w->err.code, ERR_RATE_LIMIT);
	assert_int_equal(w->answer.len, 0);
	call(w, "key-2", "hello there"); /* a refused call leaves its key free */
	assert_int_equal(w->err.code, ERR_RATE_LIMIT);
	call(w, NULL, "hello there");
	assert_int_equal(w->err.code, ERR_RATE_LIMIT);
}

static void a_plain_call_is_keyed_limited_and_stored(void **state)
{
	keyed_and_limited(false, *state);
}

static void a_streamed_call_is_keyed_limited_and_stored(void **state)
{
	keyed_and_limited(true, *state);
}

static void a_run_goes_on_without_its_observer(void **state)
{
	struct world *w = *state;

	w->stream = true;
	w->leave = true;
	call(w, "key-1", "hello there");
	w->leave = false;
	call(w, "key-1", "hello there");
	assert_true(w->replayed);
	assert_true(answer_has(w, "there"));
	assert_int_equal(read_run(w)->status, RUN_COMPLETED);
}

static void leave_now(struct task *t)
{
	struct world *w = container_of(t, struct world, task);

	door_leave(TAKE(w->call));
	sem_post(&w->ran);
}

static void a_call_that_was_not_started_can_be_left(void **state)
{
	struct world *w = *state;

	w->call = door_create(&w->door, &observer, w);
	assert_non_null(w->call);
	on_loop(w, leave_now);
}

/* Lines go straight to standard error where no thread of the log runs. */
static void logged(struct world *w, const char *key, char *ret, size_t size)
{
	FILE *f = tmpfile();
	int   before = dup(STDERR_FILENO);

	assert_non_null(f);
	assert_true(before >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
	call(w, key, "hello there");
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(f);
	ret[fread(ret, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void each_call_has_a_line_in_the_log(void **state)
{
	struct world *w = *state;
	char          lines[4096];

	log_start(LOG_INFO, LOG_JSON);
	log_stop();
	logged(w, "key-1", lines, sizeof lines);
	assert_non_null(strstr(lines, "\"event\":\"call\""));
	assert_non_null(strstr(lines, "\"request_id\":\"req_own\""));
	assert_non_null(strstr(lines, "\"key_id\":\"key_test\""));
	assert_non_null(strstr(lines, "\"model\":\"echo\""));
	assert_non_null(strstr(lines, w->run));
	assert_non_null(strstr(lines, "\"finish_reason\":\"stop\""));
	assert_non_null(strstr(lines, "\"tokens_out\""));
	assert_null(strstr(lines, "error_code"));
	logged(w, "key-2", lines, sizeof lines);
	assert_non_null(strstr(lines, "\"error_code\":\"rate_limit_exceeded\""));
	assert_null(strstr(lines, "run_"));
	log_set_level(LOG_ERROR);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_plain_call_is_keyed_limited_and_stored),
		T(a_streamed_call_is_keyed_limited_and_stored),
		T(a_run_goes_on_without_its_observer),
		T(a_call_that_was_not_started_can_be_left),
		T(each_call_has_a_line_in_the_log),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
