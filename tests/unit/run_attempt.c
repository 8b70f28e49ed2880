/* Attempts: providers that say what the test wants, one attempt after the other; who is asked, what the
 * reader gets and what is stored. */
#include "lmc/warnings.h"
#include "store/run.h"
#include "tests/unit/run_help.h"

#include <errno.h>
#include <time.h>

/* clang-format off */
#define OPEN(name) { .kind = EVENT_START, .id = STR(name), .text = STR("tiny") }
#define TEXT(s)    { .kind = EVENT_TEXT, .text = STR(s) }
#define THOUGHT(s) { .kind = EVENT_REASONING, .text = STR(s) }
#define CALL       { .kind = EVENT_TOOL_START, .id = STR("call_1"), .name = STR("f") }
#define FINISH     { .kind = EVENT_FINISH, .text = STR("stop") }
#define USAGE(n)   { .kind = EVENT_USAGE, .usage = { .known = true, .in = (n), .out = 2 } }
#define OTHER      { .kind = EVENT_OTHER, .raw = STR("{\"choices\":[]}") }
#define LMC(s)     { .kind = EVENT_LMC, .text = STR(s), .from_lmc = true }
#define LMC_START  LMC("{\"role\":\"assistant\",\"type\":\"message\",\"start\":true}")
#define LMC_TEXT   LMC("{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"yo\"}")
#define LMC_END    LMC("{\"role\":\"assistant\",\"type\":\"message\",\"end\":true}")
#define MESSAGE    { .kind = EVENT_MESSAGE, .text = STR("{\"role\":\"assistant\",\"content\":\"yo\"}") }
#define END        { .kind = EVENT_END }
#define FAILS(e)   { .kind = EVENT_ERROR, .err = &(e) }
#define FAILS_USED(e, n)                                                                           \
	{ .kind = EVENT_ERROR, .err = &(e), .usage = { .known = true, .in = (n), .out = 1 } }
#define SAY(...)   (const struct event[]){ __VA_ARGS__ }
/* clang-format on */

/* Told to be soon over, so that tests need not wait. */
static struct err busy = { .code = ERR_UPSTREAM_UNAVAILABLE,
			   .text = "it is overloaded",
			   .upstream_status = 529,
			   .retry_after_ms = 5 };
static struct err limited = { .code = ERR_UPSTREAM_RATE_LIMIT,
			      .text = "too many",
			      .upstream_status = 429,
			      .retry_after_ms = 5 };
static struct err limited_long = { .code = ERR_UPSTREAM_RATE_LIMIT,
				   .text = "too many",
				   .upstream_status = 429,
				   .retry_after_ms = 60000 };
static struct err busy_long = { .code = ERR_UPSTREAM_UNAVAILABLE,
				.text = "it is overloaded",
				.upstream_status = 503,
				.retry_after_ms = 1900 };
static struct err refused = { .code = ERR_UPSTREAM_AUTH, .text = "no", .upstream_status = 401 };
static struct err bad_request = { .code = ERR_UPSTREAM_REJECTED,
				  .text = "no",
				  .upstream_status = 400 };
static struct err cut = { .code = ERR_STREAM_INCOMPLETE, .text = "cut", .upstream_status = 200 };
static struct err malformed = { .code = ERR_UPSTREAM_BAD_RESPONSE,
				.text = "no JSON",
				.upstream_status = 200 };
static struct err silent = { .code = ERR_IDLE_TIMEOUT, .text = "silence" };

/* --- providers --- */

/* Models: ALONE has provider a; PAIR a and b, in this order; SPARE a, and c to fall back on; ALL a, b,
 * then c. */
enum plan { ALONE, PAIR, SPARE, ALL };
static const char *const plans[] = { "alone", "pair", "spare", "all" };

struct player {
	struct provider      provider;
	struct provider_call call;
};

static struct stage {
	struct world    *world;
	struct registry *registry;
	struct target    target;
	sem_t            asked;
	char             who[64]; /* "a a c": who was asked */
	bool             cancelled;
} stage;

static enum errc player_start(const struct provider *p, const struct provider_env *env,
			      const struct prompt *prompt, provider_event_fn on_event, void *arg,
			      struct provider_call **ret, struct err *e)
{
	struct player *player = container_of(p, struct player, provider);
	size_t         n = strlen(stage.who);

	(void)env;
	(void)e;
	/* The request is there, whole, however often it is asked with. */
	CHECK(prompt->message_count == 1);
	CHECK(str_is(prompt->messages[0], "{\"role\":\"user\",\"content\":\"hi\"}"));
	warnings_add(prompt->warnings, 0, "not_sent", "by %s", p->name);
	snprintf(stage.who + n, sizeof stage.who - n, "%s%s", n > 0 ? " " : "", p->name);
	player->call.provider = p;
	stage.world->on_event = on_event;
	stage.world->on_event_arg = arg;
	*ret = &player->call;
	sem_post(&stage.asked);
	return ERR_OK;
}

static void player_cancel(struct provider_call *call)
{
	(void)call;
	stage.cancelled = true;
	stage.world->on_event = NULL;
}

static void player_pause(struct provider_call *call, bool pause)
{
	(void)call;
	(void)pause;
}

static void player_destroy(struct provider *p)
{
	free(container_of(p, struct player, provider));
}

static const struct provider_ops player_ops = { .dialect = "fake",
						.start = player_start,
						.cancel = player_cancel,
						.pause = player_pause,
						.destroy = player_destroy };

static struct provider *player_new(const char *name, int64_t total_us)
{
	struct player *p = calloc(1, sizeof *p);

	CHECK(p);
	p->provider = (struct provider){ .ops = &player_ops, .retries = 1, .total_us = total_us };
	str_copy(p->provider.name, sizeof p->provider.name, str_of(name));
	str_copy(p->provider.label, sizeof p->provider.label, str_of(name));
	return &p->provider;
}

/* Without affinity, which would take a conversation in a thousand to b first. */
static void make_registry(int64_t total_us)
{
	static const struct target_options two[] = { { "a", NULL, 1000 }, { "b", NULL, 1 } };
	static const char *const           spare[] = { "last" };
	/* clang-format off */
	static const struct model_options  models[] = {
		{ .name = "alone", .provider = "a" },
		{ .name = "pair", .targets = two, .target_count = 2, .affinity = "off" },
		{ .name = "spare", .provider = "a", .fallback = spare, .fallback_count = 1 },
		{ .name = "all", .targets = two, .target_count = 2, .affinity = "off",
		  .fallback = spare, .fallback_count = 1 },
		{ .name = "last", .provider = "c" },
	};
	/* clang-format on */
	struct provider *providers[] = { player_new("a", total_us), player_new("b", total_us),
					 player_new("c", total_us) };
	struct err       e;

	assert_int_equal(registry_create_take(providers, 3, models, ARRAY_LEN(models), NULL,
					      &stage.registry, &e),
			 ERR_OK);
}

/* --- a call from start to end --- */

static void stage_start(struct world *w, enum plan plan, int64_t total_us)
{
	struct err e;

	world_start(w);
	stage = (struct stage){ .world = w };
	sem_init(&stage.asked, 0, 0);
	make_registry(total_us);
	assert_int_equal(registry_find(stage.registry, str_of(plans[plan]), &stage.target, &e),
			 ERR_OK);
	w->target = &stage.target;
	w->rq.caller.owner = 5;
	w->rq.manner.finish = true;
}

static void begin(struct world *w)
{
	ask(w);
	assert_int_equal(w->start_rc, ERR_OK);
	if (w->rq.manner.store)
		store_answers(w, OP_BEGIN, ERR_OK);
}

static void says(struct world *w, const struct event *events)
{
	size_t n = 0;

	while (events[n].kind != EVENT_END && events[n].kind != EVENT_ERROR &&
	       events[n].kind != EVENT__COUNT)
		n++;
	provider_says_often(w, events, events[n].kind == EVENT__COUNT ? n : n + 1, 1);
}

/* settle: what the store owes it. */
static void settle(struct world *w)
{
	while (w->waiting[OP_APPEND] || w->waiting[OP_END])
		store_answers(w, w->waiting[OP_APPEND] ? OP_APPEND : OP_END, ERR_OK);
}

static void stage_stop(struct world *w)
{
	settle(w);
	if (w->run)
		reader_leaves(w);
	settle(w);
	assert_int_equal(w->live, 0);
	assert_int_equal(w->released, 1);
	world_stop(w);
	registry_destroy(stage.registry);
	sem_destroy(&stage.asked);
}

static bool is_open(const struct world *w)
{
	return holds(buf_view(&w->trace), "open ");
}

static bool end_waits(const struct world *w)
{
	return w->waiting[OP_END] != NULL;
}

static bool (*looked_for)(const struct world *w);
static bool seen;

static void look(struct world *w)
{
	seen = looked_for(w);
}

/* until: looked at on the loop, as its timers may write meanwhile. */
static void until(struct world *w, bool (*so)(const struct world *w))
{
	looked_for = so;
	for (int i = 0; i < 20000; i++) {
		on_loop(w, look);
		if (seen)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000 * 1000 }, NULL);
	}
	fail_msg("it never came to that");
}

static bool has_failed(const struct world *w)
{
	return holds(buf_view(&w->trace), "failed ");
}

static size_t count(struct str s, const char *part)
{
	size_t n = 0;

	for (size_t i = 0; i + strlen(part) <= s.n; i++)
		n += memcmp(s.p + i, part, strlen(part)) == 0;
	return n;
}

/* --- what follows on each end of an attempt --- */

struct row {
	const char         *why;
	enum plan           plan;
	const struct event *says[3]; /* the attempts, one after the other */
	const char         *who;
	enum errc           failed; /* ERR_OK: it ends well */
	bool                opened; /* a stream was, before that */
	const char         *id;     /* of the START that the answer has; NULL: none was let out */
	int64_t             in;     /* the run's usage; 0: not known */
	unsigned            events; /* numbers in its log */
};

static void log_is_gapless(const struct world *w, const struct row *row)
{
	struct str   rest = buf_view(&w->logs[0].data);
	struct event ev;
	uint64_t     seq;
	uint64_t     at = 0;
	bool         started = false;

	while (event_decode(&rest, &ev, &seq)) {
		assert_int_equal(seq, at + !ev.cont);
		at = seq;
		if (ev.kind == EVENT_ASKED) {
			char by[64];

			/* What an attempt did not hand on is told of the one that answers alone. */
			snprintf(by, sizeof by, "\"by %s\"", stage.who + strlen(stage.who) - 1);
			assert_int_equal(ev.choice, 1);
			assert_true(holds(ev.text, by));
		}
		if (ev.kind != EVENT_START)
			continue;
		assert_false(started);
		started = true;
		assert_true(row->id && str_is(ev.id, row->id));
	}
	assert_int_equal(rest.n, 0);
	assert_int_equal(started, row->id != NULL);
	/* ASKED stands in front of the events, and the last number is the last block's. */
	assert_int_equal(at, row->events > 0 ? row->events + 1 : 0);
	assert_int_equal(w->last_seq, at + 1);
}

static void stored_as_told(const struct world *w, const struct row *row, bool stream)
{
	assert_int_equal(w->status, row->failed == ERR_OK ? RUN_COMPLETED
				    : row->opened         ? RUN_INCOMPLETE
							  : RUN_FAILED);
	assert_int_equal(w->end_usage.known ? w->end_usage.in : 0, row->in);
	assert_int_equal(w->end_error.len > 0, row->failed != ERR_OK);
	assert_int_equal(count(buf_view(&w->answer), "yo"), row->failed == ERR_OK || row->opened);
	if (stream)
		log_is_gapless(w, row);
}

static void read_as_told(struct world *w, const struct row *row, bool stream)
{
	struct str got;

	if (row->failed != ERR_OK && !row->opened) {
		assert_true(has_failed(w));
		assert_int_equal(w->done_err.code, row->failed);
		assert_false(is_open(w));
		return;
	}
	got = stream ? reader_reads(w, SIZE_MAX) : reader_whole(w);
	/* "yo" alone is more than once in LMC's rows; the text is there once. */
	assert_int_equal(count(got, "\"yo\""), 1);
	if (!stream)
		return;
	assert_true(is_open(w) && w->last);
	assert_int_equal(count(got, "\"message\":\"by "), 1);
	assert_int_equal(holds(got, "[DONE]"), row->failed == ERR_OK);
	assert_int_equal(count(got, "event: error"), row->failed != ERR_OK);
}

static void play(const struct row *row, bool stream, bool store)
{
	struct world    w;
	struct run_view v;

	print_message("%s, %s, %s\n", row->why, stream ? "streamed" : "plain",
		      store ? "stored" : "not stored");
	stage_start(&w, row->plan, 0);
	w.rq.what.prompt.stream = stream;
	w.rq.manner.store = store;
	world_logs(&w);
	begin(&w);
	for (size_t i = 0; i < ARRAY_LEN(row->says) && row->says[i]; i++) {
		assert_true(comes(&w, &stage.asked));
		says(&w, row->says[i]);
	}
	settle(&w);
	assert_string_equal(stage.who, row->who);
	assert_false(stage.cancelled);
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_int_equal(v.attempts, (strlen(row->who) + 1) / 2);
	assert_int_equal(v.provider.p[0], row->who[strlen(row->who) - 1]);
	assert_int_equal(v.usage.known ? v.usage.in : 0, row->in);
	read_as_told(&w, row, stream);
	if (store)
		stored_as_told(&w, row, stream);
	stage_stop(&w);
}

static void each_end_of_an_attempt_has_what_follows(void **state)
{
#define GOOD OPEN("good"), TEXT("yo"), FINISH, USAGE(7), END
	/* clang-format off */
	const struct row rows[] = {
		{ "at once", ALL, { SAY(GOOD) }, "a", 0, true, "good", 7, 4 },
		{ "refused before a word", ALONE, { SAY(FAILS(busy)), SAY(GOOD) }, "a a", 0, true,
		  "good", 7, 4 },
		{ "overloaded behind the opening", ALONE,
		  { SAY(OPEN("one"), FAILS(busy)), SAY(GOOD) }, "a a", 0, true, "good", 7, 4 },
		{ "with all that may come in front", ALONE,
		  { SAY(OPEN("one"), OTHER, USAGE(9), { .kind = EVENT_BLOCK_END }, FAILS(busy)),
		    SAY(OPEN("good"), OTHER, USAGE(3), TEXT("yo"), FINISH, USAGE(7), END) },
		  "a a", 0, true, "good", 7, 6 },
		{ "another target", PAIR, { SAY(OPEN("one"), FAILS(busy)), SAY(GOOD) }, "a b", 0, true,
		  "good", 7, 4 },
		{ "then the first again", PAIR,
		  { SAY(OPEN("one"), FAILS(busy)), SAY(OPEN("two"), FAILS(busy)), SAY(GOOD) }, "a b b",
		  0, true, "good", 7, 4 },
		{ "a fallback when it was tried again", SPARE,
		  { SAY(OPEN("one"), FAILS(busy)), SAY(OPEN("two"), FAILS(busy)), SAY(GOOD) }, "a a c",
		  0, true, "good", 7, 4 },
		{ "it gives up", ALONE,
		  { SAY(OPEN("one"), FAILS(busy)), SAY(OPEN("two"), FAILS(busy)) }, "a a",
		  ERR_UPSTREAM_UNAVAILABLE, false, NULL, 0, 0 },
		{ "a limit that is over soon", ALONE, { SAY(OPEN("one"), FAILS(limited)), SAY(GOOD) },
		  "a a", 0, true, "good", 7, 4 },
		{ "a limit", ALONE, { SAY(OPEN("one"), FAILS(limited_long)) }, "a",
		  ERR_UPSTREAM_RATE_LIMIT, false, NULL, 0, 0 },
		{ "a limit, with a fallback", SPARE, { SAY(OPEN("one"), FAILS(limited_long)), SAY(GOOD) },
		  "a c", 0, true, "good", 7, 4 },
		{ "a refused key", SPARE, { SAY(OPEN("one"), FAILS(refused)), SAY(GOOD) }, "a c", 0, true,
		  "good", 7, 4 },
		{ "a refused request", ALL, { SAY(OPEN("one"), FAILS(bad_request)) }, "a",
		  ERR_UPSTREAM_REJECTED, false, NULL, 0, 0 },
		{ "cut behind the opening", ALONE, { SAY(OPEN("one"), FAILS(cut)) }, "a",
		  ERR_STREAM_INCOMPLETE, false, NULL, 0, 0 },
		{ "cut, another target", PAIR, { SAY(OPEN("one"), FAILS(cut)), SAY(GOOD) }, "a b", 0, true,
		  "good", 7, 4 },
		{ "cut, a fallback", SPARE, { SAY(OPEN("one"), FAILS(cut)), SAY(GOOD) }, "a c", 0, true,
		  "good", 7, 4 },
		{ "malformed, a fallback", SPARE, { SAY(OPEN("one"), FAILS(malformed)), SAY(GOOD) }, "a c",
		  0, true, "good", 7, 4 },
		{ "malformed everywhere", ALL,
		  { SAY(FAILS(malformed)), SAY(OPEN("two"), FAILS(malformed)), SAY(FAILS(malformed)) },
		  "a b c", ERR_UPSTREAM_BAD_RESPONSE, false, NULL, 0, 0 },
		{ "silence", ALL, { SAY(OPEN("one"), FAILS(silent)) }, "a", ERR_IDLE_TIMEOUT, false, NULL,
		  0, 0 },
		{ "what a failed one used is the run's", ALONE,
		  { SAY(OPEN("one"), USAGE(9), FAILS(cut)) }, "a", ERR_STREAM_INCOMPLETE, false, NULL, 9,
		  0 },
		{ "also told with the failure", ALONE, { SAY(OPEN("one"), FAILS_USED(cut, 11)) }, "a",
		  ERR_STREAM_INCOMPLETE, false, NULL, 11, 0 },
		{ "of the last one alone", ALONE,
		  { SAY(OPEN("one"), FAILS_USED(busy, 11)), SAY(OPEN("two"), FAILS(busy)) }, "a a",
		  ERR_UPSTREAM_UNAVAILABLE, false, NULL, 0, 0 },
		{ "not of an answer", ALONE, { SAY(OPEN("one"), FAILS_USED(busy, 11)), SAY(GOOD) }, "a a",
		  0, true, "good", 7, 4 },
		{ "text binds", ALL, { SAY(OPEN("good"), TEXT("yo"), FAILS(busy)) }, "a",
		  ERR_UPSTREAM_UNAVAILABLE, true, "good", 0, 2 },
		{ "a finish reason binds", ALL, { SAY(OPEN("good"), FINISH, FAILS(busy)) }, "a",
		  ERR_UPSTREAM_UNAVAILABLE, false, "good", 0, 2 },
		{ "an opened segment of LMC does not", SPARE,
		  { SAY(OPEN("one"), LMC_START, FAILS(busy)),
		    SAY(OPEN("two"), LMC_START, LMC_END, FAILS(cut)),
		    SAY(GOOD) },
		  "a a c", 0, true, "good", 7, 4 },
	};
	/* clang-format on */
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		play(&rows[i], true, false);
		play(&rows[i], true, true);
	}
}

static void plain_answers_follow_the_same_rules(void **state)
{
#define WHOLE OPEN("good"), MESSAGE, USAGE(7), FINISH, END
	/* clang-format off */
	const struct row rows[] = {
		{ "at once", ALL, { SAY(WHOLE) }, "a", 0, false, "good", 7, 4 },
		{ "a 200 that holds an error", ALONE, { SAY(FAILS(busy)), SAY(WHOLE) }, "a a", 0, false,
		  "good", 7, 4 },
		{ "the same, and it gives up", ALONE, { SAY(FAILS(busy)), SAY(FAILS(busy)) }, "a a",
		  ERR_UPSTREAM_UNAVAILABLE, false, NULL, 0, 0 },
		{ "empty choices", ALONE, { SAY(FAILS(malformed)) }, "a", ERR_UPSTREAM_BAD_RESPONSE, false,
		  NULL, 0, 0 },
		{ "empty choices, with a fallback", SPARE, { SAY(FAILS(malformed)), SAY(WHOLE) }, "a c", 0,
		  false, "good", 7, 4 },
		{ "empty choices, with another target", PAIR, { SAY(FAILS(malformed)), SAY(WHOLE) }, "a b",
		  0, false, "good", 7, 4 },
		{ "a failure behind a start", SPARE, { SAY(OPEN("one"), FAILS(cut)), SAY(WHOLE) }, "a c", 0,
		  false, "good", 7, 4 },
		{ "a refused request", ALL, { SAY(FAILS(bad_request)) }, "a", ERR_UPSTREAM_REJECTED, false,
		  NULL, 0, 0 },
	};
	/* clang-format on */
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		play(&rows[i], false, false);
		play(&rows[i], false, true);
	}
}

/* --- what binds, one event at a time --- */

static void content_of_every_kind_binds(void **state)
{
	const struct event kinds[] = {
		TEXT("yo"),
		THOUGHT("hm"),
		CALL,
		{ .kind = EVENT_REFUSAL, .text = STR("no") },
		{ .kind = EVENT_TOOL_ARGS, .text = STR("{}") },
		{ .kind = EVENT_MEDIA, .text = STR("{\"type\":\"image\"}") },
		LMC_TEXT,
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct world w;

		stage_start(&w, ALL, 0);
		w.rq.what.prompt.stream = true;
		begin(&w);
		assert_true(comes(&w, &stage.asked));
		says(&w, SAY(OPEN("one"),
			     kinds[i].kind == EVENT_LMC ? (struct event)LMC_START : kinds[i],
			     kinds[i], FAILS(busy)));
		assert_string_equal(stage.who, "a");
		assert_true(is_open(&w));
		assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
		stage_stop(&w);
	}
}

static void what_was_held_goes_through_as_it_came(void **state)
{
#define USED   "\"usage\":{\"prompt_tokens\":3},"
#define SECOND "{\"id\":\"up\",\"choices\":[]}"
	static const char first[] = "{\"id\":\"up\"," USED "\"choices\":[1]}";
	const struct str  raw = { first, sizeof first - 1 };
	const struct str  usage = { strstr(first, USED), strlen(USED) };
	struct world      w;
	(void)state;

	stage_start(&w, ALL, 0);
	w.rq.what.prompt.stream = true;
	w.rq.manner.family = &family_completions;
	begin(&w);
	assert_true(comes(&w, &stage.asked));
	says(&w, SAY({ .kind = EVENT_START, .raw = raw, .raw_usage = usage, .id = STR("up") },
		     { .kind = EVENT_USAGE, .usage = { .known = true, .in = 3 }, .cont = true },
		     { .kind = EVENT_OTHER, .raw = STR(SECOND) }, { .kind = EVENT__COUNT }));
	assert_false(is_open(&w));
	says(&w,
	     SAY({ .kind = EVENT_TEXT, .text = STR("yo"), .raw = STR("{\"yo\":1}") }, FINISH, END));
	/* Usage was asked for by nobody but us, so it is cut out, as ever. */
	assert_true(str_starts(reader_reads(&w, SIZE_MAX),
			       STR("data: {\"id\":\"up\",\"choices\":[1]}\n\ndata: " SECOND
				   "\n\ndata: {\"yo\":1}\n\n")));
	stage_stop(&w);
}

static void more_than_can_be_held_binds(void **state)
{
	static char  big[LIMIT_COMMIT_BYTES];
	struct world w;
	(void)state;

	memset(big, ' ', sizeof big);
	big[0] = '{';
	big[sizeof big - 1] = '}';
	stage_start(&w, ALL, 0);
	w.rq.what.prompt.stream = true;
	begin(&w);
	assert_true(comes(&w, &stage.asked));
	says(&w,
	     SAY(OPEN("one"), { .kind = EVENT_OTHER, .raw = { big, sizeof big } }, FAILS(busy)));
	assert_string_equal(stage.who, "a");
	assert_true(is_open(&w));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
	stage_stop(&w);
}

/* --- time --- */

static void the_commit_timer_binds_what_is_held(void **state)
{
	(void)state;
	for (int store = 0; store < 2; store++) {
		struct world w;

		stage_start(&w, ALL, 0);
		w.settings.commit_after_us = 20 * 1000;
		w.rq.what.prompt.stream = true;
		w.rq.manner.store = store;
		begin(&w);
		assert_true(comes(&w, &stage.asked));
		says(&w, SAY(OPEN("one"), { .kind = EVENT__COUNT }));
		until(&w, is_open);
		assert_true(holds(reader_reads(&w, SIZE_MAX), store ? "\"chatcmpl-" : "\"one\""));
		says(&w, SAY(FAILS(busy)));
		settle(&w);
		assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
		assert_string_equal(stage.who, "a");
		stage_stop(&w);
	}
}

/* Nothing of an answer went out, so somebody else may still give it. */
static void the_commit_timer_alone_binds_nobody(void **state)
{
	struct world w;
	(void)state;

	stage_start(&w, PAIR, 0);
	w.settings.commit_after_us = 20 * 1000;
	w.rq.what.prompt.stream = true;
	begin(&w);
	assert_true(comes(&w, &stage.asked));
	until(&w, is_open);
	says(&w, SAY(FAILS(busy)));
	assert_true(comes(&w, &stage.asked));
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	/* It was waited for long enough: nothing is held back any more. */
	says(&w, SAY(OPEN("two"), { .kind = EVENT__COUNT }));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "\"two\""));
	says(&w, SAY(TEXT("yo"), FINISH, END));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	assert_string_equal(stage.who, "a b");
	stage_stop(&w);
}

static void a_wait_that_does_not_fit_the_total_limit_is_not_made(void **state)
{
	struct world w;
	(void)state;

	stage_start(&w, ALONE, 1000 * 1000);
	w.rq.what.prompt.stream = true;
	begin(&w);
	assert_true(comes(&w, &stage.asked));
	says(&w, SAY(OPEN("one"), FAILS(busy_long)));
	assert_true(has_failed(&w));
	assert_int_equal(w.done_err.code, ERR_UPSTREAM_UNAVAILABLE);
	assert_string_equal(stage.who, "a");
	stage_stop(&w);
}

static void the_total_limit_ends_what_is_held(void **state)
{
	struct world    w;
	struct run_view v;
	(void)state;

	stage_start(&w, ALONE, 60 * 1000);
	w.rq.what.prompt.stream = true;
	w.rq.manner.store = true;
	begin(&w);
	assert_true(comes(&w, &stage.asked));
	says(&w, SAY(OPEN("one"), FAILS(busy)));
	assert_true(comes(&w, &stage.asked));
	says(&w, SAY(OPEN("two"), USAGE(9), { .kind = EVENT__COUNT }));
	until(&w, end_waits);
	settle(&w);
	assert_true(has_failed(&w) && stage.cancelled);
	assert_int_equal(w.done_err.code, ERR_TOTAL_TIMEOUT);
	assert_int_equal(w.status, RUN_FAILED);
	assert_int_equal(w.end_usage.in, 9);
	assert_int_equal(w.last_seq, 1);
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_int_equal(v.attempts, 2);
	stage_stop(&w);
}

/* --- nobody wants it any more --- */

static void cancel_fn(struct world *w)
{
	struct run_view v;

	CHECK(w->run);
	run_view(w->run, &v);
	CHECK(live_cancel(v.run_id, w->rq.caller.owner));
}

static void stop_fn(struct world *w)
{
	struct err why;

	err_set(&why, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
	run_engine_stop(w->engine, &why);
}

static void an_attempt_or_a_wait_ends_when_nobody_wants_it(void **state)
{
	static const struct {
		const char *why;
		void (*fn)(struct world *w);
		enum run_status status;
		enum errc       code;
	} ways[] = {
		{ "cancelled", cancel_fn, RUN_CANCELLED, ERR_CANCELLED },
		{ "left", leave_fn, RUN_CANCELLED, ERR_OK },
		{ "stopped", stop_fn, RUN_FAILED, ERR_SHUTTING_DOWN },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		for (int wait = 0; wait < 2; wait++) {
			struct world w;

			print_message("%s %s\n", ways[i].why,
				      wait ? "in a wait" : "behind the opening");
			stage_start(&w, ALONE, 0);
			w.rq.what.prompt.stream = true;
			w.rq.manner.store = true;
			w.rq.manner.finish = false;
			begin(&w);
			assert_true(comes(&w, &stage.asked));
			says(&w, SAY(OPEN("one"), USAGE(9), { .kind = EVENT__COUNT }));
			if (wait)
				says(&w, SAY(FAILS(busy_long)));
			on_loop(&w, ways[i].fn);
			settle(&w);
			assert_int_equal(w.status, ways[i].status);
			/* One that is waited for has been counted, and is over. */
			assert_int_equal(w.end_usage.in, wait ? 0 : 9);
			assert_int_equal(stage.cancelled, !wait);
			assert_int_equal(w.answer.len, 0);
			assert_int_equal(w.last_seq, 1);
			assert_int_equal(w.done_err.code, ways[i].code);
			assert_string_equal(stage.who, "a");
			stage_stop(&w);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_of_an_attempt_has_what_follows),
		cmocka_unit_test(plain_answers_follow_the_same_rules),
		cmocka_unit_test(content_of_every_kind_binds),
		cmocka_unit_test(what_was_held_goes_through_as_it_came),
		cmocka_unit_test(more_than_can_be_held_binds),
		cmocka_unit_test(the_commit_timer_binds_what_is_held),
		cmocka_unit_test(the_commit_timer_alone_binds_nobody),
		cmocka_unit_test(a_wait_that_does_not_fit_the_total_limit_is_not_made),
		cmocka_unit_test(the_total_limit_ends_what_is_held),
		cmocka_unit_test(an_attempt_or_a_wait_ends_when_nobody_wants_it),
	};

	return cmocka_run_group_tests_name("run/attempt", tests, NULL, NULL);
}
