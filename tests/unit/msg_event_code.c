/* Events as bytes: there and back again, and bytes that were damaged on the way. */
#include "msg/event_code.h"

#include "base/limits.h"
#include "tests/unit/event_same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define RAW                                                                                      \
	"{\"id\":\"c-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"yo\"}}]," \
	"\"usage\":{},\"created\":12}"

static const char       raw_text[] = RAW;
static const struct str raw = { raw_text, sizeof raw_text - 1 };

/* part: what stands in RAW, as a span of it. */
static struct str part(const char *text)
{
	const char *at = strstr(raw.p, text);

	assert_non_null(at);
	return (struct str){ at, strlen(text) };
}

/* exact: a copy without a byte to spare, so that reading on is found. */
static char *exact(struct str s)
{
	char *copy = malloc(s.n ? s.n : 1);

	assert_non_null(copy);
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	return copy;
}

/* assert_survives: ev is read as it was written; returns the record's length. */
static size_t assert_survives(const struct event *ev, uint64_t seq)
{
	struct buf   out;
	struct event got = { .kind = EVENT_OTHER };
	uint64_t     got_seq = seq + 1;

	buf_init(&out, 64 * MIB);
	assert_true(event_encode(ev, seq, &out));

	size_t     n = out.len;
	char      *copy = exact(buf_view(&out));
	struct str bytes = { copy, n };
	assert_true(event_decode(&bytes, &got, &got_seq));
	assert_int_equal(bytes.n, 0);
	assert_ptr_equal(bytes.p, copy + n);
	assert_true(got_seq == seq);
	assert_true(event_same(ev, &got));
	assert_null(got.err);
	bytes = (struct str){ copy, n };
	assert_true(event_decode_again(&bytes, &got, &got_seq));
	assert_int_equal(bytes.n, 0);
	assert_true(got_seq == seq && event_same(ev, &got));
	free(copy);
	buf_finish(&out);
	return n;
}

/* --- there and back --- */

static void every_kind_comes_back(void **state)
{
	(void)state;

	for (int kind = 0; kind < EVENT__COUNT; kind++) {
		struct event ev = { .kind = (enum event_kind)kind, .text = STR("t") };

		if (kind != EVENT_ERROR && kind != EVENT_END)
			assert_survives(&ev, 7);
	}
}

static void every_member_comes_back_alone_and_with_all_others(void **state)
{
	(void)state;
	/* clang-format off */
	const struct event cases[] = {
		{ .kind = EVENT_TEXT },
		{ .kind = EVENT_TEXT, .choice = 3 },
		{ .kind = EVENT_TOOL_ARGS, .block = 511 },
		{ .kind = EVENT_TOOL_ARGS, .choice = UINT32_MAX, .block = UINT32_MAX },
		{ .kind = EVENT_TEXT, .text = STR("a\\u00e9\\\"") },
		{ .kind = EVENT_START, .id = STR("up-1") },
		{ .kind = EVENT_TOOL_START, .name = STR("execute") },
		{ .kind = EVENT_OTHER, .raw = raw },
		{ .kind = EVENT_OTHER, .cont = true },
		{ .kind = EVENT_START, .raw = raw, .form = RAW_ANTHROPIC, .raw_id = part("\"c-1\"") },
		{ .kind = EVENT_FINISH, .cont = true, .form = RAW_ANTHROPIC },
		{ .kind = EVENT_OTHER, .raw = raw, .form = RAW_RESPONSES, .text = part("yo") },
		{ .kind = EVENT_USAGE, .raw_only_usage = true, .raw = raw },
		{ .kind = EVENT_TEXT, .from_lmc = true, .text = STR("x") },
		{ .kind = EVENT_ASKED, .choice = 2, .block = 1, .text = STR("{},{}") },
		{ .kind = EVENT_TOOL_START, .choice = 1, .block = 2, .text = part("yo"),
		  .id = part("c-1"), .name = part("assistant"), .raw = raw, .cont = true,
		  .raw_only_usage = true, .from_lmc = true,
		  .raw_usage = part(",\"usage\":{}"), .raw_role = part("\"role\":\"assistant\","),
		  .raw_id = part("\"c-1\""), .raw_created = part("12") },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_survives(&cases[i], 1000 + i);
}

static void spans_of_raw_stay_in_it_and_cost_next_to_nothing(void **state)
{
	(void)state;
	struct event ev = { .kind = EVENT_TEXT, .raw = raw };
	size_t       bare = assert_survives(&ev, 5);

	ev.text = part("yo");
	assert_true(assert_survives(&ev, 5) - bare <= 2);
	ev.raw_usage = part(",\"usage\":{}");
	ev.raw_role = part("\"role\":\"assistant\",");
	assert_true(assert_survives(&ev, 5) - bare <= 6);
	ev.raw_id = part("\"c-1\"");
	assert_true(assert_survives(&ev, 5) - bare <= 9);
	ev.raw_created = part("12");
	assert_true(assert_survives(&ev, 5) - bare <= 11);
	/* The same bytes from elsewhere are not taken for a place in it. */
	ev.text = STR("yo");
	assert_survives(&ev, 5);
	/* All of it, and its last byte, are in it; one that reaches over its end is not. */
	ev.text = raw;
	assert_survives(&ev, 5);
	ev.text = (struct str){ raw.p + raw.n - 1, 1 };
	assert_survives(&ev, 5);
	ev.raw.n--;
	ev.raw_usage = ev.raw_role = ev.raw_id = ev.raw_created = STR_NONE;
	assert_survives(&ev, 5);
}

static void cuts_that_are_not_in_raw_are_not_written(void **state)
{
	(void)state;
	const struct event ev = { .kind = EVENT_OTHER,
				  .raw = raw,
				  .raw_usage = STR("elsewhere"),
				  .raw_role = { raw.p + raw.n, 0 },
				  .raw_id = STR("c-1"),
				  .raw_created = STR("12") };
	struct event       got;
	uint64_t           seq;
	struct buf         out;

	buf_init(&out, MIB);
	assert_true(event_encode(&ev, 1, &out));
	struct str bytes = buf_view(&out);
	assert_true(event_decode(&bytes, &got, &seq));
	assert_int_equal(got.raw_usage.n, 0);
	assert_int_equal(got.raw_role.n, 0);
	assert_int_equal(got.raw_id.n, 0);
	assert_int_equal(got.raw_created.n, 0);
	buf_finish(&out);
}

static void usage_comes_back_with_all_its_counts(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct usage cases[] = {
		{ 0 },
		{ .known = true, .in = 1, .out = 2, .cached_read = 3, .cached_write = 4,
		  .reasoning = 5 },
		{ .known = true, .estimated = true, .in = 127, .out = 128, .cached_read = 16383,
		  .cached_write = 16384, .reasoning = 1 },
		{ .estimated = true, .in = INT64_MAX, .out = INT64_MAX, .cached_read = INT64_MAX,
		  .cached_write = INT64_MAX, .reasoning = INT64_MAX },
		{ .known = true, .in = -1, .out = INT64_MIN },
		{ .known = true, .in = 9, .cached_write = 8, .cached_hour = 7 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_survives(&(struct event){ .kind = EVENT_USAGE, .usage = cases[i] }, 9);
}

static void numbers_of_any_size_come_back(void **state)
{
	(void)state;

	for (unsigned bit = 0; bit < 64; bit++) {
		struct event ev = { .kind = EVENT_TOOL_ARGS,
				    .choice = (uint32_t)(UINT64_MAX >> bit),
				    .block = (uint32_t)(1ull << bit) };

		assert_survives(&ev, 1ull << bit);
		assert_survives(&ev, (1ull << bit) - 1);
		assert_survives(&ev, UINT64_MAX >> bit);
	}
}

static void a_large_text_comes_back(void **state)
{
	(void)state;
	struct str big = { NULL, 3 * MIB };
	char      *bytes = malloc(big.n);

	assert_non_null(bytes);
	memset(bytes, 'a', big.n);
	big.p = bytes;
	assert_survives(&(struct event){ .kind = EVENT_TEXT, .text = big }, 1);
	assert_survives(&(struct event){ .kind = EVENT_MEDIA, .raw = big, .text = big }, 1);
	free(bytes);
}

/* --- several --- */

/* clang-format off */
static const struct event some[] = {
	{ .kind = EVENT_ASKED, .choice = 1, .block = 1, .text = { "{\"index\":0}", 11 } },
	{ .kind = EVENT_START, .id = { "up-1", 4 }, .text = { "tiny", 4 } },
	{ .kind = EVENT_TEXT, .text = { "y", 1 }, .raw = { raw_text, sizeof raw_text - 1 },
	  .raw_role = { raw_text + 33, 19 } },
	{ .kind = EVENT_TEXT, .text = { "id", 2 }, .cont = true },
	{ .kind = EVENT_USAGE, .usage = { .known = true, .in = 300, .out = 70000 } },
	{ .kind = EVENT_FINISH, .text = { "stop", 4 } },
};
/* clang-format on */

static void put_some(struct buf *out)
{
	buf_init(out, MIB);
	for (size_t i = 0; i < ARRAY_LEN(some); i++)
		assert_true(event_encode(&some[i], i + 1, out));
}

static void records_are_taken_one_by_one_in_their_order(void **state)
{
	(void)state;
	struct buf   out;
	struct event ev;
	uint64_t     seq;
	size_t       n = 0;

	put_some(&out);
	struct str bytes = buf_view(&out);
	while (event_decode(&bytes, &ev, &seq)) {
		assert_true(n < ARRAY_LEN(some));
		assert_int_equal(seq, n + 1);
		assert_true(event_same(&ev, &some[n++]));
	}
	assert_int_equal(n, ARRAY_LEN(some));
	assert_int_equal(bytes.n, 0);
	buf_finish(&out);
}

static void a_full_buffer_is_left_as_it_was(void **state)
{
	(void)state;
	struct event ev = { .kind = EVENT_TOOL_START,
			    .choice = 1,
			    .block = 2,
			    .text = part("yo"),
			    .id = STR("id"),
			    .name = STR("name"),
			    .raw = raw,
			    .raw_usage = part(",\"usage\":{}") };
	struct event usage = { .kind = EVENT_USAGE, .usage = { .known = true, .reasoning = 5 } };
	size_t       n = assert_survives(&ev, 300);
	size_t       m = assert_survives(&usage, 300);

	for (size_t max = 0; max <= n; max++) {
		struct buf out;

		buf_init(&out, 4 + max);
		assert_true(buf_text(&out, "head"));
		assert_int_equal(event_encode(&ev, 300, &out), max == n);
		assert_int_equal(out.len, max == n ? 4 + n : 4);
		assert_memory_equal(out.data, "head", 4);
		/* What is smaller still goes in. */
		assert_int_equal(event_encode(&usage, 300, &out), max >= m && max != n);
		buf_finish(&out);
	}
}

/* --- damage --- */

static bool inside(struct str s, struct str bytes)
{
	return s.n == 0 || (s.p >= bytes.p && s.p + s.n <= bytes.p + bytes.n);
}

/* Printers step over raw's brace and then over the cuts, one after the other. */
static bool cuts_fit(const struct event *ev)
{
	const struct str cuts[] = { ev->raw_usage, ev->raw_role, ev->raw_id, ev->raw_created };

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		struct str a = cuts[i];

		if (a.n > 0 && place_in(a, ev->raw) - 1 >= ev->raw.n - 1)
			return false;
		for (size_t k = 0; k < i; k++) {
			struct str b = cuts[k];

			if (a.n > 0 && b.n > 0 && a.p + a.n > b.p && b.p + b.n > a.p)
				return false;
		}
	}
	return true;
}

/* look: reads all that can be read; nothing may reach out of the bytes. */
static size_t look(struct str bytes)
{
	char        *copy = exact(bytes);
	struct str   all = { copy, bytes.n };
	struct str   rest = all;
	struct event ev = { .kind = EVENT_MEDIA, .choice = 77 };
	uint64_t     seq = 77;
	size_t       n = 0;

	for (;;) {
		struct str   before = rest;
		struct event old = ev;

		if (!event_decode(&rest, &ev, &seq)) {
			assert_ptr_equal(rest.p, before.p);
			assert_int_equal(rest.n, before.n);
			assert_true(event_same(&ev, &old));
			break;
		}
		assert_true(rest.n < before.n && rest.p + rest.n == all.p + all.n);
		assert_true(inside(ev.raw, all) && inside(ev.text, all) && inside(ev.id, all) &&
			    inside(ev.name, all));
		assert_true(cuts_fit(&ev));
		assert_true(ev.kind < EVENT__COUNT && ev.kind != EVENT_ERROR &&
			    ev.kind != EVENT_END && !ev.err);
		n++;
	}
	free(copy);
	return n;
}

/* put_some_at: and where each of them ends. */
static void put_some_at(struct buf *out, size_t ends[ARRAY_LEN(some)])
{
	put_some(out);

	struct str rest = buf_view(out);
	for (size_t i = 0; i < ARRAY_LEN(some); i++) {
		struct event ev;
		uint64_t     seq;

		assert_true(event_decode(&rest, &ev, &seq));
		ends[i] = out->len - rest.n;
	}
}

static void a_log_that_was_cut_off_gives_what_is_whole(void **state)
{
	(void)state;
	struct buf out;
	size_t     whole = 0;
	size_t     ends[ARRAY_LEN(some)];

	put_some_at(&out, ends);
	for (size_t n = 0; n <= out.len; n++) {
		while (whole < ARRAY_LEN(some) && ends[whole] <= n)
			whole++;
		assert_int_equal(look((struct str){ out.data, n }), whole);
	}
	buf_finish(&out);
}

static void any_changed_byte_ends_what_can_be_read(void **state)
{
	(void)state;
	struct buf out;
	size_t     ends[ARRAY_LEN(some)];
	size_t     whole = 0; /* records in front of the byte */

	put_some_at(&out, ends);
	for (size_t at = 0; at < out.len; at++) {
		char was = out.data[at];

		whole += ends[whole] <= at;
		for (int c = 0; c < 256; c++) {
			out.data[at] = (char)c;
			assert_int_equal(look(buf_view(&out)),
					 (char)c == was ? ARRAY_LEN(some) : whole);
		}
		out.data[at] = was;
	}
	buf_finish(&out);
}

/* with_sum: bytes and their CRC-32, bit by bit. */
static char *with_sum(struct str bytes)
{
	char    *sealed = malloc(bytes.n + 4);
	uint32_t sum = UINT32_MAX;

	assert_non_null(sealed);
	for (size_t i = 0; i < bytes.n; i++) {
		sum ^= (unsigned char)bytes.p[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
		sealed[i] = bytes.p[i];
	}
	for (size_t i = 0; i < 4; i++)
		sealed[bytes.n + i] = (char)(~sum >> (8 * i));
	return sealed;
}

static void lengths_that_are_lies_are_refused(void **state)
{
	(void)state;
	/* After the form and the kind: seq, which parts there are, and the parts.  4: raw; 8, 16: its
	 * cuts; 32: text, as a place + 1 and a length, or 0, a length and bytes; 256: usage. */
	/* clang-format off */
	const struct {
		const char *why;
		struct str  bytes;
		bool        good;
	} cases[] = {
		{ "nothing", STR_NONE, false },
		{ "half a head", STR("\2"), false },
		{ "no parts", STR("\2\1\1"), false },
		{ "the least there is", STR("\2\1\1\0"), true },
		{ "another form", STR("\1\1\1\0"), false },
		{ "an unknown kind", STR("\2\x7f\1\0"), false },
		{ "an error, which nobody could print", STR("\2\x0e\1\0"), false },
		{ "an end", STR("\2\x0f\1\0"), false },
		{ "an unknown part", STR("\2\1\1\x80\x40"), false },
		{ "a number without an end", STR("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
		  false },
		{ "a number of 65 bits", STR("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0"), false },
		{ "a number of 64 bits", STR("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"), true },
		{ "a choice of 33 bits", STR("\2\1\1\1\x80\x80\x80\x80\x10"), false },
		{ "raw longer than all", STR("\2\1\1\4\3ab"), false },
		{ "raw as long as can be", STR("\2\1\1\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\1{}"),
		  false },
		{ "text inside raw", STR("\2\1\1\x24\3abc\3\1"), true },
		{ "text over raw's end", STR("\2\1\1\x24\3abc\3\2"), false },
		{ "text behind raw", STR("\2\1\1\x24\3abc\5\0"), false },
		{ "a place near the highest number",
		  STR("\2\1\1\x24\3abc\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1"), false },
		{ "a length near the highest number",
		  STR("\2\1\1\x24\3abc\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), false },
		{ "a place of nothing", STR("\2\1\1\x20\1\0"), false },
		{ "a place without raw", STR("\2\1\1\x20\2\1"), false },
		{ "a cut inside raw", STR("\2\1\1\x0c\3{a}\2\1"), true },
		{ "a cut of raw's brace", STR("\2\1\1\x0c\3{a}\1\1"), false },
		{ "a cut that is elsewhere", STR("\2\1\1\x0c\3{a}\0\1a"), false },
		{ "a cut of nothing", STR("\2\1\1\x0c\3{a}\2\0"), false },
		{ "a cut without raw", STR("\2\1\1\x08\0\1a"), false },
		{ "two cuts side by side", STR("\2\1\1\x1c\4{ab}\2\1\3\1"), true },
		{ "two cuts that overlap", STR("\2\1\1\x1c\4{ab}\2\2\3\1"), false },
		{ "usage of a text", STR("\2\1\1\x80\2\0\0\0\0\0\0"), false },
		{ "usage", STR("\2\x0c\1\x80\2\0\0\0\0\0\0"), true },
		{ "usage without its last count", STR("\2\x0c\1\x80\2\0\0\0\0\0"), false },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		print_message("case: %s\n", cases[i].why);
		char *sealed = with_sum(cases[i].bytes);
		assert_int_equal(look((struct str){ sealed, cases[i].bytes.n + 4 }),
				 cases[i].good ? 1 : 0);
		assert_int_equal(look((struct str){ sealed, cases[i].bytes.n }), 0);
		free(sealed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_comes_back),
		cmocka_unit_test(every_member_comes_back_alone_and_with_all_others),
		cmocka_unit_test(spans_of_raw_stay_in_it_and_cost_next_to_nothing),
		cmocka_unit_test(cuts_that_are_not_in_raw_are_not_written),
		cmocka_unit_test(usage_comes_back_with_all_its_counts),
		cmocka_unit_test(numbers_of_any_size_come_back),
		cmocka_unit_test(a_large_text_comes_back),
		cmocka_unit_test(records_are_taken_one_by_one_in_their_order),
		cmocka_unit_test(a_full_buffer_is_left_as_it_was),
		cmocka_unit_test(a_log_that_was_cut_off_gives_what_is_whole),
		cmocka_unit_test(any_changed_byte_ends_what_can_be_read),
		cmocka_unit_test(lengths_that_are_lies_are_refused),
	};

	return cmocka_run_group_tests_name("msg/event_code", tests, NULL, NULL);
}
