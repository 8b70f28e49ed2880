/* Amazon's frames: the same events however the bytes are cut, and none from damaged bytes. */
#include "base/limits.h"
#include "upstream/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

/* --- frames --- */

static void put_number(struct buf *out, uint32_t n)
{
	const unsigned char bytes[] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16),
					(unsigned char)(n >> 8), (unsigned char)n };

	assert_true(buf_add(out, bytes, sizeof bytes));
}

static void put_sum(struct buf *out, size_t from)
{
	put_number(out,
		   (uint32_t)crc32(0, (const Bytef *)out->data + from, (uInt)(out->len - from)));
}

static void put_header(struct buf *out, const char *name, struct str value)
{
	const unsigned char lengths[] = { 7, (unsigned char)(value.n >> 8),
					  (unsigned char)value.n };
	const unsigned char n = (unsigned char)strlen(name);

	assert_true(buf_add(out, &n, 1) && buf_text(out, name) &&
		    buf_add(out, lengths, sizeof lengths) && buf_str(out, value));
}

static void put_frame(struct buf *out, struct str head, struct str payload)
{
	size_t from = out->len;

	put_number(out, (uint32_t)(16 + head.n + payload.n));
	put_number(out, (uint32_t)head.n);
	put_sum(out, from);
	assert_true(buf_str(out, head) && buf_str(out, payload));
	put_sum(out, from);
}

/* put_told: a frame of a kind, with the header that this kind has. */
static void put_told(struct buf *out, const char *kind, const char *header, const char *name,
		     const char *payload)
{
	struct buf head;

	buf_init(&head, KIB);
	put_header(&head, ":content-type", STR("application/json"));
	put_header(&head, header, str_of(name));
	/* A header of each other type, which no one reads. */
	assert_true(buf_add(&head, "\1a\0\1b\1\1c\2\1\1d\3\1\2\1e\4\1\2\3\4", 22) &&
		    buf_add(&head, "\1f\5\1\2\3\4\5\6\7\10\1g\6\0\1x\1h\10\1\2\3\4\5\6\7\10", 28) &&
		    buf_add(&head, "\1i\11\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10", 19));
	put_header(&head, ":message-type", str_of(kind));
	if (strcmp(kind, "error") == 0)
		put_header(&head, ":error-message", STR("it \"broke\""));
	put_frame(out, buf_view(&head), str_of(payload));
	buf_finish(&head);
}

static void put_stream(struct buf *out)
{
	put_told(out, "event", ":event-type", "messageStart", "{\"role\":\"assistant\"}");
	put_told(out, "event", ":event-type", "nothing", "");
	put_told(out, "event", ":event-type", "contentBlockDelta", "{\"a\":1}");
	put_told(out, "exception", ":exception-type", "throttlingException",
		 "{\"message\":\"slowly\"}");
	put_told(out, "error", ":error-code", "InternalError", "");
}

static const char stream_says[] = "messageStart|{\"role\":\"assistant\"};"
				  "contentBlockDelta|{\"a\":1};"
				  "!throttlingException|{\"message\":\"slowly\"};"
				  "!InternalError|{\"message\":\"it \\\"broke\\\"\"};";

/* --- feeding --- */

static enum errc note(void *arg, struct str name, struct str data, struct err *e)
{
	struct buf *seen = arg;

	(void)e;
	assert_true(data.n > 0);
	assert_true(buf_str(seen, name) && buf_text(seen, "|") && buf_str(seen, data) &&
		    buf_text(seen, ";"));
	return ERR_OK;
}

/* feed: a copy of each piece, so that spans kept beyond the call are found by the address sanitizer. */
static enum errc feed(struct str text, size_t first, size_t step, struct buf *seen, struct err *e)
{
	const struct upstream_framing *f = &upstream_aws_frames;
	union framing_state            s;
	enum errc                      rc = ERR_OK;

	f->init(&s);
	for (size_t at = 0; rc == ERR_OK && at < text.n;) {
		size_t n = at == 0 && first ? first : step;

		n = n < text.n - at ? n : text.n - at;
		char *copy = malloc(n);
		assert_non_null(copy);
		memcpy(copy, text.p + at, n);
		rc = f->feed(&s, copy, n, note, seen, e);
		free(copy);
		at += n;
	}
	if (rc == ERR_OK)
		rc = f->end(&s, note, seen, e);
	f->finish(&s);
	return rc;
}

static void frames_come_out_the_same_however_the_bytes_are_cut(void **state)
{
	struct buf stream, seen;
	struct err e;

	(void)state;
	buf_init(&stream, MIB);
	buf_init(&seen, MIB);
	put_stream(&stream);
	for (size_t first = 0; first <= stream.len; first++) {
		buf_clear(&seen);
		assert_int_equal(feed(buf_view(&stream), first, stream.len, &seen, &e), ERR_OK);
		assert_true(str_is(buf_view(&seen), stream_says));
	}
	for (size_t step = 1; step < 200; step++) {
		buf_clear(&seen);
		assert_int_equal(feed(buf_view(&stream), 0, step, &seen, &e), ERR_OK);
		assert_true(str_is(buf_view(&seen), stream_says));
	}
	buf_finish(&stream);
	buf_finish(&seen);
}

/* What was whole before the cut is given, and nothing else. */
static void a_frame_that_is_cut_off_is_nothing(void **state)
{
	struct buf stream, seen;
	struct err e;

	(void)state;
	buf_init(&stream, MIB);
	buf_init(&seen, MIB);
	put_told(&stream, "event", ":event-type", "a", "{}");
	size_t first = stream.len;
	put_told(&stream, "event", ":event-type", "b", "{}");
	for (size_t n = 0; n <= stream.len; n++) {
		buf_clear(&seen);
		assert_int_equal(feed((struct str){ stream.data, n }, 0, 7, &seen, &e), ERR_OK);
		assert_true(str_is(buf_view(&seen), n < first        ? ""
						    : n < stream.len ? "a|{};"
								     : "a|{};b|{};"));
	}
	buf_finish(&stream);
	buf_finish(&seen);
}

static void a_damaged_byte_is_an_error(void **state)
{
	struct buf stream, seen;
	struct err e;

	(void)state;
	buf_init(&stream, MIB);
	buf_init(&seen, MIB);
	put_told(&stream, "event", ":event-type", "a", "{}");
	for (size_t i = 0; i < stream.len; i++)
		for (size_t step = 1; step <= stream.len; step += stream.len - 1) {
			buf_clear(&seen);
			stream.data[i] ^= 0x10;
			assert_int_equal(feed(buf_view(&stream), 0, step, &seen, &e),
					 ERR_UPSTREAM_BAD_RESPONSE);
			assert_int_equal(seen.len, 0);
			stream.data[i] ^= 0x10;
		}
	buf_finish(&stream);
	buf_finish(&seen);
}

static void headers_that_nobody_can_read_are_an_error(void **state)
{
	static const struct {
		const char *why;
		struct str  head;
	} cases[] = {
		{ "no headers", { "", 0 } },
		{ "a type that does not exist", { "\1a\12", 3 } },
		{ "a name that is cut off", { "\11abc\7\0\0", 7 } },
		{ "a length that is cut off", { "\1a\7\0", 4 } },
		{ "a value that is cut off", { "\1a\7\0\5abc", 8 } },
		{ "a number that is cut off", { "\1a\4\0\0\0", 6 } },
		{ "another kind", { "\15:message-type\7\0\4text", 21 } },
		{ "an event without a name", { "\15:message-type\7\0\5event", 22 } },
		{ "an exception without a name", { "\15:message-type\7\0\11exception", 26 } },
		{ "a kind that is no text",
		  { "\15:message-type\6\0\5event\13:event-type\7\0\1a", 38 } },
	};
	struct buf stream, seen;
	struct err e;

	(void)state;
	buf_init(&stream, MIB);
	buf_init(&seen, MIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&stream);
		put_frame(&stream, cases[i].head, STR("{}"));
		if (feed(buf_view(&stream), 0, 5, &seen, &e) != ERR_UPSTREAM_BAD_RESPONSE)
			fail_msg("%s: got %.*s", cases[i].why, STR_ARG(buf_view(&seen)));
		assert_int_equal(seen.len, 0);
	}
	buf_finish(&stream);
	buf_finish(&seen);
}

static void frames_have_a_bound(void **state)
{
	static const struct {
		uint32_t total, head;
	} cases[] = {
		{ LIMIT_SSE_EVENT + 1, 0 }, { UINT32_MAX, 0 }, { 0, 0 }, { 15, 0 }, { 40, 25 },
		{ 40, UINT32_MAX },
	};
	struct buf stream, seen;
	struct err e;

	(void)state;
	buf_init(&stream, KIB);
	buf_init(&seen, KIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&stream);
		put_number(&stream, cases[i].total);
		put_number(&stream, cases[i].head);
		put_sum(&stream, 0);
		for (size_t step = 1; step <= 12; step += 11)
			assert_int_equal(feed(buf_view(&stream), 0, step, &seen, &e),
					 ERR_UPSTREAM_BAD_RESPONSE);
	}
	buf_finish(&stream);
	buf_finish(&seen);
}

/* --- long frames --- */

struct taking {
	union framing_state *s;
	struct buf           taken;
	size_t               from;
	bool                 took;
};

static enum errc take(void *arg, struct str name, struct str data, struct err *e)
{
	struct taking *t = arg;

	(void)e;
	assert_true(str_is(name, "a"));
	t->took = upstream_aws_frames.take(t->s, data, &t->taken, &t->from);
	return ERR_OK;
}

static void a_long_payload_can_be_taken(void **state)
{
	const struct upstream_framing *f = &upstream_aws_frames;
	const size_t                   sizes[] = { 100, 40000 };
	struct buf                     stream, text;
	struct err                     e;

	(void)state;
	buf_init(&stream, MIB);
	buf_init(&text, MIB);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		union framing_state s;
		struct taking       t = { .s = &s };

		buf_clear(&stream);
		while (text.len < sizes[i])
			assert_true(buf_text(&text, "x"));
		assert_true(buf_add(&text, "", 1));
		put_told(&stream, "event", ":event-type", "a", text.data);
		f->init(&s);
		/* The first bytes come alone, so that the frame is copied. */
		assert_int_equal(f->feed(&s, stream.data, 20, take, &t, &e), ERR_OK);
		assert_int_equal(f->feed(&s, stream.data + 20, stream.len - 20, take, &t, &e),
				 ERR_OK);
		assert_int_equal(t.took, sizes[i] > 16 * KIB);
		if (t.took) {
			assert_int_equal(t.taken.len - t.from, sizes[i]);
			assert_memory_equal(t.taken.data + t.from, text.data, sizes[i]);
			buf_finish(&t.taken);
		}
		/* The next frame is read as if nothing had been. */
		assert_int_equal(f->feed(&s, stream.data, 20, take, &t, &e), ERR_OK);
		f->finish(&s);
		text.len--;
	}
	buf_finish(&stream);
	buf_finish(&text);
}

static void only_its_own_content_type_is_a_stream(void **state)
{
	(void)state;
	assert_true(upstream_aws_frames.fits("application/vnd.amazon.eventstream"));
	assert_true(upstream_aws_frames.fits("application/vnd.amazon.eventstream; v=1"));
	assert_false(upstream_aws_frames.fits("application/json"));
	assert_false(upstream_aws_frames.fits("text/event-stream"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_out_the_same_however_the_bytes_are_cut),
		cmocka_unit_test(a_frame_that_is_cut_off_is_nothing),
		cmocka_unit_test(a_damaged_byte_is_an_error),
		cmocka_unit_test(headers_that_nobody_can_read_are_an_error),
		cmocka_unit_test(frames_have_a_bound),
		cmocka_unit_test(a_long_payload_can_be_taken),
		cmocka_unit_test(only_its_own_content_type_is_a_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
