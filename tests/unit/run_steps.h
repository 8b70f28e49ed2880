/* Steps that the tests of whole runs share: a provider's words, a run from its beginning to its end,
 * and what its reader got. */
#pragma once

#include "tests/unit/run_help.h"

/* clang-format off */
#define START      { .kind = EVENT_START, .id = STR("up-1"), .text = STR("tiny") }
#define TEXT(s)    { .kind = EVENT_TEXT, .text = STR(s) }
#define MESSAGE(s) { .kind = EVENT_MESSAGE, .text = STR(s) }
#define FINISH     { .kind = EVENT_FINISH, .text = STR("stop") }
#define USAGE      { .kind = EVENT_USAGE, .usage = { .known = true, .in = 3, .out = 2 } }
#define END        { .kind = EVENT_END }
#define BREAK      { .kind = EVENT_ERROR, .err = &broken }
#define HI         "{\"role\":\"user\",\"content\":\"hi\"}"
#define SAID(s)    "{\"role\":\"assistant\",\"content\":\"" s "\"}"
#define YO         SAID("yo")
/* clang-format on */

static const struct err broken = { .code = ERR_UPSTREAM_ERROR, .text = "the provider broke" };

/* A conversation that a run goes on with. */
static const struct id old_conversation = { 1, 2 };

/* --- what came --- */

typedef bool text_fits_fn(struct str got, const char *want);

static inline void check_text(struct str got, const char *want, text_fits_fn *fits, bool expected,
			      const char *file, int line)
{
	if (fits(got, want) == expected)
		return;
	print_error("'%s', and this came:\n%.*s\n", want, STR_ARG(got));
	_fail(file, line);
}

/* clang-format off */
#define assert_is(s, want)    check_text((s), (want), str_is, true, __FILE__, __LINE__)
#define assert_holds(s, part) check_text((s), (part), holds, true, __FILE__, __LINE__)
#define assert_lacks(s, part) check_text((s), (part), holds, false, __FILE__, __LINE__)
/* clang-format on */

/* assert_reads: the reader takes all that is ready, and part is in it. */
#define assert_reads(w, part) assert_holds(reader_reads((w), SIZE_MAX), (part))
/* assert_reads_last: the same, and the stream is over. */
#define assert_reads_last(w, part)         \
	do {                               \
		assert_reads((w), (part)); \
		assert_true((w)->last);    \
	} while (0)

static inline void assert_prompt(struct world *w, const char *want)
{
	assert_true(buf_add(&w->prompt, "", 1));
	assert_string_equal(w->prompt.data, want);
	buf_clear(&w->prompt);
}

/* --- the beginning --- */

/* What a request wants: LOADS goes on with a conversation, FINISHES does not need its reader. */
enum { PLAIN = 0, STREAM = 1, STORE = 2, LOADS = 4, FINISHES = 8 };

static inline void set_request(struct world *w, unsigned flags)
{
	w->rq.what.prompt.stream = flags & STREAM;
	w->rq.manner.store = flags & STORE;
	w->rq.manner.finish = flags & FINISHES;
	if (flags & LOADS)
		w->rq.thread.conversation = old_conversation;
}

/* start_world: a world whose run is still to be asked for. */
static inline void start_world(struct world *w, unsigned flags)
{
	world_start(w);
	set_request(w, flags);
}

/* start_case: the same, and the case says its name. */
static inline void start_case(struct world *w, const char *why, unsigned flags)
{
	print_message("case: %s%s\n", why, flags & STREAM ? ", a stream" : "");
	start_world(w, flags);
}

/* ask_and_load: a run is asked for, and the store reads the conversation that it goes on with. */
static inline void ask_and_load(struct world *w)
{
	ask(w);
	if (w->rq.thread.conversation.key != 0)
		store_answers(w, OP_LOAD, ERR_OK);
}

/* begin_run: the same, and the store keeps the beginning of a run that is stored. */
static inline void begin_run(struct world *w)
{
	ask_and_load(w);
	if (w->rq.manner.store)
		store_answers(w, OP_BEGIN, ERR_OK);
}

/* begin_world: a world and its run, which the flags describe, up to the call of the provider. */
static inline void begin_world(struct world *w, unsigned flags)
{
	start_world(w, flags);
	begin_run(w);
}

/* --- the way --- */

enum moment { AT_NEW, AT_LOADING, AT_BEGINNING, AT_CALLING, AT_STREAMING, AT_ENDING, AT_ENDED };

static inline struct id id_of_run(struct world *w)
{
	struct run_view v;

	CHECK(w->run);
	run_view(w->run, &v);
	return v.run_id;
}

/* answer_waiting: the store does what it was asked for, if it was. */
static inline void answer_waiting(struct world *w, enum op op)
{
	if (w->waiting[op])
		store_answers(w, op, ERR_OK);
}

/* advance: a run that was just asked for comes to this moment. */
static inline void advance(struct world *w, enum moment to)
{
	if (to > AT_LOADING)
		answer_waiting(w, OP_LOAD);
	if (to > AT_BEGINNING)
		answer_waiting(w, OP_BEGIN);
	if (to >= AT_STREAMING)
		provider_says(w, START, TEXT("yo"));
	if (to >= AT_ENDING)
		provider_says(w, FINISH, END);
	if (to >= AT_ENDED)
		answer_waiting(w, OP_END);
}

/* provider_answers: the provider says a whole answer. */
static inline void provider_answers(struct world *w)
{
	provider_says(w, START, MESSAGE(YO), FINISH, END);
}

/* finish_rest: store and provider do what is left to be done for the run. */
static inline void finish_rest(struct world *w)
{
	advance(w, AT_CALLING);
	provider_says(w, START, TEXT("yo"), FINISH, END);
	answer_waiting(w, OP_END);
	answer_waiting(w, OP_APPEND);
}

/* --- the end --- */

/* end_stream: the provider says its last words, and the store keeps the end of a run that is stored. */
static inline void end_stream(struct world *w)
{
	provider_says(w, FINISH, END);
	if (w->rq.manner.store)
		store_answers(w, OP_END, ERR_OK);
}

static inline void stop_fn(struct world *w)
{
	struct err why;

	err_set(&why, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
	run_engine_stop(w->engine, &why);
}

/* end_world: the reader leaves, if it is still there, and nothing may remain of the run. */
static inline void end_world(struct world *w)
{
	if (w->run)
		reader_leaves(w);
	assert_int_equal(w->live, 0);
	assert_int_equal(w->released, 1);
	world_stop(w);
}

/* --- more than is kept --- */

/* long_text: one event with 4 MiB, which stay in text; a run does not keep ten of them. */
static inline struct event long_text(struct buf *text)
{
	buf_init(text, 4 * MIB);
	assert_true(buf_reserve(text, 4 * MIB));
	memset(text->data, 'a', 4 * MIB);
	text->len = 4 * MIB;
	return (struct event){ .kind = EVENT_TEXT, .text = buf_view(text) };
}
