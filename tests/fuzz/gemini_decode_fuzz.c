/* libFuzzer: whatever Gemini sends, events are fit to be printed, and errors to be shown; whatever a
 * client's message or schema is, what leaves is JSON.
 * The first byte chooses: a stream of lines, a whole answer, an error answer, a schema, a message; its highest bit: the same
 * in the client's own words, where the last two are its request, and the client gets the provider's objects. */
#include "base/buf.h"
#include "base/limits.h"
#include "provider/dialect.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct json_doc doc;
	struct buf      text; /* scratch */
	bool            finished;
	struct encoder *encoder; /* NULL: the client has another API */
	struct buf      printed;
};

static void check_json(struct seen *s, struct str text)
{
	struct err e;

	CHECK(json_scan(&s->doc, text.p ? text.p : "", text.n, &json_limits_upstream, &e) ==
	      ERR_OK);
}

/* check_escaped: it may stand between quotes. */
static void check_escaped(struct seen *s, struct str escaped)
{
	buf_clear(&s->text);
	CHECK(buf_text(&s->text, "\"") && buf_str(&s->text, escaped) && buf_text(&s->text, "\""));
	check_json(s, buf_view(&s->text));
}

static void check_within(struct str part, struct str whole)
{
	CHECK(part.n == 0 || (part.p > whole.p && part.p + part.n <= whole.p + whole.n));
}

static void on_own(struct seen *s, const struct event *ev)
{
	if (ev->raw.n > 0) {
		check_json(s, ev->raw);
		check_within(ev->raw_id, ev->raw);
		check_within(ev->raw_created, ev->raw);
	}
	if (s->encoder && ev->kind != EVENT_MESSAGE)
		CHECK(s->encoder->ops->event(s->encoder, ev, 1, &s->printed));
}

static void on_event(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	on_own(s, ev);

	CHECK(ev->kind != EVENT_END && ev->kind != EVENT_ERROR && ev->choice == 0);
	CHECK(ev->usage.in >= 0 && ev->usage.out >= 0);
	if (ev->kind == EVENT_MEDIA || ev->kind == EVENT_MESSAGE)
		check_json(s, ev->text);
	else
		check_escaped(s, ev->text);
	check_escaped(s, ev->id);
	check_escaped(s, ev->name);
	CHECK(ev->kind != EVENT_FINISH || !s->finished);
	s->finished = s->finished || ev->kind == EVENT_FINISH;
}

static void check_error(const struct err *e)
{
	CHECK(e->code != ERR_OK && e->text[0] != '\0');
	CHECK(memchr(e->text, '\0', sizeof e->text) && utf8_valid(e->text, strlen(e->text)));
	CHECK(memchr(e->wire, '\0', sizeof e->wire) && memchr(e->path, '\0', sizeof e->path));
	CHECK(err_http(e) >= 400 && err_http(e) <= 599 && e->retry_after_ms >= 0);
}

/* Each line is an event, in a copy of its own. */
static void decode_lines(struct decode *d, const char *p, size_t n)
{
	struct err e;

	for (size_t at = 0; at < n;) {
		const char *end = memchr(p + at, '\n', n - at);
		size_t      len = end ? (size_t)(end - p) - at : n - at;
		char       *copy = malloc(len + 1);

		CHECK(copy != NULL);
		memcpy(copy, p + at, len);
		enum errc rc = len == 0 ? ERR_OK
					: dialect_gemini.decode_event(
						  d, STR_NONE, (struct str){ copy, len }, &e);
		free(copy);
		if (rc != ERR_OK) {
			check_error(&e);
			return;
		}
		at += len + 1;
	}
	dialect_gemini.over(d, true);
}

static void encode(struct seen *s, struct str message, struct str member)
{
	struct prompt           p = { .model = STR("m"),
				      .messages = &message,
				      .message_count = 1,
				      .members = &member,
				      .member_count = member.n > 0 };
	struct provider_options o = { 0 };
	struct buf              out;
	struct err              e = { 0 };

	buf_init(&out, 16 * MIB);
	if (dialect_gemini.encode(&o, &p, &out, &e) == ERR_OK)
		check_json(s, buf_view(&out));
	else
		check_error(&e);
	buf_finish(&out);
}

static void encode_schema(struct seen *s, struct str schema)
{
	struct buf tools;

	buf_init(&tools, 16 * MIB);
	CHECK(buf_text(&tools, "\"tools\":[{\"function\":{\"name\":\"f\",\"parameters\":") &&
	      buf_str(&tools, schema) && buf_text(&tools, "}}]"));
	encode(s, STR("{\"role\":\"user\",\"content\":\"a\"}"), buf_view(&tools));
	buf_finish(&tools);
}

/* encode_own: the request as its client sent it, with what a model's entry may say. */
static void encode_own(struct seen *s, const struct json_doc *doc, bool bare)
{
	static const struct str    members[] = { { "\"temperature\":0.5", 17 },
						 { "\"stop\":[\"x\"]", 12 } };
	const struct prompt_native native = { .takes = PROVIDER_GEMINI, .doc = doc, .count = bare };
	struct prompt              p = { .model = STR("m"),
					 .members = members,
					 .member_count = bare ? 0 : 2,
					 .max_tokens = bare ? STR_NONE : STR("7"),
					 .instruction = bare ? STR_NONE : STR("be"),
					 .native = &native,
					 .unsampled = bare,
					 .bare = bare };
	struct provider_options    o = { 0 };
	struct buf                 out;
	struct err                 e = { 0 };

	buf_init(&out, 16 * MIB);
	if (dialect_gemini.encode(&o, &p, &out, &e) == ERR_OK)
		check_json(s, buf_view(&out));
	else
		check_error(&e);
	buf_finish(&out);
}

static void own_begin(struct seen *s, struct decode *d, bool stream)
{
	d->native = true;
	d->stream = stream;
	s->encoder = gemini_stream_create(
		&(struct encoder_about){ .model = STR("m"),
					 .run = { 1, 2 },
					 .conversation = { 3, 4 },
					 .framing = family_gemini_array.framing });
	CHECK(s->encoder != NULL);
	buf_init(&s->printed, 64 * MIB);
}

/* own_end: the client has got an array of objects, whether the answer is whole or not. */
static void own_end(struct seen *s, bool stream)
{
	struct err e = { 0 };

	err_set(&e, ERR_STREAM_INCOMPLETE, "", "it broke off");
	if (stream && s->finished)
		CHECK(s->encoder->ops->done(s->encoder, 2, &s->printed));
	else if (stream)
		CHECK(s->encoder->ops->error(s->encoder, &e, STR_NONE, 2, &s->printed));
	if (stream)
		check_json(s, buf_view(&s->printed));
	encoder_destroy(s->encoder);
	buf_finish(&s->printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct seen     s = { 0 };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &s };
	struct err      e = { 0 };

	if (size < 2)
		return 0;
	buf_init(&s.text, 16 * MIB);

	struct str text = { (const char *)data + 1, size - 1 };
	bool       own = data[0] & 0x80;
	bool       stream = data[0] % 5 == 0;
	if (own && data[0] % 5 < 2)
		own_begin(&s, &d, stream);
	if (data[0] % 5 == 0) {
		decode_lines(&d, text.p, text.n);
	} else if (data[0] % 5 == 1) {
		if (dialect_gemini.decode_whole(&d, text, &e) != ERR_OK)
			check_error(&e);
	} else if (data[0] % 5 == 2) {
		dialect_gemini.decode_error(&(struct decode){ .doc = NULL }, 400 + data[0] % 200,
					    text, &e);
		check_error(&e);
	} else if (json_scan(&doc, text.p, text.n, &json_limits_request, &e) == ERR_OK) {
		/* All were checked before they come here. */
		bool some = json_kind(&doc, 0) == JSON_OBJECT && doc.tok[0].count > 0;

		if (own && some)
			encode_own(&s, &doc, data[0] % 5 == 4);
		else if (!own && data[0] % 5 == 3)
			encode_schema(&s, text);
		else if (!own && json_kind(&doc, 0) == JSON_OBJECT)
			encode(&s, text, STR_NONE);
	}
	if (s.encoder)
		own_end(&s, stream);
	dialect_gemini.finish(&d);
	json_doc_finish(&doc);
	json_doc_finish(&s.doc);
	buf_finish(&s.text);
	return 0;
}
