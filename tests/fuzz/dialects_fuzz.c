/* libFuzzer: whatever a provider of another dialect than OpenAI's sends, its events keep their order
 * and may stand in JSON, errors are fit to be shown, and clients of Gemini's and Ollama's API get JSON.
 * The first byte chooses the dialect, the second: a stream of lines, a whole answer, or an error. */
#include "base/buf.h"
#include "base/limits.h"
#include "provider/dialect.h"
#include "shape/answer.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect *const dialects[] = {
	/* as '0' to '6' of the corpus choose */
	&dialect_anthropic,         &dialect_ollama, &dialect_openai_responses, &dialect_bedrock,
	&dialect_anthropic_bedrock, &dialect_gemini, &dialect_interactions,
};

static const struct {
	const struct family *family;
	struct encoder *(*create)(const struct encoder_about *about);
} clients[] = {
	{ &family_gemini, gemini_stream_create },
	{ &family_ollama, ollama_stream_create },
	{ &family_ollama, ollama_stream_create_text },
};

struct seen {
	struct encoder *encoders[ARRAY_LEN(clients)];
	struct answer   answer;
	struct buf      out; /* of an encoder */
	uint64_t        seq;
	bool            start;
	bool            finish;
	uint8_t         calls[LIMIT_TOOLS + 1]; /* 0: not begun, 1: open, 2: ended */
};

/* A string of JSON, without its quotes. */
static void check_escaped(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		CHECK((unsigned char)s.p[i] >= 0x20 && s.p[i] != '"');
		if (s.p[i] == '\\')
			CHECK(++i < s.n);
	}
	CHECK(utf8_valid(s.n > 0 ? s.p : "", s.n));
}

static void check_object(struct str s)
{
	struct json_doc d = { 0 };
	struct err      e;

	CHECK(json_scan(&d, s.p, s.n, &json_limits_upstream, &e) == ERR_OK);
	json_doc_finish(&d);
}

/* --- clients --- */

static void clients_begin(struct seen *seen)
{
	static const struct encoder_about about = { .run = { 1, 2 }, .model = { "m", 1 } };

	buf_init(&seen->out, 64 * MIB);
	answer_init(&seen->answer);
	for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
		struct encoder_about own = about;

		own.framing = clients[i].family->framing;
		seen->encoders[i] = clients[i].create(&own);
		CHECK(seen->encoders[i] != NULL);
	}
}

/* check_lines: each line that is not empty is an object, after "data: " or alone. */
static void check_lines(struct buf *out)
{
	struct str rest = buf_view(out);

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct str  line = { rest.p, end ? (size_t)(end - rest.p) : rest.n };

		rest = end ? (struct str){ end + 1, rest.n - line.n - 1 } : STR_NONE;
		if (str_starts(line, STR("data: ")))
			line = (struct str){ line.p + 6, line.n - 6 };
		if (line.n > 0)
			check_object(line);
	}
	buf_clear(out);
}

static void clients_take(struct seen *seen, const struct event *ev)
{
	seen->seq++;
	CHECK(answer_add(&seen->answer, ev));
	for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
		/* It has its limits. */
		(void)!seen->encoders[i]->ops->event(seen->encoders[i], ev, seen->seq, &seen->out);
		check_lines(&seen->out);
	}
}

/* clients_end: of a stream, and of the same answer where it is not streamed. */
static void clients_end(struct seen *seen, const struct err *failed)
{
	struct usage used = { .known = true };

	for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
		struct encoder *n = seen->encoders[i];

		(void)!(failed ? n->ops->error(n, failed, STR("req_1"), seen->seq + 1, &seen->out)
			       : n->ops->done(n, seen->seq + 1, &seen->out));
		check_lines(&seen->out);
		encoder_destroy(n);
	}
	for (size_t i = 0; i < ARRAY_LEN(clients) && seen->finish; i++) {
		struct encoder_about about = { .run = { 1, 2 }, .model = STR("m") };
		struct encoder      *n = clients[i].create(&about);
		struct buf           message;

		CHECK(n != NULL);
		buf_init(&message, 64 * MIB);
		CHECK(answer_close(&seen->answer) && answer_print(&seen->answer, &message));
		(void)!n->ops->whole(n,
				     &(struct encoder_whole){ .message = buf_view(&message),
							      .finish_reason = STR("stop"),
							      .usage = &used },
				     &seen->out);
		check_lines(&seen->out);
		encoder_destroy(n);
		buf_finish(&message);
	}
	answer_finish(&seen->answer);
	buf_finish(&seen->out);
}

static void check_call(struct seen *seen, const struct event *ev)
{
	CHECK(ev->block <= LIMIT_TOOLS);
	uint8_t *call = &seen->calls[ev->block];

	if (ev->kind == EVENT_TOOL_START) {
		CHECK(*call == 0);
		*call = 1;
	} else {
		CHECK(*call == 1);
		*call = ev->kind == EVENT_BLOCK_END ? 2 : 1;
	}
}

static void on_event(void *arg, const struct event *ev)
{
	struct seen *seen = arg;

	CHECK(!seen->finish || ev->kind == EVENT_USAGE); /* which stands behind it */
	if (ev->kind != EVENT_START && ev->kind != EVENT_USAGE && ev->kind != EVENT_FINISH)
		CHECK(seen->start);
	if (ev->kind == EVENT_START) {
		CHECK(!seen->start);
		seen->start = true;
	}
	if (ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS ||
	    ev->kind == EVENT_BLOCK_END)
		check_call(seen, ev);
	if (ev->kind == EVENT_FINISH) {
		CHECK(ev->text.n > 0);
		seen->finish = true;
	}
	if (ev->kind == EVENT_MEDIA ||
	    (ev->kind == EVENT_TOOL_START && str_starts(ev->text, STR("{"))))
		check_object(ev->text);
	else if (ev->kind != EVENT_MESSAGE)
		check_escaped(ev->text);
	check_escaped(ev->id);
	check_escaped(ev->name);
	CHECK(ev->kind != EVENT_END && ev->kind != EVENT_ERROR && ev->choice == 0);
	CHECK(ev->usage.in >= 0 && ev->usage.out >= 0);
	clients_take(seen, ev);
}

static void check_error(const struct err *e)
{
	CHECK(e->code != ERR_OK && e->text[0] != '\0');
	CHECK(memchr(e->text, '\0', sizeof e->text) && utf8_valid(e->text, strlen(e->text)));
	CHECK(memchr(e->path, '\0', sizeof e->path) != NULL);
	CHECK(err_http(e) >= 400 && err_http(e) <= 599);
}

/* take_name: the name of a frame, before the line's first space; other streams have none that matters. */
static struct str take_name(const struct dialect *dialect, struct str *line)
{
	const char *space = memchr(line->p, ' ', line->n);

	if (dialect->framing != &upstream_aws_frames || !space)
		return STR_NONE;

	struct str name = { line->p, (size_t)(space - line->p) };
	*line = (struct str){ space + 1, line->n - name.n - 1 };
	return name;
}

/* Each line is an event, in a copy of its own. */
static enum errc decode_lines(const struct dialect *dialect, struct decode *d, struct str all,
			      struct err *ret)
{
	struct err e;

	for (size_t at = 0; at < all.n;) {
		const char *end = memchr(all.p + at, '\n', all.n - at);
		size_t      len = end ? (size_t)(end - all.p) - at : all.n - at;
		char       *copy = malloc(len + 1);

		CHECK(copy != NULL);
		memcpy(copy, all.p + at, len);

		struct str line = { copy, len };
		struct str name = take_name(dialect, &line);
		enum errc  rc = line.n == 0 ? ERR_OK : dialect->decode_event(d, name, line, &e);
		free(copy);
		if (rc != ERR_OK) {
			check_error(&e);
			*ret = e;
			return rc;
		}
		at += len + 1;
	}
	if (dialect->over)
		dialect->over(d, true);
	return ERR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct seen     seen = { 0 };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &seen };
	struct err      e = { 0 };

	if (size < 3)
		return 0;
	clients_begin(&seen);

	const struct dialect *dialect = dialects[(uint8_t)(data[0] - '0') % ARRAY_LEN(dialects)];
	struct str            text = { (const char *)data + 2, size - 2 };
	if (data[1] % 3 == 0) {
		d.stream = true;
		(void)!decode_lines(dialect, &d, text, &e);
		CHECK(!d.finished || seen.finish);
	} else if (data[1] % 3 == 1) {
		if (dialect->decode_whole(&d, text, &e) != ERR_OK)
			check_error(&e);
		else
			CHECK(seen.finish);
	} else {
		dialect->decode_error(&(struct decode){ .doc = NULL }, 400 + data[1] % 200, text,
				      &e);
		check_error(&e);
	}
	clients_end(&seen, e.code != ERR_OK ? &e : NULL);
	if (dialect->finish)
		dialect->finish(&d);
	json_doc_finish(&doc);
	return 0;
}
