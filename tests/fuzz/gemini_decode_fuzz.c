/* libFuzzer: whatever Gemini sends, events are fit to be printed, and errors to be shown; whatever a
 * client's message or schema is, what leaves is JSON.
 * The first byte chooses: a stream of lines, a whole answer, an error answer, a message, a schema. */
#include "base/buf.h"
#include "base/limits.h"
#include "provider/dialect.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct json_doc doc;
	struct buf      text; /* scratch */
	bool            finished;
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

static void on_event(void *arg, const struct event *ev)
{
	struct seen *s = arg;

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
		/* Both were checked before they come here. */
		if (data[0] % 5 == 3)
			encode_schema(&s, text);
		else if (json_kind(&doc, 0) == JSON_OBJECT)
			encode(&s, text, STR_NONE);
	}
	dialect_gemini.finish(&d);
	json_doc_finish(&doc);
	json_doc_finish(&s.doc);
	buf_finish(&s.text);
	return 0;
}
