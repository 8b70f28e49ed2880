/* Every vector of the translation through translate_messages(): streams whole, in single code points and cut
 * at random; and what a request may get wrong. */
#include "base/limits.h"
#include "lmc/text.h"
#include "lmc/translate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct translate_about about = {
	.id = { "chatcmpl-\"1\"", 12 },
	.model = { "translation", 11 },
	.created_s = 1700000000,
};

/* --- JSON at hand --- */

/* A text and its scan; both owned. */
struct json {
	struct buf      text;
	struct json_doc doc;
};

static void json_open(struct json *j, size_t max)
{
	j->doc = (struct json_doc){ 0 };
	buf_init(&j->text, max);
}

static void json_close(struct json *j)
{
	json_doc_finish(&j->doc);
	buf_finish(&j->text);
}

static void json_read(struct json *j)
{
	struct err e = { 0 };

	if (json_scan(&j->doc, j->text.data, j->text.len, &json_limits_request, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)j->text.len, j->text.data);
}

static void put(struct buf *b, const char *text)
{
	assert_true(buf_text(b, text));
}

static void put_raw(struct buf *b, const struct json_doc *d, json_at i)
{
	assert_true(buf_str(b, json_raw(d, i)));
}

/* get: the member, which must be there. */
static json_at get(const struct json_doc *d, json_at object, const char *key)
{
	json_at i = json_get(d, object, key);

	if (i == JSON_ABSENT)
		fail_msg("no %s in %.*s", key, STR_ARG(json_raw(d, object)));
	return i;
}

static bool has(const struct json_doc *d, json_at object, const char *key)
{
	return json_get(d, object, key) != JSON_ABSENT;
}

/* --- comparison, as the rules of the vectors have it --- */

struct pair {
	struct str expected;
	struct str actual;
};

/* One expected result against one answer. */
struct match {
	const struct json_doc *x; /* expected */
	const struct json_doc *a; /* actual */
	struct pair            ids[32];
	size_t                 id_count;
};

/* Ids are free, but each call has its own, and an answer names an earlier call's. */
static bool same_id(struct match *m, json_at x, json_at a, bool is_new)
{
	struct str expected = json_inner(m->x, x);
	struct str actual = json_inner(m->a, a);

	for (size_t i = 0; i < m->id_count; i++)
		if (str_eq(m->ids[i].expected, expected) || str_eq(m->ids[i].actual, actual))
			return !is_new && str_eq(m->ids[i].expected, expected) &&
			       str_eq(m->ids[i].actual, actual);
	if (!is_new || actual.n == 0)
		return false;
	assert_true(m->id_count < ARRAY_LEN(m->ids));
	m->ids[m->id_count++] = (struct pair){ expected, actual };
	return true;
}

static bool same_text(const struct match *m, json_at x, json_at a)
{
	struct buf one, two;

	buf_init(&one, MIB);
	buf_init(&two, MIB);
	assert_true(text_of(m->x, x, &one) && text_of(m->a, a, &two));
	bool same = str_eq(buf_view(&one), buf_view(&two));
	buf_finish(&one);
	buf_finish(&two);
	return same;
}

static bool same(struct match *m, json_at x, json_at a, struct str key);

/* same_json: arguments that are expected as an object stand for JSON text. */
static bool same_json(const struct match *m, json_at x, json_at a)
{
	struct json inside;

	if (json_kind(m->a, a) != JSON_STRING)
		return false;
	json_open(&inside, MIB);
	assert_true(text_of(m->a, a, &inside.text));
	json_read(&inside);
	struct match deeper = { .x = m->x, .a = &inside.doc };
	bool         ok = same(&deeper, x, 0, STR_NONE);
	json_close(&inside);
	return ok;
}

static bool same_list(struct match *m, json_at x, json_at a)
{
	json_at j = json_first(m->a, a);

	if (m->x->tok[x].count != m->a->tok[a].count)
		return false;
	JSON_EACH (i, m->x, x) {
		if (!same(m, i, j, STR_NONE))
			return false;
		j = json_next(m->a, j);
	}
	return true;
}

/* An OpenAI message; an assistant's text and the call behind it count as one (L14). */
struct item {
	json_at message;
	json_at content; /* JSON_ABSENT: the message's own */
};

static json_at member_of(const struct json_doc *d, const struct item *item, struct str key)
{
	char name[64];

	str_copy(name, sizeof name, key);
	if (item->content != JSON_ABSENT && strcmp(name, "content") == 0)
		return item->content;
	return json_get(d, item->message, name);
}

static bool same_item(struct match *m, const struct item *x, const struct item *a)
{
	if (m->x->tok[x->message].count != m->a->tok[a->message].count)
		return false;
	JSON_EACH_MEMBER (k, m->x, x->message) {
		struct str key = json_inner(m->x, k);
		json_at    j = member_of(m->a, a, key);

		if (j == JSON_ABSENT || !same(m, member_of(m->x, x, key), j, key))
			return false;
	}
	return true;
}

static bool same(struct match *m, json_at x, json_at a, struct str key)
{
	enum json_kind kind = json_kind(m->x, x);

	if (kind == JSON_OBJECT && str_is(key, "arguments"))
		return same_json(m, x, a);
	if (kind != json_kind(m->a, a))
		return false;
	switch (kind) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE: return true;
	case JSON_NUMBER: return str_eq(json_raw(m->x, x), json_raw(m->a, a));
	case JSON_STRING:
		if (str_is(key, "id") || str_is(key, "tool_call_id"))
			return same_id(m, x, a, str_is(key, "id"));
		return same_text(m, x, a);
	case JSON_ARRAY: return same_list(m, x, a);
	case JSON_OBJECT:
		return same_item(m, &(struct item){ x, JSON_ABSENT },
				 &(struct item){ a, JSON_ABSENT });
	}
	return false;
}

static bool is_assistant(const struct json_doc *d, json_at message, bool with_calls)
{
	return json_is(d, get(d, message, "role"), "assistant") &&
	       has(d, message, "tool_calls") == with_calls;
}

/* next_item: the message at *at, and moves on. */
static struct item next_item(const struct json_doc *d, json_at list, json_at *at)
{
	json_at i = *at;
	json_at next = json_next(d, i);

	*at = next;
	if (next == json_end(d, list) || !is_assistant(d, i, false) ||
	    !is_assistant(d, next, true) || !json_is(d, get(d, next, "content"), ""))
		return (struct item){ i, JSON_ABSENT };
	*at = json_next(d, next);
	return (struct item){ next, get(d, i, "content") };
}

static bool same_openai(struct match *m, json_at x, json_at a)
{
	json_at i = json_first(m->x, x);
	json_at j = json_first(m->a, a);

	while (i != json_end(m->x, x) && j != json_end(m->a, a)) {
		struct item one = next_item(m->x, x, &i);
		struct item two = next_item(m->a, a, &j);

		if (!same_item(m, &one, &two))
			return false;
	}
	return i == json_end(m->x, x) && j == json_end(m->a, a);
}

/* --- chunks of the answer --- */

static void put_head(struct buf *out, const struct json_doc *d, json_at chunk)
{
	static const char *const keys[] = { "role", "type", "format" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_at value = json_get(d, chunk, keys[i]);

		if (value == JSON_ABSENT)
			continue;
		put(out, i > 0 ? ",\"" : "{\"");
		put(out, keys[i]);
		put(out, "\":");
		put_raw(out, d, value);
	}
}

/* together: the messages that LMC chunks stand for; they must obey K6. */
static void together(const struct json_doc *d, json_at chunks, struct buf *out)
{
	struct buf open, head, content;
	bool       any = false;

	buf_init(&open, MIB);
	buf_init(&head, MIB);
	buf_init(&content, MIB);
	put(out, "[");
	JSON_EACH (i, d, chunks) {
		bool start = has(d, i, "start"), end = has(d, i, "end"),
		     text = has(d, i, "content");

		assert_int_equal(start + end + text, 1);
		buf_clear(&head);
		put_head(&head, d, i);
		assert_int_equal(d->tok[i].count, 3 + has(d, i, "format"));
		if (start) {
			assert_int_equal(open.len, 0);
			assert_int_equal(json_kind(d, get(d, i, "start")), JSON_TRUE);
			assert_true(buf_str(&open, buf_view(&head)));
			continue;
		}
		assert_true(open.len > 0 && str_eq(buf_view(&open), buf_view(&head)));
		if (text) {
			assert_true(d->tok[get(d, i, "content")].len > 2);
			assert_true(text_of(d, get(d, i, "content"), &content));
			continue;
		}
		assert_int_equal(json_kind(d, get(d, i, "end")), JSON_TRUE);
		put(out, any ? "," : "");
		assert_true(buf_str(out, buf_view(&open)));
		put(out, ",\"content\":");
		assert_true(text_quote(out, buf_view(&content)));
		put(out, "}");
		any = true;
		buf_clear(&open);
		buf_clear(&content);
	}
	assert_int_equal(open.len, 0);
	put(out, "]");
	buf_finish(&open);
	buf_finish(&head);
	buf_finish(&content);
}

enum { CALLS_MAX = 8 };

/* What OpenAI chunks say. */
struct spoken {
	struct buf text;
	struct buf names[CALLS_MAX];
	struct buf arguments[CALLS_MAX];
	int64_t    calls;
};

static void hear_call(struct spoken *s, const struct json_doc *d, json_at call)
{
	int64_t index = -1;
	json_at function = get(d, call, "function");
	json_at arguments = json_get(d, function, "arguments");

	assert_true(json_int(d, get(d, call, "index"), &index));
	assert_int_in_range(index, 0, CALLS_MAX - 1);
	if (index == s->calls) {
		assert_true(json_is(d, get(d, call, "type"), "function"));
		assert_true(d->tok[get(d, call, "id")].len > 2);
		s->calls++;
		assert_true(text_of(d, get(d, function, "name"), &s->names[index]));
	} else {
		assert_true(index < s->calls);
		assert_false(has(d, function, "name"));
	}
	if (arguments != JSON_ABSENT)
		assert_true(text_of(d, arguments, &s->arguments[index]));
}

/* hear: one chunk, which must obey S7. */
static void hear(struct spoken *s, const struct json_doc *d, json_at chunk, bool first, bool last)
{
	json_at choice = json_first(d, get(d, chunk, "choices"));
	json_at delta = get(d, choice, "delta");
	json_at reason = json_get(d, choice, "finish_reason");
	json_at calls = json_get(d, delta, "tool_calls");
	json_at content = json_get(d, delta, "content");
	int64_t number = -1;

	assert_true(json_is(d, get(d, chunk, "id"), "chatcmpl-\"1\""));
	assert_true(json_is(d, get(d, chunk, "object"), "chat.completion.chunk"));
	assert_true(json_is(d, get(d, chunk, "model"), "translation"));
	assert_true(json_int(d, get(d, chunk, "created"), &number) && number == 1700000000);
	assert_int_equal(d->tok[get(d, chunk, "choices")].count, 1);
	assert_true(json_int(d, get(d, choice, "index"), &number) && number == 0);
	assert_int_equal(has(d, delta, "role"), first);
	assert_int_equal(reason != JSON_ABSENT && json_kind(d, reason) != JSON_NULL, last);
	if (content != JSON_ABSENT)
		assert_true(text_of(d, content, &s->text));
	if (calls != JSON_ABSENT)
		JSON_EACH (i, d, calls)
			hear_call(s, d, i);
	if (last)
		assert_true(json_is(d, reason, s->calls > 0 ? "tool_calls" : "stop"));
}

/* print_spoken: in the form in which vectors expect it. */
static void print_spoken(const struct spoken *s, struct buf *out)
{
	put(out, "{\"text\":");
	assert_true(text_quote(out, buf_view(&s->text)));
	put(out, ",\"tool_calls\":[");
	for (int64_t i = 0; i < s->calls; i++) {
		put(out, i > 0 ? ",{\"name\":" : "{\"name\":");
		assert_true(text_quote(out, buf_view(&s->names[i])));
		put(out, ",\"arguments\":");
		assert_true(text_quote(out, buf_view(&s->arguments[i])));
		put(out, "}");
	}
	put(out,
	    s->calls > 0 ? "],\"finish_reason\":\"tool_calls\"}" : "],\"finish_reason\":\"stop\"}");
}

static void listen(const struct json_doc *d, json_at chunks, struct buf *out)
{
	struct spoken s = { 0 };
	uint32_t      index = 0;

	buf_init(&s.text, MIB);
	for (size_t i = 0; i < CALLS_MAX; i++) {
		buf_init(&s.names[i], MIB);
		buf_init(&s.arguments[i], MIB);
	}
	assert_true(d->tok[chunks].count >= 2);
	for (json_at i = json_first(d, chunks); i != json_end(d, chunks);
	     i = json_next(d, i), index++)
		hear(&s, d, i, index == 0, index + 1 == d->tok[chunks].count);
	print_spoken(&s, out);
	buf_finish(&s.text);
	for (size_t i = 0; i < CALLS_MAX; i++) {
		buf_finish(&s.names[i]);
		buf_finish(&s.arguments[i]);
	}
}

/* --- one expectation --- */

static void check_warnings(const struct json_doc *d, const char *wanted)
{
	json_at list = get(d, 0, "warnings");

	JSON_EACH (i, d, list) {
		int64_t index = -1;

		assert_true(json_int(d, get(d, i, "index"), &index) && index >= 0);
		assert_int_equal(json_kind(d, get(d, i, "code")), JSON_STRING);
		assert_true(d->tok[get(d, i, "message")].len > 2);
	}
	if (wanted && strcmp(wanted, "some") == 0)
		assert_true(d->tok[list].count > 0);
	if (wanted && strcmp(wanted, "none") == 0)
		assert_int_equal(d->tok[list].count, 0);
}

/* fits_chunks: what the answered chunks say is what is expected, and what the messages say. */
static bool fits_chunks(const struct json_doc *x, json_at expect, const struct json_doc *a,
			bool to_lmc)
{
	struct json made;
	bool        ok = true;

	json_open(&made, MIB);
	if (to_lmc)
		together(a, get(a, 0, "chunks"), &made.text);
	else
		listen(a, get(a, 0, "chunks"), &made.text);
	json_read(&made);
	if (to_lmc) {
		struct match m = { .x = a, .a = &made.doc };

		ok = same_list(&m, get(a, 0, "messages"), 0);
	}
	for (json_at k = json_first(x, expect); !to_lmc && ok && k != json_end(x, expect);
	     k = json_next_member(x, k)) {
		struct match m = { .x = x, .a = &made.doc };

		if (!json_is(x, k, "messages"))
			ok = same(&m, json_value(k),
				  member_of(&made.doc, &(struct item){ 0, JSON_ABSENT },
					    json_inner(x, k)),
				  STR_NONE);
	}
	json_close(&made);
	return ok;
}

static bool fits(const struct json_doc *x, json_at expect, const struct json_doc *a, bool to_lmc)
{
	json_at      wanted = json_get(x, expect, "messages");
	json_at      got = get(a, 0, "messages");
	struct match m = { .x = x, .a = a };

	if (wanted != JSON_ABSENT &&
	    !(to_lmc ? same_list(&m, wanted, got) : same_openai(&m, wanted, got)))
		return false;
	return !has(a, 0, "chunks") || fits_chunks(x, expect, a, to_lmc);
}

/* --- streams, cut --- */

struct cut {
	enum { WHOLE, POINTS, RANDOM } kind;
	uint64_t state; /* of a small generator: the same cuts in each run */
};

static size_t point_length(unsigned char first)
{
	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static size_t piece_length(struct cut *c, struct str text)
{
	size_t points = 1;
	size_t n = 0;

	if (c->kind == WHOLE)
		return text.n;
	if (c->kind == RANDOM) {
		c->state = c->state * 6364136223846793005u + 1442695040888963407u;
		points = 1 + (c->state >> 60);
	}
	for (; points > 0 && n < text.n; points--)
		n += point_length((unsigned char)text.p[n]);
	return n;
}

static const char chunk_head[] =
	"{\"id\":\"chatcmpl-v\",\"object\":\"chat.completion.chunk\",\"created\":1,"
	"\"model\":\"test-model\",\"choices\":[{\"index\":0,\"delta\":{";

static void put_delta(struct buf *out, struct str delta, const char *reason)
{
	put(out, chunk_head);
	assert_true(buf_str(out, delta));
	put(out, "},\"finish_reason\":");
	put(out, reason);
	put(out, "}]}");
}

/* put_pieces: value's text as one chunk for each piece, between before and after. */
static void put_pieces(struct buf *out, const struct json_doc *d, json_at value, const char *before,
		       const char *after, struct cut *cut)
{
	struct buf text, delta;

	buf_init(&text, MIB);
	buf_init(&delta, MIB);
	assert_true(text_of(d, value, &text));
	struct str left = buf_view(&text);
	while (left.n > 0) {
		struct str piece = { left.p, piece_length(cut, left) };

		buf_clear(&delta);
		put(&delta, before);
		assert_true(text_quote(&delta, piece));
		put(&delta, after);
		put(out, ",");
		put_delta(out, buf_view(&delta), "null");
		left = (struct str){ left.p + piece.n, left.n - piece.n };
	}
	buf_finish(&text);
	buf_finish(&delta);
}

static void put_tool(struct buf *out, const struct json_doc *d, json_at tool, struct cut *cut)
{
	char    before[128];
	char    delta[512];
	int64_t index = 0;

	assert_true(json_int(d, get(d, tool, "index"), &index));
	snprintf(before, sizeof before,
		 "\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":", (int)index);
	if (has(d, tool, "name")) {
		snprintf(delta, sizeof delta,
			 "\"tool_calls\":[{\"index\":%d,\"id\":%.*s,\"type\":\"function\","
			 "\"function\":{\"name\":%.*s}}]",
			 (int)index, STR_ARG(json_raw(d, get(d, tool, "id"))),
			 STR_ARG(json_raw(d, get(d, tool, "name"))));
		put(out, ",");
		put_delta(out, str_of(delta), "null");
	}
	if (has(d, tool, "arguments"))
		put_pieces(out, d, get(d, tool, "arguments"), before, "}}]", cut);
}

static void put_legacy(struct buf *out, const struct json_doc *d, json_at call, struct cut *cut)
{
	char delta[256];

	if (has(d, call, "name")) {
		snprintf(delta, sizeof delta, "\"function_call\":{\"name\":%.*s}",
			 STR_ARG(json_raw(d, get(d, call, "name"))));
		put(out, ",");
		put_delta(out, str_of(delta), "null");
	}
	if (has(d, call, "arguments"))
		put_pieces(out, d, get(d, call, "arguments"),
			   "\"function_call\":{\"arguments\":", "}", cut);
}

static void put_stream(struct buf *out, const struct json_doc *d, json_at stream, struct cut *cut)
{
	const char *reason = "\"stop\"";

	put_delta(out, STR("\"role\":\"assistant\""), "null");
	JSON_EACH (i, d, stream) {
		if (has(d, i, "text")) {
			put_pieces(out, d, get(d, i, "text"), "\"content\":", "", cut);
		} else if (has(d, i, "tool")) {
			put_tool(out, d, get(d, i, "tool"), cut);
			reason = "\"tool_calls\"";
		} else if (has(d, i, "legacy")) {
			put_legacy(out, d, get(d, i, "legacy"), cut);
			reason = "\"function_call\"";
		} else {
			put(out, ",");
			put_raw(out, d, get(d, i, "raw"));
		}
	}
	put(out, ",");
	put_delta(out, STR(""), reason);
}

/* --- one vector --- */

static void put_request(struct buf *out, const struct json_doc *d, json_at vector, struct cut *cut)
{
	json_at request = get(d, vector, "request");

	if (!has(d, vector, "stream")) {
		put_raw(out, d, request);
		return;
	}
	put(out, "{");
	JSON_EACH_MEMBER (k, d, request) {
		assert_true(buf_str(out, json_member(d, k)));
		put(out, ",");
	}
	put(out, "\"chunks\":[");
	put_stream(out, d, get(d, vector, "stream"), cut);
	put(out, "]}");
}

static bool fits_error(const struct json_doc *d, json_at expect, enum errc rc, const struct err *e)
{
	json_at param = json_get(d, get(d, expect, "error"), "param");

	assert_int_equal(rc, e->code);
	return rc != ERR_OK && err_http(e) == 400 && e->text[0] &&
	       strcmp(err_type(e), "invalid_request_error") == 0 &&
	       (param == JSON_ABSENT || json_is(d, param, e->path));
}

static void answer_fits(const struct json_doc *d, json_at vector, const struct json *request,
			const struct json *answer)
{
	json_at any = json_get(d, vector, "expect_any");
	json_at warnings = json_get(d, vector, "warnings");
	bool    to_lmc = json_is(&request->doc, get(&request->doc, 0, "to"), "lmc");
	bool    ok = false;
	char    wanted[8] = "";

	if (warnings != JSON_ABSENT)
		str_copy(wanted, sizeof wanted, json_inner(d, warnings));
	assert_true(json_is(&answer->doc, get(&answer->doc, 0, "object"), "translation"));
	assert_int_equal(has(&answer->doc, 0, "chunks"), has(&request->doc, 0, "chunks"));
	assert_int_equal(answer->doc.tok[0].count, has(&request->doc, 0, "chunks") ? 4 : 3);
	check_warnings(&answer->doc, wanted);
	if (any == JSON_ABSENT)
		ok = fits(d, get(d, vector, "expect"), &answer->doc, to_lmc);
	else
		for (json_at i = json_first(d, any); i != json_end(d, any) && !ok;
		     i = json_next(d, i))
			ok = fits(d, i, &answer->doc, to_lmc);
	if (!ok)
		fail_msg("%.*s\nrequest: %.*s\nanswer: %.*s",
			 STR_ARG(json_raw(d, get(d, vector, "name"))),
			 STR_ARG(buf_view(&request->text)), STR_ARG(buf_view(&answer->text)));
}

static void check_vector(const struct json_doc *d, json_at vector, struct cut cut)
{
	struct json request, answer;
	struct err  e = { 0 };
	json_at     expect = json_get(d, vector, "expect");

	json_open(&request, MIB);
	json_open(&answer, MIB);
	put_request(&request.text, d, vector, &cut);
	json_read(&request);
	enum errc rc = translate_messages(&request.doc, &about, &answer.text, &e);

	if (expect != JSON_ABSENT && has(d, expect, "error")) {
		if (!fits_error(d, expect, rc, &e))
			fail_msg("%.*s: got %d %s %s", STR_ARG(json_raw(d, get(d, vector, "name"))),
				 (int)rc, e.path, e.text);
		assert_int_equal(answer.text.len, 0);
	} else {
		if (rc != ERR_OK)
			fail_msg("%.*s: %s: %s", STR_ARG(json_raw(d, get(d, vector, "name"))),
				 e.path, e.text);
		json_read(&answer);
		answer_fits(d, vector, &request, &answer);
	}
	json_close(&request);
	json_close(&answer);
}

/* --- the files --- */

static void open_suite(struct json *file, const char *suite)
{
	char path[512];
	char part[4096];

	snprintf(path, sizeof path, "%s/lmc/%s.json", FIXTURES, suite);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s is missing", path);
	json_open(file, MIB);
	for (size_t n = fread(part, 1, sizeof part, f); n > 0; n = fread(part, 1, sizeof part, f))
		assert_true(buf_add(&file->text, part, n));
	fclose(f);
	json_read(file);
	assert_true(json_is(&file->doc, get(&file->doc, 0, "suite"), suite));
}

static void check_suite(const char *suite)
{
	enum { RANDOM_CUTS = 50 };
	struct json file;

	open_suite(&file, suite);
	json_at list = get(&file.doc, 0, "vectors");
	assert_true(file.doc.tok[list].count > 0);
	JSON_EACH (i, &file.doc, list) {
		check_vector(&file.doc, i, (struct cut){ .kind = WHOLE });
		if (!has(&file.doc, i, "stream"))
			continue;
		check_vector(&file.doc, i, (struct cut){ .kind = POINTS });
		for (uint64_t n = 0; n < RANDOM_CUTS; n++)
			check_vector(&file.doc, i, (struct cut){ .kind = RANDOM, .state = n });
	}
	json_close(&file);
}

static void vectors_from_lmc_messages(void **state)
{
	(void)state;
	check_suite("lmc_to_openai");
}

static void vectors_from_openai_messages(void **state)
{
	(void)state;
	check_suite("openai_to_lmc");
}

static void vectors_from_openai_chunks_however_they_are_cut(void **state)
{
	(void)state;
	check_suite("stream_openai_to_lmc");
}

static void vectors_from_lmc_chunks_as_chunks(void **state)
{
	(void)state;
	check_suite("stream_lmc_to_openai");
}

static void vectors_from_lmc_chunks_as_messages(void **state)
{
	(void)state;
	check_suite("chunk_accumulation");
}

/* --- requests that are wrong --- */

#define LMC    "\"from\":\"lmc\",\"to\":\"openai\","
#define OPENAI "\"from\":\"openai\",\"to\":\"lmc\","
#define HELLO  "{\"role\":\"user\",\"type\":\"message\",\"content\":\"Hello\"}"

/* clang-format off */
static const struct {
	const char *why;
	const char *body;
	enum errc   want;
	const char *path;
} cases[] = {
	{ "nothing", "{}", ERR_MISSING_PARAMETER, "from" },
	{ "no object", "[]", ERR_MISSING_PARAMETER, "from" },
	{ "no to", "{\"from\":\"lmc\",\"messages\":[]}", ERR_MISSING_PARAMETER, "to" },
	{ "nobody's form", "{\"from\":\"lmx\",\"to\":\"lmc\"}", ERR_INVALID_VALUE, "from" },
	{ "a number", "{\"from\":1,\"to\":\"lmc\"}", ERR_INVALID_TYPE, "from" },
	{ "nowhere to go", "{\"from\":\"lmc\",\"to\":\"lmc\",\"messages\":[]}", ERR_INVALID_VALUE, "to" },
	{ "a code that is none", "{" LMC "\"messages\":[],\"code\":\"x\"}", ERR_INVALID_VALUE, "code" },
	{ "a code that is no string", "{" LMC "\"chunks\":[],\"code\":[]}", ERR_INVALID_TYPE, "code" },
	{ "vision", "{" LMC "\"messages\":[],\"vision\":1}", ERR_INVALID_TYPE, "vision" },
	{ "vision is no option of chunks", "{" LMC "\"chunks\":[],\"vision\":1}", ERR_OK, "" },
	{ "fences", "{" OPENAI "\"chunks\":[],\"fences\":null}", ERR_INVALID_TYPE, "fences" },
	{ "fences is no option from LMC", "{" LMC "\"messages\":[],\"fences\":1}", ERR_OK, "" },
	{ "no list", "{" LMC "\"x\":1}", ERR_MISSING_PARAMETER, "messages" },
	{ "two lists", "{" LMC "\"chunks\":[],\"messages\":[]}", ERR_INVALID_VALUE, "messages" },
	{ "messages", "{" OPENAI "\"messages\":{}}", ERR_INVALID_TYPE, "messages" },
	{ "chunks", "{" OPENAI "\"chunks\":\"\"}", ERR_INVALID_TYPE, "chunks" },
	{ "a message", "{" LMC "\"messages\":[" HELLO ",[]]}", ERR_INVALID_TYPE, "messages[1]" },
	{ "a chunk", "{" OPENAI "\"chunks\":[{},{},null]}", ERR_INVALID_TYPE, "chunks[2]" },
	{ "the first error counts", "{" LMC "\"messages\":[" HELLO ",{},[]]}", ERR_MISSING_PARAMETER,
	  "messages[1].role" },
	{ "of a chunk", "{" LMC "\"chunks\":[{\"role\":\"x\"}]}", ERR_INVALID_VALUE, "chunks[0].role" },
	{ "of a stored message",
	  "{" LMC "\"chunks\":[" HELLO ",{\"role\":\"user\",\"type\":\"image\",\"format\":\"path\","
	  "\"content\":\"x\"}]}", ERR_INVALID_VALUE, "messages[1].format" },
};
/* clang-format on */

static void a_wrong_request_names_its_culprit_and_answers_nothing(void **state)
{
	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct json request;
		struct buf  out;
		struct err  e = { 0 };

		json_open(&request, MIB);
		buf_init(&out, MIB);
		put(&request.text, cases[n].body);
		put(&out, "before");
		json_read(&request);
		enum errc rc = translate_messages(&request.doc, &about, &out, &e);
		if (rc != cases[n].want || strcmp(e.path, cases[n].path) != 0)
			fail_msg("%s: got %d at %s: %s", cases[n].why, (int)rc, e.path, e.text);
		if (rc != ERR_OK)
			assert_int_equal(out.len, strlen("before"));
		buf_finish(&out);
		json_close(&request);
	}
}

static void an_answer_over_the_limit_is_refused_whole(void **state)
{
	static const char *const bodies[] = {
		"{" LMC "\"messages\":[",
		"{" LMC "\"chunks\":[",
		"{" OPENAI "\"messages\":[",
		"{" OPENAI "\"chunks\":[",
	};
	static const char *const elements[] = {
		"{\"role\":\"assistant\",\"type\":\"code\",\"content\":\"\"}",
		"{\"role\":\"assistant\",\"type\":\"code\",\"start\":true}",
		"{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{}},{\"function\":{}}]}",
		"{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}",
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(bodies); n++) {
		struct json request;
		struct buf  out;
		struct err  e = { 0 };

		json_open(&request, MIB);
		buf_init(&out, 64 * KIB);
		put(&request.text, bodies[n]);
		for (int i = 0; i < 2000; i++) {
			put(&request.text, i > 0 ? "," : "");
			put(&request.text, elements[n]);
		}
		put(&request.text, "]}");
		json_read(&request);
		assert_int_equal(translate_messages(&request.doc, &about, &out, &e),
				 ERR_REQUEST_TOO_LARGE);
		assert_int_equal(out.len, 0);
		buf_finish(&out);
		json_close(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_from_lmc_messages),
		cmocka_unit_test(vectors_from_openai_messages),
		cmocka_unit_test(vectors_from_openai_chunks_however_they_are_cut),
		cmocka_unit_test(vectors_from_lmc_chunks_as_chunks),
		cmocka_unit_test(vectors_from_lmc_chunks_as_messages),
		cmocka_unit_test(a_wrong_request_names_its_culprit_and_answers_nothing),
		cmocka_unit_test(an_answer_over_the_limit_is_refused_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
