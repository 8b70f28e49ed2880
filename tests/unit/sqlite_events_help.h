/* What the tests of the event log share: pieces that are appended, and what a reader has of them then. */
#pragma once

#include "engine_help.h"

#include "msg/event_code.h"
#include "store/store.h"
#include "store/turn.h"

#define Q "{\"role\":\"user\",\"content\":\"hello\"}"
#define A "{\"role\":\"assistant\",\"content\":\"hello\"}"

HELP int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

/* --- pieces --- */

/* Only those events are cut that we have encoded; all else is bytes to the store. */
HELP struct events_piece piece(struct id run, uint64_t first, uint64_t last, const char *data)
{
	return (struct events_piece){ run, first, last, str_of(data) };
}

HELP void encode(struct buf *b, uint64_t first, uint64_t last)
{
	buf_init(b, MIB);
	for (uint64_t seq = first; seq <= last; seq++) {
		char         text[16];
		struct event ev = { .kind = EVENT_TEXT };

		snprintf(text, sizeof text, "<%d>", (int)seq);
		ev.text = str_of(text);
		assert_true(event_encode(&ev, seq, b));
	}
}

HELP void append(struct fixture *f, const struct events_piece *pieces, size_t count)
{
	struct events_entry *entries = calloc(count, sizeof *entries);
	struct events_append a = { .entries = entries, .entry_count = count };

	assert_non_null(entries);
	for (size_t i = 0; i < count; i++)
		entries[i].piece = pieces[i];
	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	for (size_t i = 0; i < count; i++)
		assert_false(entries[i].refused);
	free(entries);
}

HELP void append_one(struct fixture *f, struct events_piece p)
{
	append(f, &p, 1);
}

HELP struct events_read log_of(struct id run, uint64_t after)
{
	struct events_read r = { .run = run, .after = after, .page_bytes = 64 * KIB };

	arena_init(&r.arena, MIB);
	return r;
}

HELP void read_log(struct fixture *f, struct events_read *r)
{
	arena_finish(&r->arena);
	assert_int_equal(DO(f, events_read, r), ERR_OK);
}

/* The pieces above `after` as "first-last:data first-last:data", and a * for has_more. */
HELP void expect_log(struct fixture *f, struct id run, uint64_t after, const char *want)
{
	struct events_read r = log_of(run, after);
	struct buf         b;

	buf_init(&b, MIB);
	read_log(f, &r);
	for (size_t i = 0; i < r.piece_count; i++)
		assert_true(buf_fmt(&b, "%s%d-%d:%.*s", i > 0 ? " " : "", (int)r.pieces[i].first,
				    (int)r.pieces[i].last, (int)r.pieces[i].data.n,
				    r.pieces[i].data.p));
	if (r.has_more)
		assert_true(buf_text(&b, "*"));
	assert_true(buf_add(&b, "", 1));
	assert_string_equal(b.data, want);
	buf_finish(&b);
	arena_finish(&r.arena);
}

HELP struct turn_begin begin(struct fixture *f)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

HELP void end_with(struct fixture *f, struct id run, struct events_piece last)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.events[0] = last;
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

HELP void finish(struct fixture *f, struct id run)
{
	end_with(f, run, (struct events_piece){ 0 });
}

/* Closing is as good as a crash here: the engine ends no runs by itself. */
HELP void reopen(struct fixture *f)
{
	close_store(f);
	open_store(f);
}
