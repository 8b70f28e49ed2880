/* A run with a computer: nothing is ordered before it is recorded, and nothing at all where the store
 * refuses the record.  The runner is a thread with the real protocol. */
#include "base/clock.h"
#include "computer/link.h"
#include "tests/unit/run_help.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* clang-format off */
#define CALL     { .kind = EVENT_TOOL_START, .id = STR("c1"), .name = STR("execute") }
#define ARGS     { .kind = EVENT_TOOL_ARGS, .text = STR("{\\\"language\\\":\\\"py\\\",\\\"code\\\":\\\"1\\\"}") }
#define TEXT(s)  { .kind = EVENT_TEXT, .text = STR(s) }
#define FINISH(s) { .kind = EVENT_FINISH, .text = STR(s) }
#define END      { .kind = EVENT_END }
/* clang-format on */

/* --- the runner --- */

struct fake {
	char        folder[64], path[96];
	int         listener;
	pthread_t   thread;
	atomic_bool stop;
	atomic_int  executions;
};

/* A gateway whose memory was refused may have closed the connection in the middle of an answer. */
static void fake_send(int fd, enum frame_kind kind, const char *body)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	assert_true(frame_put(&out, kind, str_of(body)));
	ssize_t n = send(fd, out.data, out.len, MSG_NOSIGNAL);
	assert_true(n == (ssize_t)out.len || (n < 0 && (errno == EPIPE || errno == ECONNRESET)));
	buf_finish(&out);
}

static void fake_answer(struct fake *f, int fd, char kind)
{
	if (kind == FRAME_PING)
		fake_send(
			fd, FRAME_PING,
			"{\"version\":1,\"languages\":\"python, shell\",\"aliases\":\"py=python\","
			"\"sessions\":0}");
	if (kind != FRAME_GO)
		return;
	atomic_fetch_add(&f->executions, 1);
	fake_send(fd, FRAME_STARTED, "{\"fresh\":true,\"gone\":\"\"}");
	fake_send(fd, FRAME_LINE, "1");
	fake_send(fd, FRAME_OUTPUT, "1\n");
	fake_send(fd, FRAME_END, "{\"outcome\":\"ok\"}");
}

static void fake_serve(struct fake *f, int fd)
{
	struct buf   in;
	struct frame one;
	char         part[4096];
	ssize_t      n;

	buf_init(&in, MIB);
	while ((n = read(fd, part, sizeof part)) > 0) {
		assert_true(buf_add(&in, part, (size_t)n));
		while (frame_look(buf_view(&in), &one) == FRAME_WHOLE) {
			fake_answer(f, fd, one.kind);
			buf_take_front(&in, FRAME_HEAD + one.body.n);
		}
	}
	buf_finish(&in);
	close(fd);
}

static void *fake_main(void *arg)
{
	struct fake  *f = arg;
	struct pollfd p = { .fd = f->listener, .events = POLLIN };

	while (!atomic_load(&f->stop)) {
		if (poll(&p, 1, 20) == 1)
			fake_serve(f, accept(f->listener, NULL, NULL));
	}
	return NULL;
}

static void fake_start(struct fake *f)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	*f = (struct fake){ .folder = "run-computer-XXXXXX" };
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof f->path, "%s/s", f->folder);
	snprintf(a.sun_path, sizeof a.sun_path, "%s", f->path);
	f->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(f->listener, 8), 0);
	assert_int_equal(pthread_create(&f->thread, NULL, fake_main, f), 0);
	world_computer = f->path;
}

static void fake_stop(struct fake *f)
{
	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
	close(f->listener);
	unlink(f->path);
	rmdir(f->folder);
	world_computer = NULL;
}

/* --- the run --- */

/* What a test waits for is looked at on the loop's thread, which writes it whenever a timer fires. */
static bool (*looked_for)(const struct world *w);
static bool it_was;

static void look(struct world *w)
{
	it_was = looked_for(w);
}

static bool is_so(struct world *w, bool (*what)(const struct world *w))
{
	looked_for = what;
	on_loop(w, look);
	return it_was;
}

static bool end_waits(const struct world *w)
{
	return w->waiting[OP_END] != NULL;
}

/* until: a run that ends earlier never will. */
#define until(w, what) until_so((w), (what), #what)
static void until_so(struct world *w, bool (*what)(const struct world *w), const char *name)
{
	int64_t late_us = clock_mono_us() + 5 * 1000 * 1000;

	while (!is_so(w, what)) {
		if (clock_mono_us() > late_us || w->live == 0 || is_so(w, end_waits))
			fail_msg("never: %s", name);
		(void)poll(NULL, 0,
			   1); /* other tests want the processor that asking without a rest takes */
	}
}

static bool begin_waits(const struct world *w)
{
	return w->waiting[OP_BEGIN] != NULL;
}

static bool append_waits(const struct world *w)
{
	return w->waiting[OP_APPEND] != NULL;
}

static bool model_is_asked(const struct world *w)
{
	return w->on_event != NULL;
}

static const struct call_computing never = { .max_steps = 8 };

static void world_codes(struct world *w)
{
	world_start(w);
	world_logs(w);
	w->rq.manner.store = true;
	w->rq.manner.finish = true;
	w->rq.what.prompt.stream = true;
	w->rq.manner.fences = false;
	w->rq.manner.shape = family_format(&family_chat, STR("lmc"));
	w->rq.manner.computing = &never;
	ask(w);
	until(w, begin_waits);
	store_answers(w, OP_BEGIN, ERR_OK);
	until(w, model_is_asked);
	provider_says(w, CALL, ARGS, FINISH("tool_calls"), END);
	until(w, append_waits);
}

static void world_ends(struct world *w)
{
	if (w->run)
		reader_leaves(w);
	assert_int_equal(w->live, 0);
	world_stop(w);
}

/* has_order: the log has the record of an execution. */
static bool has_order(const struct world *w)
{
	struct str   rest = buf_view(&w->logs[0].data);
	struct event ev;
	uint64_t     seq;
	bool         found = false;

	while (event_decode(&rest, &ev, &seq))
		found |= ev.kind == EVENT_EXECUTE && str_is(ev.name, "python");
	return found;
}

static void nothing_is_ordered_before_it_is_durable(void **state)
{
	(void)state;
	struct fake  f;
	struct world w;

	fake_start(&f);
	world_codes(&w);
	assert_true(w.append_sync); /* whatever the durability says */
	assert_int_equal(atomic_load(&f.executions), 0);
	assert_false(w.log_count > 0 && has_order(&w));
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_true(has_order(&w));
	until(&w, model_is_asked); /* again */
	assert_int_equal(atomic_load(&f.executions), 1);
	assert_true(holds(buf_view(&w.prompt),
			  "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"1\"}"));
	provider_says(&w, TEXT("One."), FINISH("stop"), END);
	until(&w, end_waits);
	if (is_so(&w, append_waits))
		store_answers(&w, OP_APPEND, ERR_OK);
	store_answers(&w, OP_END, ERR_OK);
	assert_int_equal(w.status, RUN_COMPLETED);
	assert_true(holds(buf_view(&w.answer),
			  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\","
			  "\"content\":\"1\\n\"}"));
	world_ends(&w);
	assert_int_equal(atomic_load(&f.executions), 1);
	fake_stop(&f);
}

static void what_the_store_refuses_is_not_ordered(void **state)
{
	(void)state;
	struct fake  f;
	struct world w;

	fake_start(&f);
	world_codes(&w);
	store_answers(&w, OP_APPEND, ERR_STORAGE);
	until(&w, end_waits);
	assert_int_equal(w.status, RUN_INCOMPLETE);
	assert_true(holds(buf_view(&w.end_error), "storage_unavailable"));
	store_answers(&w, OP_END, ERR_OK);
	until(&w,
	      append_waits); /* the job that failed is tried again, and means nothing any more */
	store_answers(&w, OP_APPEND, ERR_OK);
	world_ends(&w);
	assert_int_equal(atomic_load(&f.executions), 0);
	fake_stop(&f);
}

static void without_a_runner_nothing_happens(void **state)
{
	(void)state;
	struct world w;

	world_computer = "/nowhere/runner";
	world_start(&w);
	world_logs(&w);
	w.rq.manner.store = true;
	w.rq.what.prompt.stream = true;
	w.rq.manner.computing = &never;
	ask(&w);
	assert_int_equal(w.start_rc, ERR_COMPUTER);
	assert_trace(&w, "");
	world_ends(&w);
	world_computer = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_ordered_before_it_is_durable),
		cmocka_unit_test(what_the_store_refuses_is_not_ordered),
		cmocka_unit_test(without_a_runner_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
