/* Every dialect against its recorded exchanges: requests as they leave, and answers as events.
 *
 * tests/fixtures/dialects/NAME.json is an array of cases, each of one of these forms:
 *
 *   ask (an OpenAI request), body (what leaves), place (behind base_url, which is a host's or, with v1,
 *     ends so), warnings (their codes);
 *     refused instead of body: the path of the culprit; says: the message that tells it
 *   stream (its lines), events
 *   answer (a whole one), events
 *   status, answer (an error's body), events (one: what it became)
 *
 * native beside events is the finish's own word.
 *
 * A stream is fed whole, byte by byte, and cut in two at each place: what comes out is the same. */
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "provider/dialect.h"
#include "upstream/sse.h"
#include "tests/unit/event_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* One row for each dialect that has recorded exchanges. */
/* clang-format off */
static const struct {
	const struct dialect *dialect;
	size_t                least; /* cases that the file has at least, so that none get lost */
} rows[] = {
	{ &dialect_azure, 8 },
	{ &dialect_anthropic, 20 },
	{ &dialect_gemini, 90 },
	{ &dialect_interactions, 100 },
	{ &dialect_mistral, 40 },
	{ &dialect_ollama, 30 },
	{ &dialect_openai_responses, 40 },
};
/* clang-format on */

struct suite {
	const struct dialect *d;
	struct buf            text;
	struct json_doc       doc;       /* of the fixture */
	char                  name[160]; /* of the case */
};

/* --- events as text --- */

static char native[64]; /* of the last finish */

/* put_details: what only the price needs, where there is any. */
static bool put_details(struct buf *out, const struct usage *u)
{
	const struct {
		const char *name;
		int64_t     n;
	} parts[] = { { "hour", u->cached_hour }, { "heard", u->audio_in },
		      { "said", u->audio_out },   { "drawn", u->image_out },
		      { "pictures", u->images },  { "bill", u->billed ? u->bill : 0 } };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].n > 0 &&
		    !buf_fmt(out, " %s %lld", parts[i].name, (long long)parts[i].n))
			return false;
	return u->class == CLASS_UNTOLD ||
	       buf_fmt(out, " class %s", usage_class_word((enum usage_class)u->class));
}

static void add_event(void *arg, const struct event *ev)
{
	struct buf         *out = arg;
	const struct usage *u = &ev->usage;
	bool                ok = buf_fmt(out, "%s", event_name(ev->kind));

	switch (ev->kind) {
	case EVENT_START:
		ok = ok && buf_fmt(out, " %.*s %.*s", STR_ARG(ev->id), STR_ARG(ev->text));
		break;
	case EVENT_TOOL_START:
		ok = ok &&
		     buf_fmt(out, " %u %.*s %.*s", ev->block, STR_ARG(ev->id), STR_ARG(ev->name));
		if (ev->text.n > 0)
			ok = ok && buf_fmt(out, " signed %.*s", STR_ARG(ev->text));
		break;
	case EVENT_TOOL_ARGS:
		ok = ok && buf_fmt(out, " %u %.*s", ev->block, STR_ARG(ev->text));
		break;
	case EVENT_BLOCK_END: ok = ok && buf_fmt(out, " %u", ev->block); break;
	case EVENT_USAGE:
		assert_true(u->known && !u->estimated);
		ok = ok &&
		     buf_fmt(out, " in %lld out %lld read %lld write %lld reasoning %lld",
			     (long long)u->in, (long long)u->out, (long long)u->cached_read,
			     (long long)u->cached_write, (long long)u->reasoning) &&
		     put_details(out, u);
		break;
	case EVENT_FINISH:
		str_copy(native, sizeof native, ev->name);
		ok = ok && buf_fmt(out, " %.*s", STR_ARG(ev->text));
		break;
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
	case EVENT_LMC: ok = ok && buf_fmt(out, " %.*s", STR_ARG(ev->text)); break;
	case EVENT_OTHER:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED: break;
	case EVENT_ASKED:
	case EVENT_ERROR:
	case EVENT__COUNT: fail_msg("a dialect gives no such event");
	}
	assert_true(ok && buf_text(out, "\n"));
}

static void add_error(struct buf *out, const struct err *e)
{
	assert_true(buf_fmt(out, "error %d %s %s%s%s", err_http(e), err_wire(e), e->text,
			    e->path[0] ? " at " : "", e->path));
	if (e->retry_after_ms != 0)
		assert_true(buf_fmt(out, " wait %lld", (long long)e->retry_after_ms));
	assert_true(buf_text(out, "\n"));
}

/* --- cases --- */

static json_at get(const struct suite *s, json_at c, const char *key)
{
	return json_get(&s->doc, c, key);
}

/* lines_of: an array of strings, each with a line's end behind it. */
static void lines_of(const struct suite *s, json_at list, struct buf *out)
{
	assert_int_equal(json_kind(&s->doc, list), JSON_ARRAY);
	JSON_EACH (i, &s->doc, list) {
		assert_int_equal(json_kind(&s->doc, i), JSON_STRING);
		assert_true(json_unescape(json_inner(&s->doc, i), out) && buf_text(out, "\n"));
	}
}

static void check_same(const struct suite *s, const char *how, struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("%s, %s\n--- got\n%.*s\n--- want\n%.*s", s->name, how, STR_ARG(got),
			 STR_ARG(want));
}

static void compact(struct str text, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;

	if (json_scan(&d, text.p, text.n, &json_limits_upstream, &e) != ERR_OK)
		fail_msg("no JSON: %s\n%.*s", e.text, STR_ARG(text));
	assert_true(json_print(&d, 0, out));
	json_doc_finish(&d);
}

/* --- requests --- */

struct asked {
	struct prompt p;
	struct str    messages[64];
	struct str    members[64];
	struct buf    model;
};

static void read_ask(const struct suite *s, json_at ask, struct asked *ret)
{
	const struct json_doc *d = &s->doc;
	struct prompt         *p = &ret->p;

	*ret = (struct asked){ .p = { .messages = ret->messages, .members = ret->members } };
	buf_init(&ret->model, KIB);
	JSON_EACH_MEMBER (k, d, ask) {
		json_at v = json_value(k);

		assert_true(p->message_count < 60 && p->member_count < 60);
		if (json_is(d, k, "model")) {
			assert_true(json_unescape(json_inner(d, v), &ret->model));
		} else if (json_is(d, k, "stream")) {
			p->stream = json_kind(d, v) == JSON_TRUE;
		} else if (json_is(d, k, "max_tokens")) {
			p->max_tokens = json_raw(d, v);
		} else if (json_is(d, k, "messages")) {
			JSON_EACH (i, d, v)
				ret->messages[p->message_count++] = json_raw(d, i);
		} else {
			ret->members[p->member_count++] = json_member(d, k);
		}
	}
	p->model = buf_view(&ret->model);
}

static void check_warnings(const struct suite *s, json_at c, const struct warnings *w)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      list, got, want;
	json_at         codes = get(s, c, "warnings");

	buf_init(&list, MIB);
	buf_init(&got, MIB);
	buf_init(&want, MIB);
	assert_true(warnings_print(w, &list));
	assert_int_equal(json_scan(&d, list.data, list.len, &json_limits_upstream, &e), ERR_OK);
	JSON_EACH (i, &d, 0)
		assert_true(buf_str(&got, json_inner(&d, json_get(&d, i, "code"))) &&
			    buf_text(&got, "\n"));
	if (codes != JSON_ABSENT)
		lines_of(s, codes, &want);
	check_same(s, "warnings", buf_view(&got), buf_view(&want));
	json_doc_finish(&d);
	buf_finish(&list);
	buf_finish(&got);
	buf_finish(&want);
}

static void check_body(const struct suite *s, json_at c, const struct buf *body)
{
	struct buf got, want;

	buf_init(&got, MIB);
	buf_init(&want, MIB);
	compact(buf_view(body), &got);
	compact(json_raw(&s->doc, get(s, c, "body")), &want);
	check_same(s, "body", buf_view(&got), buf_view(&want));
	buf_finish(&got);
	buf_finish(&want);
}

static void check_place(const struct suite *s, json_at c, const struct provider_options *o,
			const struct prompt *p)
{
	struct buf got;
	json_at    place = get(s, c, "place");

	buf_init(&got, KIB);
	if (s->d->place)
		assert_true(s->d->place(o, p, &got));
	if (place != JSON_ABSENT)
		check_same(s, "place", buf_view(&got), json_inner(&s->doc, place));
	else
		assert_null(s->d->place);
	buf_finish(&got);
}

static void check_ask(const struct suite *s, json_at c)
{
	struct provider_options o = {
		.name = "test",
		.stream_usage = true,
		.base_url = get(s, c, "v1") != JSON_ABSENT ? "https://host.example/openai/v1"
							   : "https://host.example",
	};
	struct asked    a;
	struct warnings w;
	struct buf      body;
	struct err      e = { 0 };
	json_at         refused = get(s, c, "refused");
	json_at         says = get(s, c, "says");

	read_ask(s, get(s, c, "ask"), &a);
	warnings_init(&w);
	a.p.warnings = &w;
	buf_init(&body, MIB);
	enum errc rc = s->d->encode(&o, &a.p, &body, &e);
	if (refused != JSON_ABSENT) {
		assert_int_not_equal(rc, ERR_OK);
		assert_int_equal(err_http(&e), 400);
		check_same(s, "refused", str_of(e.path), json_inner(&s->doc, refused));
		if (says != JSON_ABSENT)
			check_same(s, "says", str_of(e.text), json_inner(&s->doc, says));
	} else {
		if (rc != ERR_OK)
			fail_msg("%s: %s at %s", s->name, e.text, e.path);
		check_body(s, c, &body);
		check_place(s, c, &o, &a.p);
		check_warnings(s, c, &w);
	}
	buf_finish(&body);
	buf_finish(&a.model);
	warnings_finish(&w);
}

/* --- answers --- */

struct feed {
	const struct dialect *d;
	struct decode         decode;
	struct json_doc       doc;
	union framing_state   framing;
	struct buf            out;
};

static void feed_init(struct feed *f, const struct dialect *d, bool stream)
{
	*f = (struct feed){ .d = d };
	buf_init(&f->out, 4 * MIB);
	f->d->framing->init(&f->framing);
	f->decode = (struct decode){
		.doc = &f->doc, .stream = stream, .on_event = add_event, .arg = &f->out
	};
}

static void feed_finish(struct feed *f)
{
	if (f->d->finish)
		f->d->finish(&f->decode);
	f->d->framing->finish(&f->framing);
	json_doc_finish(&f->doc);
	buf_finish(&f->out);
}

static enum errc on_framed(void *arg, struct str name, struct str data, struct err *e)
{
	struct feed *f = arg;
	/* In memory of its own, so that a read beyond its end is seen. */
	char *own = malloc(data.n + 1);

	assert_non_null(own);
	memcpy(own, data.p, data.n);
	char     *fit = realloc(own, data.n);
	enum errc rc =
		f->d->decode_event(&f->decode, name, (struct str){ fit ? fit : own, data.n }, e);
	free(fit ? fit : own);
	return rc;
}

static enum errc feed_piece(struct feed *f, const char *p, size_t n, struct err *e)
{
	return f->d->framing->feed(&f->framing, p, n, on_framed, f, e);
}

/* As provider/remote judges a stream. */
static void feed_end(struct feed *f, enum errc rc, struct err *e)
{
	if (rc == ERR_OK && !f->decode.done_mark)
		rc = f->d->framing->end(&f->framing, on_framed, f, e);
	if (rc == ERR_OK && f->d->over)
		f->d->over(&f->decode, true);
	if (rc != ERR_OK)
		add_error(&f->out, e);
	else if (f->decode.finished)
		assert_true(buf_text(&f->out, "end\n"));
	else
		assert_true(buf_text(&f->out, f->decode.started ? "incomplete\n" : "empty\n"));
}

/* In two pieces, or (cut 0) byte by byte. */
static void check_stream_cut(const struct suite *s, struct str text, size_t cut, struct str want)
{
	struct feed f;
	struct err  e = { 0 };
	enum errc   rc = ERR_OK;
	char        how[64];

	feed_init(&f, s->d, true);
	for (size_t at = 0; rc == ERR_OK && at < text.n;) {
		size_t n = cut == 0 ? 1 : at == 0 ? cut : text.n - at;

		rc = feed_piece(&f, text.p + at, n, &e);
		at += n;
	}
	feed_end(&f, rc, &e);
	snprintf(how, sizeof how, "stream cut at %zu of %zu", cut, text.n);
	check_same(s, how, buf_view(&f.out), want);
	feed_finish(&f);
}

static void check_stream(const struct suite *s, json_at c)
{
	struct buf text, want;

	buf_init(&text, MIB);
	buf_init(&want, MIB);
	lines_of(s, get(s, c, "stream"), &text);
	lines_of(s, get(s, c, "events"), &want);
	/* Where each place is refused memory in a run of its own, a few cuts are enough of each. */
	size_t step = getenv("PARLEY_REFUSE_UNIT") ? text.len / 2 + 1 : 1;
	for (size_t cut = 0; cut <= text.len; cut += step)
		check_stream_cut(s, buf_view(&text), cut, buf_view(&want));
	buf_finish(&text);
	buf_finish(&want);
}

static struct str answer_of(const struct suite *s, json_at c)
{
	json_at at = get(s, c, "answer");

	assert_true(at != JSON_ABSENT);
	/* A string stands for a body that is no JSON. */
	return json_kind(&s->doc, at) == JSON_STRING ? json_inner(&s->doc, at)
						     : json_raw(&s->doc, at);
}

static void check_answer(const struct suite *s, json_at c)
{
	json_at     status = get(s, c, "status");
	struct feed f;
	struct err  e = { 0 };
	struct buf  want;
	int64_t     n = 0;

	buf_init(&want, MIB);
	feed_init(&f, s->d, false);
	lines_of(s, get(s, c, "events"), &want);
	if (status != JSON_ABSENT) {
		assert_true(json_int(&s->doc, status, &n));
		s->d->decode_error(&(struct decode){ .doc = NULL }, (int)n, answer_of(s, c), &e);
		add_error(&f.out, &e);
	} else if (s->d->decode_whole(&f.decode, answer_of(s, c), &e) != ERR_OK) {
		add_error(&f.out, &e);
	} else {
		assert_true(f.decode.finished && buf_text(&f.out, "end\n"));
	}
	check_same(s, "answer", buf_view(&f.out), buf_view(&want));
	feed_finish(&f);
	buf_finish(&want);
}

static void check_case(struct suite *s, json_at c)
{
	json_at name = get(s, c, "name");

	assert_true(name != JSON_ABSENT);
	native[0] = '\0';
	snprintf(s->name, sizeof s->name, "%s: %.*s", s->d->name,
		 STR_ARG(json_inner(&s->doc, name)));
	if (get(s, c, "ask") != JSON_ABSENT)
		check_ask(s, c);
	else if (get(s, c, "stream") != JSON_ABSENT)
		check_stream(s, c);
	else
		check_answer(s, c);
	json_at word = get(s, c, "native");
	if (word != JSON_ABSENT)
		check_same(s, "native", str_of(native), json_inner(&s->doc, word));
}

static void read_file(const char *path, struct buf *out)
{
	char  piece[4096];
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("can't open %s", path);
	for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
		assert_true(buf_add(out, piece, n));
	fclose(f);
}

static void recorded_exchanges_of_every_dialect(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct suite s = { .d = rows[i].dialect };
		struct err   e;
		char         path[512];
		size_t       n = 0;

		snprintf(path, sizeof path, FIXTURES "/dialects/%s.json", s.d->name);
		buf_init(&s.text, 16 * MIB);
		read_file(path, &s.text);
		if (json_scan(&s.doc, s.text.data, s.text.len, &json_limits_request, &e) != ERR_OK)
			fail_msg("%s: %s", path, e.text);
		for (json_at c = json_first(&s.doc, 0); c != json_end(&s.doc, 0);
		     c = json_next(&s.doc, c), n++)
			check_case(&s, c);
		assert_true(n >= rows[i].least);
		json_doc_finish(&s.doc);
		buf_finish(&s.text);
	}
}

/* A client may choose the name of a model where the configuration has a star. */
static void no_name_of_a_model_leaves_its_segment_of_the_path(void **state)
{
	static const struct {
		const char *name, *segment; /* segment NULL: there is none */
	} names[] = {
		{ ".", NULL },
		{ "..", NULL },
		{ "", NULL },
		{ "...", "..." },
		{ "%2e%2e", "%252e%252e" },
		{ "a/../../b", "a%2F..%2F..%2Fb" },
		{ "..\\x", "..%5Cx" },
		{ "m?a#b;c", "m%3Fa%23b%3Bc" },
	};
	struct provider_options o = { .name = "test", .base_url = "http://a.example" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct dialect *d = rows[i].dialect;
		bool (*places[])(const struct provider_options *, const struct prompt *,
				 struct buf *) = { d->place, d->embed ? d->embed->place : NULL,
						   d->text ? d->text->place : NULL };
		for (size_t n = 0; n < ARRAY_LEN(places) * ARRAY_LEN(names); n++) {
			const char   *want = names[n % ARRAY_LEN(names)].segment;
			struct prompt p = { .model = str_of(names[n % ARRAY_LEN(names)].name) };
			struct buf    got;

			if (!places[n / ARRAY_LEN(names)])
				continue;
			buf_init(&got, KIB);
			if (places[n / ARRAY_LEN(names)](&o, &p, &got) != (want != NULL))
				fail_msg("%s: '%.*s'", d->name, STR_ARG(p.model));
			if (want && !memmem(got.data, got.len, want, strlen(want)))
				fail_msg("%s: %.*s", d->name, STR_ARG(buf_view(&got)));
			buf_finish(&got);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_exchanges_of_every_dialect),
		cmocka_unit_test(no_name_of_a_model_leaves_its_segment_of_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
