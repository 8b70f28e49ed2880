/* libFuzzer: whatever the chunks are, messages of the right form come out, the same ones however
 * content was cut.  The first byte says where to cut and what the maximum is; then a JSON array of
 * chunks follows, or a chunk per line. */
#include "base/limits.h"
#include "lmc/lmc_gather.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct json_limits out_limits = {
	.depth = LIMIT_JSON_DEPTH + 2,
	.tokens = LIMIT_JSON_TOKENS,
	.unique = 2,
};

/* One feeding: into a gather, each chunk whole or its content in two. */
struct feeding {
	struct gather *g;
	size_t         cut; /* 0: whole; else content is cut near the byte of this number */
	size_t         index;
	enum errc      rc;
};

static void check_error(const struct err *e, enum errc rc)
{
	CHECK(rc == e->code && e->text[0]);
	CHECK(rc == ERR_OVERLOADED || rc == ERR_INVALID_TYPE || rc == ERR_INVALID_VALUE ||
	      rc == ERR_MISSING_PARAMETER);
	CHECK(utf8_valid(e->path, strlen(e->path)));
}

/* take: one chunk, from a copy without a byte to spare that is gone afterwards. */
static void take(struct feeding *f, struct str text)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };
	char           *copy = malloc(text.n ? text.n : 1);

	CHECK(copy != NULL);
	memcpy(copy, text.p, text.n);
	CHECK(json_scan(&d, copy, text.n, &json_limits_upstream, &e) == ERR_OK);
	f->rc = gather_chunk(f->g, &d, 0, "chunks[7]", f->index, &e);
	if (f->rc != ERR_OK)
		check_error(&e, f->rc);
	json_doc_finish(&d);
	free(copy);
}

/* cut_at: a place at or behind `from` where the string's bytes can be cut: not inside an escape or
 * a character. */
static size_t cut_at(struct str inner, size_t from)
{
	size_t at = 0;

	while (at < inner.n && at < from) {
		if (inner.p[at] == '\\')
			at += inner.p[at + 1] == 'u' ? 6 : 2;
		else
			at++;
		while (at < inner.n && ((unsigned char)inner.p[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

/* put_half: the chunk without a flag, and with half of its content. */
static void put_half(const struct json_doc *d, json_at chunk, const char *without, struct str half,
		     struct buf *out)
{
	bool first = true;
	bool content = false;

	buf_clear(out);
	CHECK(buf_text(out, "{"));
	JSON_EACH_MEMBER (i, d, chunk) {
		if (json_is(d, i, without))
			continue;
		CHECK(first || buf_text(out, ","));
		first = false;
		if (!json_is(d, i, "content") || content) {
			CHECK(buf_str(out, json_member(d, i)));
			continue;
		}
		content = true;
		CHECK(buf_text(out, "\"content\":\"") && buf_str(out, half) && buf_text(out, "\""));
	}
	CHECK(buf_text(out, "}"));
}

/* is_joined: content of this type is appended, so that it can be cut. */
static bool is_joined(const struct json_doc *d, json_at chunk)
{
	json_at type = json_get(d, chunk, "type");

	return type != JSON_ABSENT && (json_is(d, type, "message") || json_is(d, type, "code") ||
				       json_is(d, type, "console"));
}

static void feed_one(struct feeding *f, const struct json_doc *d, json_at chunk)
{
	json_at content = json_get(d, chunk, "content");
	bool    cuttable = f->cut > 0 && content != JSON_ABSENT &&
			json_kind(d, content) == JSON_STRING && is_joined(d, chunk);
	struct str inner = cuttable ? json_inner(d, content) : STR_NONE;
	size_t     at = cuttable ? cut_at(inner, f->cut) : 0;

	if (at == 0 || at >= inner.n) {
		take(f, json_raw(d, chunk));
	} else {
		struct buf half;

		buf_init(&half, 16 * MIB);
		put_half(d, chunk, "end", (struct str){ inner.p, at }, &half);
		take(f, buf_view(&half));
		put_half(d, chunk, "start", (struct str){ inner.p + at, inner.n - at }, &half);
		if (f->rc == ERR_OK)
			take(f, buf_view(&half));
		buf_finish(&half);
	}
	f->index++;
}

/* feed: an array of chunks, or lines.  A chunk that is refused changes nothing, so it goes on. */
static void feed(struct feeding *f, struct str text)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };

	if (json_scan(&d, text.p, text.n, &json_limits_request, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_ARRAY) {
		JSON_EACH (i, &d, 0)
			if (f->rc != ERR_OVERLOADED)
				feed_one(f, &d, i);
		json_doc_finish(&d);
		return;
	}
	while (text.n > 0 && f->rc != ERR_OVERLOADED) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t      n = lf ? (size_t)(lf - text.p) : text.n;

		if (json_scan(&d, text.p, n, &json_limits_upstream, &e) == ERR_OK)
			feed_one(f, &d, 0);
		text.p += lf ? n + 1 : n;
		text.n -= lf ? n + 1 : n;
	}
	json_doc_finish(&d);
}

static void check_message(const struct json_doc *d, json_at message)
{
	static const char *const roles[] = { "user", "assistant", "computer", "system" };
	json_at                  role = json_get(d, message, "role");
	json_at                  type = json_get(d, message, "type");
	json_at                  format = json_get(d, message, "format");
	json_at                  content = json_get(d, message, "content");
	bool                     known = false;

	CHECK(json_kind(d, message) == JSON_OBJECT);
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		known = known || json_is(d, role, roles[i]);
	CHECK(known);
	CHECK(type != JSON_ABSENT && json_kind(d, type) == JSON_STRING);
	CHECK(!json_is(d, type, "confirmation") && !json_is(d, type, "review"));
	CHECK(format == JSON_ABSENT || json_kind(d, format) == JSON_STRING);
	CHECK(format != JSON_ABSENT || !json_is(d, type, "console"));
	CHECK(content != JSON_ABSENT && json_kind(d, content) == JSON_STRING);
	CHECK(json_get(d, message, "start") == JSON_ABSENT);
	CHECK(json_get(d, message, "end") == JSON_ABSENT);
	CHECK(json_inner(d, content).n > 0 ||
	      (!json_is(d, type, "image") && !json_is(d, type, "audio") &&
	       !json_is(d, type, "file")));
}

static void check_messages(struct str messages)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };
	struct buf      list;

	buf_init(&list, 64 * MIB);
	CHECK(buf_text(&list, "[") && buf_str(&list, messages) && buf_text(&list, "]"));
	CHECK(json_scan(&d, list.data, list.len, &out_limits, &e) == ERR_OK);
	JSON_EACH (i, &d, 0)
		check_message(&d, i);
	json_doc_finish(&d);
	buf_finish(&list);
}

/* run: what one feeding gives; false: it failed for want of room. */
static bool run(struct str text, size_t cut, size_t max, struct warnings *w, struct buf *ret)
{
	struct feeding f = { .g = gather_create(max, w), .cut = cut };
	struct str     messages = STR_NONE;
	struct err     e = { 0 };

	CHECK(f.g != NULL);
	feed(&f, text);
	enum errc rc = gather_end(f.g, &messages, &e);
	CHECK(f.rc != ERR_OVERLOADED || rc == ERR_OVERLOADED);
	if (rc == ERR_OK) {
		CHECK(messages.n <= max);
		check_messages(messages);
		CHECK(buf_str(ret, messages));
	}
	gather_destroy(f.g);
	return rc == ERR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf      whole, cut, tight;
	struct warnings w;

	if (size < 2)
		return 0;

	struct str text = { (const char *)data + 1, size - 1 };
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);
	buf_init(&tight, 64 * MIB);
	warnings_init(&w);
	CHECK(run(text, 0, 64 * MIB, &w, &whole));
	CHECK(run(text, 1 + data[0] % 16, 64 * MIB, NULL, &cut));
	CHECK(str_eq(buf_view(&whole), buf_view(&cut)));
	/* With little room there is the same, or nothing. */
	if (run(text, 0, (size_t)data[0] * 16, NULL, &tight))
		CHECK(str_eq(buf_view(&whole), buf_view(&tight)));
	warnings_finish(&w);
	buf_finish(&whole);
	buf_finish(&cut);
	buf_finish(&tight);
	return 0;
}
