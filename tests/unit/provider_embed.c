/* Embeddings of every dialect that has them, against tests/fixtures/embed.json: an array of cases
 *
 *   dialect, ask (OpenAI's request), body (what leaves), place (behind base_url, where it depends on
 *     the request; with v1 that ends so); refused instead of body: the path of the culprit
 *   dialect, ask, answer (the provider's), and what it becomes: list (tokens: of the usage), or error;
 *     same: it goes through byte for byte */
#include "base/limits.h"
#include "json/scan.h"
#include "provider/openai/embed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LEAST = 45 }; /* cases, so that none get lost */

static const struct dialect *const dialects[] = { &dialect_openai,           &dialect_azure,
						  &dialect_gemini,           &dialect_ollama,
						  &dialect_openai_responses, &dialect_mistral };

struct suite {
	struct buf      text;
	struct json_doc doc;
	char            name[160];
};

struct asked {
	struct prompt p;
	struct embed  embed;
	struct str    members[16];
	struct buf    model;
};

/* --- cases --- */

static json_at get(const struct suite *s, json_at c, const char *key)
{
	return json_get(&s->doc, c, key);
}

static struct str text_of(const struct suite *s, json_at c, const char *key)
{
	json_at i = get(s, c, key);

	return i == JSON_ABSENT ? STR_NONE : json_inner(&s->doc, i);
}

static void check_same(const struct suite *s, const char *what, struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("%s, %s\n--- got\n%.*s\n--- want\n%.*s", s->name, what, STR_ARG(got),
			 STR_ARG(want));
}

static void compact(const struct suite *s, struct str text, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;

	if (json_scan(&d, text.p, text.n, &json_limits_upstream, &e) != ERR_OK)
		fail_msg("%s: no JSON: %s\n%.*s", s->name, e.text, STR_ARG(text));
	assert_true(json_print(&d, 0, out));
	json_doc_finish(&d);
}

static void check_json(const struct suite *s, const char *what, struct str got, struct str want)
{
	struct buf a, b;

	buf_init(&a, MIB);
	buf_init(&b, MIB);
	compact(s, got, &a);
	compact(s, want, &b);
	check_same(s, what, buf_view(&a), buf_view(&b));
	buf_finish(&a);
	buf_finish(&b);
}

/* As the route reads it. */
static void read_ask(const struct suite *s, json_at ask, struct asked *ret)
{
	const struct json_doc *d = &s->doc;
	json_at                input = get(s, ask, "input");
	json_at                first = json_first(d, input);
	json_at                format = get(s, ask, "encoding_format");

	*ret = (struct asked){ .p = { .members = ret->members, .embed = &ret->embed } };
	buf_init(&ret->model, KIB);
	assert_true(json_unescape(text_of(s, ask, "model"), &ret->model));
	ret->p.model = buf_view(&ret->model);
	JSON_EACH_MEMBER (k, d, ask) {
		assert_true(ret->p.member_count < ARRAY_LEN(ret->members));
		if (!json_is(d, k, "model"))
			ret->members[ret->p.member_count++] = json_member(d, k);
	}
	bool list = json_kind(d, input) == JSON_ARRAY;
	ret->embed = (struct embed){
		.input = json_raw(d, input),
		.count = list && json_kind(d, first) != JSON_NUMBER ? d->tok[input].count : 1,
		.tokens = list && json_kind(d, first) != JSON_STRING,
		.base64 = format != JSON_ABSENT && json_is(d, format, "base64"),
	};
}

static void check_ask(const struct suite *s, const struct dialect *d, json_at c, struct asked *a)
{
	struct provider_options o = {
		.name = "test",
		.base_url = get(s, c, "v1") != JSON_ABSENT ? "https://host.example/openai/v1"
							   : "https://host.example",
	};
	struct str refused = text_of(s, c, "refused");
	struct err e = { 0 };
	struct buf body, place;

	buf_init(&body, MIB);
	buf_init(&place, KIB);
	enum errc rc = d->embed->encode(&o, &a->p, &body, &e);
	if (refused.p) {
		assert_int_not_equal(rc, ERR_OK);
		assert_int_equal(err_http(&e), 400);
		check_same(s, "refused", str_of(e.path), refused);
	} else {
		if (rc != ERR_OK)
			fail_msg("%s: %s at %s", s->name, e.text, e.path);
		check_json(s, "body", buf_view(&body), json_raw(&s->doc, get(s, c, "body")));
		if (d->embed->place)
			assert_true(d->embed->place(&o, &a->p, &place));
		else
			assert_true(buf_text(&place, d->embed->path));
		check_same(s, "place", buf_view(&place), text_of(s, c, "place"));
	}
	buf_finish(&body);
	buf_finish(&place);
}

/* --- answers --- */

struct heard {
	struct buf raw;
	int64_t    tokens; /* -1: none were told */
	int        events;
};

static void on_event(void *arg, const struct event *ev)
{
	struct heard *h = arg;

	h->events++;
	if (h->events == 1) {
		assert_int_equal(ev->kind, EVENT_OTHER);
		assert_true(ev->raw.n > 0 && !ev->cont && buf_str(&h->raw, ev->raw));
		return;
	}
	assert_int_equal(h->events, 2);
	assert_int_equal(ev->kind, EVENT_USAGE);
	assert_true(ev->usage.known && ev->cont);
	h->tokens = ev->usage.in;
}

static void check_list(const struct suite *s, json_at c, const struct heard *h, struct str body)
{
	int64_t tokens = -1;
	json_at told = get(s, c, "tokens");

	assert_true(told == JSON_ABSENT || json_int(&s->doc, told, &tokens));
	assert_int_equal(h->tokens, tokens);
	if (get(s, c, "same") != JSON_ABSENT)
		check_same(s, "list", buf_view(&h->raw), body);
	else
		check_json(s, "list", buf_view(&h->raw), json_raw(&s->doc, get(s, c, "list")));
}

static void check_answer(const struct suite *s, const struct dialect *d, json_at c,
			 const struct asked *a)
{
	struct json_doc    doc = { 0 };
	struct heard       h = { .tokens = -1 };
	struct decode      decode = { .doc = &doc, .on_event = on_event, .arg = &h };
	struct err         e = { 0 };
	json_at            answer = get(s, c, "answer");
	struct str         wanted = text_of(s, c, "error");
	struct embed_want *want = embed_want_create(&a->p);
	struct buf         text;

	assert_non_null(want);
	buf_init(&h.raw, MIB);
	buf_init(&text, MIB);
	/* A string stands for a body that is no JSON. */
	if (json_kind(&s->doc, answer) == JSON_STRING)
		assert_true(json_unescape(json_inner(&s->doc, answer), &text));
	else
		assert_true(buf_str(&text, json_raw(&s->doc, answer)));
	/* In memory of its own length, so that a read beyond its end is seen. */
	char *own = malloc(text.len + 1);
	assert_non_null(own);
	if (text.len > 0)
		memcpy(own, text.data, text.len);
	char      *fit = realloc(own, text.len ? text.len : 1);
	struct str body = { fit ? fit : own, text.len };
	enum errc  rc = d->embed->decode(&decode, want, body, &e);
	if (wanted.p) {
		assert_int_not_equal(rc, ERR_OK);
		assert_int_equal(h.events, 0);
		assert_true(err_http(&e) >= 400);
		check_same(s, "error", str_of(e.text), wanted);
	} else {
		if (rc != ERR_OK)
			fail_msg("%s: %s", s->name, e.text);
		assert_true(decode.started && decode.finished);
		check_list(s, c, &h, body);
	}
	free(fit ? fit : own);
	free(want);
	buf_finish(&text);
	buf_finish(&h.raw);
	json_doc_finish(&doc);
}

static const struct dialect *dialect_named(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
		if (str_is(name, dialects[i]->name))
			return dialects[i];
	fail_msg("no dialect %.*s", STR_ARG(name));
	return NULL;
}

static void check_case(struct suite *s, json_at c)
{
	const struct dialect *d = dialect_named(text_of(s, c, "dialect"));
	struct asked          a;

	snprintf(s->name, sizeof s->name, "%s: %.*s", d->name, STR_ARG(text_of(s, c, "name")));
	assert_non_null(d->embed);
	read_ask(s, get(s, c, "ask"), &a);
	if (get(s, c, "answer") != JSON_ABSENT)
		check_answer(s, d, c, &a);
	else
		check_ask(s, d, c, &a);
	buf_finish(&a.model);
}

static void recorded_exchanges(void **state)
{
	struct suite s = { .name = "" };
	struct err   e;
	char         piece[4096];
	size_t       n = 0;
	FILE        *f = fopen(FIXTURES "/embed.json", "rb");

	(void)state;
	assert_non_null(f);
	buf_init(&s.text, MIB);
	for (size_t k; (k = fread(piece, 1, sizeof piece, f)) > 0;)
		assert_true(buf_add(&s.text, piece, k));
	fclose(f);
	if (json_scan(&s.doc, s.text.data, s.text.len, &json_limits_request, &e) != ERR_OK)
		fail_msg("%s", e.text);
	for (json_at c = json_first(&s.doc, 0); c != json_end(&s.doc, 0);
	     c = json_next(&s.doc, c), n++)
		check_case(&s, c);
	assert_true(n >= LEAST);
	json_doc_finish(&s.doc);
	buf_finish(&s.text);
}

/* More numbers than a scan has tokens for: they leave none.  And what would be over the limit of an
 * answer says so. */
static void large_answers(void **state)
{
	enum { VECTORS = 2048, NUMBERS = 1536 };
	struct json_doc   doc = { 0 };
	struct heard      h = { .tokens = -1 };
	struct decode     decode = { .doc = &doc, .on_event = on_event, .arg = &h };
	struct embed_want want = { .count = VECTORS, .base64 = true, .model = "m" };
	struct err        e = { 0 };
	struct buf        body;

	(void)state;
	assert_true(VECTORS * NUMBERS > LIMIT_JSON_TOKENS);
	buf_init(&body, LIMIT_UPSTREAM_BODY);
	buf_init(&h.raw, LIMIT_UPSTREAM_BODY);
	assert_true(buf_text(&body, "{\"object\":\"list\",\"model\":\"x\",\"data\":["));
	for (int i = 0; i < VECTORS; i++) {
		assert_true(buf_fmt(&body, "%s{\"index\":%d,\"embedding\":[", i ? "," : "", i));
		for (int k = 0; k < NUMBERS; k++)
			assert_true(buf_text(&body, k ? ",-0.0123456789" : "0.5"));
		assert_true(buf_text(&body, "]}"));
	}
	assert_true(buf_text(&body, "]}"));
	if (embed_decode(&decode, &want, buf_view(&body), &e) != ERR_OK)
		fail_msg("%s", e.text);
	assert_true(h.raw.len > (size_t)VECTORS * NUMBERS / 3 * 16);
	assert_true(h.raw.len < (size_t)VECTORS * (NUMBERS / 3 * 16 + 100));

	/* That list, wanted as numbers: 12 bytes each or more. */
	struct buf base64 = h.raw;
	h = (struct heard){ .tokens = -1 };
	buf_init(&h.raw, LIMIT_UPSTREAM_BODY);
	want.base64 = false;
	want.count = VECTORS;
	buf_clear(&body);
	assert_true(buf_str(&body, buf_view(&base64)));
	assert_int_equal(embed_decode(&decode, &want, buf_view(&body), &e), ERR_OK);
	assert_true(h.raw.len < LIMIT_UPSTREAM_BODY);
	buf_finish(&base64);
	buf_finish(&h.raw);
	buf_finish(&body);
	json_doc_finish(&doc);
}

static void an_answer_that_grows_over_the_limit_is_told(void **state)
{
	enum { VECTORS = 900, NUMBERS = 6144 };
	struct json_doc   doc = { 0 };
	struct heard      h = { .tokens = -1 };
	struct decode     decode = { .doc = &doc, .on_event = on_event, .arg = &h };
	struct embed_want want = { .count = VECTORS, .model = "m" };
	struct err        e = { 0 };
	struct buf        body, piece;

	(void)state;
	buf_init(&body, LIMIT_UPSTREAM_BODY);
	buf_init(&piece, MIB);
	/* A float whose shortest text has 15 bytes: three in 16 characters. */
	for (int k = 0; k < NUMBERS / 3; k++)
		assert_true(buf_text(&piece, "lr+Wk5a/lpOWv5aT"));
	assert_true(buf_text(&body, "{\"object\":\"list\",\"model\":\"x\",\"data\":["));
	for (int i = 0; i < VECTORS; i++)
		assert_true(buf_fmt(&body, "%s{\"index\":%d,\"embedding\":\"", i ? "," : "", i) &&
			    buf_str(&body, buf_view(&piece)) && buf_text(&body, "\"}"));
	assert_true(buf_text(&body, "]}"));
	assert_int_equal(embed_decode(&decode, &want, buf_view(&body), &e),
			 ERR_UPSTREAM_BAD_RESPONSE);
	assert_int_equal(h.events, 0);
	if (!strstr(e.text, "67108864 bytes"))
		fail_msg("%s", e.text);
	buf_finish(&piece);
	buf_finish(&body);
	json_doc_finish(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_exchanges),
		cmocka_unit_test(large_answers),
		cmocka_unit_test(an_answer_that_grows_over_the_limit_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
