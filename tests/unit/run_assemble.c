/* Answers put together from a log: the same ones that their runs would have kept. */
#include "run/assemble.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/answer.h"
#include "msg/event_code.h"
#include "store/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* clang-format off */
#define TEXT(s) { .kind = EVENT_TEXT, .text = NAME(s) }
#define NAME(s) { s, sizeof(s) - 1 }
/* clang-format on */

static const struct event tools[] = {
	{ .kind = EVENT_ASKED, .choice = 1, .text = NAME("{\"index\":0}") },
	{ .kind = EVENT_START, .id = NAME("up-1"), .text = NAME("tiny") },
	TEXT("Plan:\\n"),
	TEXT("\\ud83d"),
	TEXT("\\ude00"),
	{ .kind = EVENT_TEXT, .choice = 1, .text = NAME("of another choice") },
	{ .kind = EVENT_REASONING, .text = NAME("hm") },
	{ .kind = EVENT_TOOL_START, .block = 0, .id = NAME("c0"), .name = NAME("exe") },
	{ .kind = EVENT_TOOL_START, .block = 1, .id = NAME("c1"), .name = NAME("weather") },
	{ .kind = EVENT_TOOL_START, .block = 0, .name = NAME("cute") },
	{ .kind = EVENT_TOOL_ARGS, .block = 0, .text = NAME("{\\\"a\\\"") },
	{ .kind = EVENT_TEXT, .raw = NAME("{\"x\":\"late\"}"), .text = NAME("late") },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = NAME("{}"), .cont = true },
	{ .kind = EVENT_TOOL_ARGS, .block = 0, .text = NAME(":1}"), .cont = true },
	{ .kind = EVENT_OTHER, .raw = NAME("{\"choices\":[]}") },
	{ .kind = EVENT_USAGE, .usage = { .known = true, .in = 3 } },
	{ .kind = EVENT_FINISH, .text = NAME("tool_calls") },
};

#define SAYS "{\"role\":\"assistant\",\"type\":\"message\""

static const struct event spoken[] = {
	{ .kind = EVENT_START, .id = NAME("up-2") },
	{ .kind = EVENT_LMC, .text = NAME(SAYS ",\"start\":true}") },
	{ .kind = EVENT_LMC, .text = NAME(SAYS ",\"content\":\"yo\"}") },
	{ .kind = EVENT_TEXT, .text = NAME("yo"), .from_lmc = true, .cont = true },
	{ .kind = EVENT_LMC, .text = NAME(SAYS ",\"content\":\" there\"}") },
	{ .kind = EVENT_TEXT, .text = NAME(" there"), .from_lmc = true, .cont = true },
	{ .kind = EVENT_LMC, .text = NAME(SAYS ",\"end\":true}") },
};

static const struct event refused[] = {
	{ .kind = EVENT_REFUSAL, .text = NAME("I can't") },
	{ .kind = EVENT_REFUSAL, .text = NAME(" do that") },
};

static const struct event whole[] = {
	{ .kind = EVENT_START, .id = NAME("up-3") },
	{ .kind = EVENT_MESSAGE, .text = NAME("{\"role\":\"assistant\",\"content\":\"yo\"}") },
};

static const struct {
	const struct event *events;
	size_t              count;
} scripts[] = {
	{ tools, ARRAY_LEN(tools) },
	{ spoken, ARRAY_LEN(spoken) },
	{ refused, ARRAY_LEN(refused) },
	{ whole, ARRAY_LEN(whole) },
};

/* --- the log --- */

struct log {
	struct buf          bytes[32];
	struct events_piece pieces[32];
	size_t              count;
};

static void log_finish(struct log *l)
{
	for (size_t i = 0; i < l->count; i++)
		buf_finish(&l->bytes[i]);
	l->count = 0;
}

/* log_put: in pieces of so many events, each in memory of its own. */
static void log_put(struct log *l, const struct event *events, size_t count, size_t each)
{
	uint64_t seq = 0;

	*l = (struct log){ 0 };
	for (size_t i = 0; i < count; i++) {
		struct events_piece *p = &l->pieces[i / each];

		seq += !events[i].cont;
		if (i % each == 0) {
			l->count = i / each + 1;
			buf_init(&l->bytes[i / each], 64 * MIB);
			p->first = seq;
		}
		assert_true(event_encode(&events[i], seq, &l->bytes[i / each]));
		p->last = seq;
		p->data = buf_view(&l->bytes[i / each]);
	}
}

/* kept: what a run would have stored of these events, had it ended then; false: nothing. */
static bool kept(const struct event *events, size_t count, struct buf *out)
{
	struct answer a;

	answer_init(&a);
	for (size_t i = 0; i < count; i++)
		assert_true(answer_add(&a, &events[i]));
	bool any = answer_any(&a);
	if (any)
		assert_true(answer_close(&a) && answer_print(&a, out));
	answer_finish(&a);
	return any;
}

static void assert_object(struct str s)
{
	struct json_doc d = { 0 };
	struct err      e;

	assert_int_equal(json_scan(&d, s.p, s.n, &json_limits_stored, &e), ERR_OK);
	assert_int_equal(json_kind(&d, 0), JSON_OBJECT);
	json_doc_finish(&d);
}

/* --- tests --- */

static void an_answer_cut_off_anywhere_is_the_one_that_its_run_had(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts); n++)
		for (size_t upto = 0; upto <= scripts[n].count; upto++)
			for (size_t each = 1; each <= 3; each++) {
				struct log l;
				struct buf got, want;

				buf_init(&got, MIB);
				buf_init(&want, MIB);
				assert_true(buf_text(&got, "in front "));
				assert_true(buf_text(&want, "in front "));
				log_put(&l, scripts[n].events, upto, each);
				bool any = kept(scripts[n].events, upto, &want);
				assert_int_equal(assemble_answer(l.pieces, l.count, &got), any);
				assert_true(str_eq(buf_view(&got), buf_view(&want)));
				if (any)
					assert_object((struct str){ got.data + 9, got.len - 9 });
				log_finish(&l);
				buf_finish(&got);
				buf_finish(&want);
			}
}

static void an_answer_is_what_one_expects(void **state)
{
	(void)state;
	static const char *const want[] = {
		"{\"role\":\"assistant\",\"content\":\"Plan:\\n\\ud83d\\ude00late\","
		"\"reasoning_content\":\"hm\",\"tool_calls\":["
		"{\"id\":\"c0\",\"type\":\"function\",\"function\":{\"name\":\"execute\","
		"\"arguments\":\"{\\\"a\\\":1}\"}},"
		"{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"weather\","
		"\"arguments\":\"{}\"}}]}",
		"{\"role\":\"assistant\",\"content\":\"yo there\",\"lmc\":[" SAYS
		",\"content\":\"yo there\"}]}",
		"{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I can't do that\"}",
		"{\"role\":\"assistant\",\"content\":\"yo\"}",
	};

	for (size_t n = 0; n < ARRAY_LEN(scripts); n++) {
		struct log l;
		struct buf got;

		buf_init(&got, MIB);
		log_put(&l, scripts[n].events, scripts[n].count, 4);
		assert_true(assemble_answer(l.pieces, l.count, &got));
		assert_true(buf_add(&got, "", 1));
		assert_string_equal(got.data, want[n]);
		log_finish(&l);
		buf_finish(&got);
	}
}

static void events_without_an_answer_make_none(void **state)
{
	(void)state;
	static const struct event nothing[] = {
		{ .kind = EVENT_ASKED, .text = NAME("{}"), .choice = 1 },
		{ .kind = EVENT_START, .id = NAME("up-1") },
		{ .kind = EVENT_REASONING, .text = NAME("hm") },
		{ .kind = EVENT_OTHER, .raw = NAME("{}") },
		{ .kind = EVENT_USAGE, .usage = { .known = true } },
		{ .kind = EVENT_FINISH, .text = NAME("stop") },
	};
	struct log l;
	struct buf out;

	buf_init(&out, MIB);
	log_put(&l, nothing, ARRAY_LEN(nothing), 2);
	for (size_t n = 0; n <= l.count; n++)
		assert_false(assemble_answer(l.pieces, n, &out));
	assert_false(assemble_answer(NULL, 0, &out));
	assert_int_equal(out.len, 0);
	log_finish(&l);
	buf_finish(&out);
}

static void a_log_cut_off_within_a_record_counts_up_to_there(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts); n++) {
		struct log l;
		size_t     n_whole = 0;
		size_t     end = 0;

		log_put(&l, scripts[n].events, scripts[n].count, 64);
		for (size_t cut = 0; cut <= l.bytes[0].len; cut++) {
			char               *copy = malloc(cut ? cut : 1);
			struct events_piece p = { .first = 1, .last = 99, .data = { copy, cut } };
			struct str          rest = { l.bytes[0].data + end, cut - end };
			struct event        ev;
			uint64_t            seq;
			struct buf          got, want;

			assert_non_null(copy);
			if (cut > 0)
				memcpy(copy, l.bytes[0].data, cut);
			if (event_decode(&rest, &ev, &seq)) {
				n_whole++;
				end = cut;
			}
			buf_init(&got, MIB);
			buf_init(&want, MIB);
			assert_int_equal(assemble_answer(&p, 1, &got),
					 kept(scripts[n].events, n_whole, &want));
			assert_true(str_eq(buf_view(&got), buf_view(&want)));
			buf_finish(&got);
			buf_finish(&want);
			free(copy);
		}
		assert_int_equal(n_whole, scripts[n].count);
		log_finish(&l);
	}
}

static void damage_never_makes_broken_json(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts); n++) {
		struct log l;

		log_put(&l, scripts[n].events, scripts[n].count, 64);
		for (size_t at = 0; at < l.bytes[0].len; at++)
			for (unsigned bit = 0; bit < 8; bit++) {
				struct buf out;

				buf_init(&out, MIB);
				l.bytes[0].data[at] ^= (char)(1 << bit);
				if (assemble_answer(l.pieces, 1, &out))
					assert_object(buf_view(&out));
				else
					assert_int_equal(out.len, 0);
				l.bytes[0].data[at] ^= (char)(1 << bit);
				buf_finish(&out);
			}
		log_finish(&l);
	}
}

static void where_there_is_no_room_nothing_is_left_behind(void **state)
{
	(void)state;
	struct log l;
	struct buf got;
	size_t     need;

	log_put(&l, tools, ARRAY_LEN(tools), 4);
	buf_init(&got, MIB);
	assert_true(assemble_answer(l.pieces, l.count, &got));
	need = got.len;
	buf_finish(&got);
	for (size_t max = 0; max <= need; max += max + 40 < need ? 40 : 1) {
		buf_init(&got, 5 + max);
		assert_true(buf_text(&got, "front"));
		assert_int_equal(assemble_answer(l.pieces, l.count, &got), max == need);
		assert_int_equal(got.len, max == need ? 5 + need : 5);
		buf_finish(&got);
	}
	log_finish(&l);
}

static void expect_kept(const struct log *l, const struct event *events, size_t count)
{
	struct buf got, want;

	buf_init(&got, MIB);
	buf_init(&want, MIB);
	assert_int_equal(assemble_answer(l->pieces, l->count, &got), kept(events, count, &want));
	assert_true(str_eq(buf_view(&got), buf_view(&want)));
	buf_finish(&got);
	buf_finish(&want);
}

static void what_is_behind_damage_is_not_joined_to_what_is_before(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts); n++)
		for (size_t i = 0; 2 * i < scripts[n].count; i++) {
			struct log l;

			log_put(&l, scripts[n].events, scripts[n].count, 2);
			l.bytes[i].data[3] ^= 1;
			expect_kept(&l, scripts[n].events, 2 * i);
			log_finish(&l);
		}
}

static void what_is_behind_a_gap_is_not_joined_to_what_is_before(void **state)
{
	(void)state;
	static const struct event texts[] = {
		{ .kind = EVENT_TEXT, .text = { "a", 1 } },
		{ .kind = EVENT_TEXT, .text = { "b", 1 } },
		{ .kind = EVENT_TEXT, .text = { "c", 1 } },
		{ .kind = EVENT_TEXT, .text = { "d", 1 } },
	};

	for (size_t i = 1; i < ARRAY_LEN(texts); i++) {
		struct log l;

		log_put(&l, texts, ARRAY_LEN(texts), 1);
		l.pieces[i].data.n = 0;
		expect_kept(&l, texts, i);
		log_finish(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_cut_off_anywhere_is_the_one_that_its_run_had),
		cmocka_unit_test(an_answer_is_what_one_expects),
		cmocka_unit_test(events_without_an_answer_make_none),
		cmocka_unit_test(a_log_cut_off_within_a_record_counts_up_to_there),
		cmocka_unit_test(damage_never_makes_broken_json),
		cmocka_unit_test(what_is_behind_damage_is_not_joined_to_what_is_before),
		cmocka_unit_test(what_is_behind_a_gap_is_not_joined_to_what_is_before),
		cmocka_unit_test(where_there_is_no_room_nothing_is_left_behind),
	};

	return cmocka_run_group_tests_name("run/assemble", tests, NULL, NULL);
}
