/* What the tests of streams in LMC's shape share: blocks, a stream that is fed, and what came out of it. */
#pragma once

#include "shape/encoders.h"
#include "tests/unit/lmc_spooled.h"

/* clang-format off */
#define TEXT(s)        { .kind = EVENT_TEXT, .text = { s, sizeof s - 1 } }
#define REFUSAL(s)     { .kind = EVENT_REFUSAL, .text = { s, sizeof s - 1 } }
#define REASONING(s)   { .kind = EVENT_REASONING, .text = { s, sizeof s - 1 } }
#define MEDIA          { .kind = EVENT_MEDIA, .text = { "{}", 2 } }
#define PICTURE(s)     { .kind = EVENT_MEDIA, .text = { s, sizeof s - 1 } }
#define CALL(n, name_) { .kind = EVENT_TOOL_START, .block = n, .name = { name_, sizeof name_ - 1 } }
#define ARGS(n, s)     { .kind = EVENT_TOOL_ARGS, .block = n, .text = { s, sizeof s - 1 } }
#define FINISH(s)      { .kind = EVENT_FINISH, .text = { s, sizeof s - 1 } }
#define CHUNK(s)       { .kind = EVENT_LMC, .from_lmc = true, .text = { s, sizeof s - 1 } }
#define TOLD(s)        { .kind = EVENT_TEXT, .from_lmc = true, .text = { s, sizeof s - 1 } }
#define OTHER_CHOICE(k, s) { .kind = k, .choice = 1, .text = { s, sizeof s - 1 } }
/* clang-format on */

/* Blocks, by their id. */
#define BLOCK(id, json) "id: " id "\ndata: " json "\n\n"
#define LAST(id, name, more)                                                           \
	"id: " id "\nevent: " name "\ndata: {\"role\":\"server\",\"type\":\"status\"," \
	"\"content\":\"complete\"" more "}\n\n"
#define DONE(id)          LAST(id, "done", "")
#define M                 "{\"role\":\"assistant\",\"type\":\"message\""
#define I(kind)           "{\"role\":\"assistant\",\"type\":\"image\",\"format\":\"base64." kind "\""
#define C(format)         "{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"" format "\""
#define T(format)         "{\"role\":\"assistant\",\"type\":\"tool_call\",\"format\":\"" format "\""
#define START(id, head)   BLOCK(id, head ",\"start\":true}")
#define SAYS(id, head, s) BLOCK(id, head ",\"content\":\"" s "\"}")
#define ENDS(id, head)    BLOCK(id, head ",\"end\":true}")
#define CONFIRM(id, format, code)                                                                \
	BLOCK(id, "{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":\"execution\","   \
		  "\"content\":{\"type\":\"code\",\"format\":\"" format "\",\"content\":\"" code \
		  "\"}}")
#define FAILED(id)                                                                                 \
	BLOCK(id, "{\"role\":\"server\",\"type\":\"error\",\"content\":{\"message\":\"it broke\"," \
		  "\"type\":\"upstream_error\",\"param\":null,\"code\":\"upstream_error\","        \
		  "\"request_id\":\"req_1\"}}")

/* What a provider that speaks LMC sends. */
#define CONSOLE "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\""

enum { EVENTS = 10 };

struct stream {
	struct encoder *n;
	struct warnings warnings;
	struct buf      out;
	uint64_t        seq;
};

static inline void stream_begin(struct stream *s, bool fences, size_t max)
{
	s->seq = 0;
	warnings_init(&s->warnings);
	buf_init(&s->out, max);
	s->n = lmc_stream_create(&(struct encoder_about){
		.fences = fences,
		.run = { 1, 2 },
		.conversation = { 1, 3 },
		.warnings = &s->warnings,
	});
	assert_non_null(s->n);
}

static inline void stream_finish(struct stream *s)
{
	encoder_destroy(s->n);
	warnings_finish(&s->warnings);
	buf_finish(&s->out);
}

static inline bool give(struct stream *s, const struct event *ev)
{
	return s->n->ops->event(s->n, ev, ++s->seq, &s->out);
}

static inline bool give_done(struct stream *s)
{
	return s->n->ops->done(s->n, ++s->seq, &s->out);
}

static inline bool give_error(struct stream *s)
{
	struct err e;

	err_set(&e, ERR_UPSTREAM_ERROR, "", "it broke");
	return s->n->ops->error(s->n, &e, STR("req_1"), ++s->seq, &s->out);
}

/* --- reading what came out --- */

/* One message put together, and what may come next. */
struct seen {
	struct buf text;    /* of all: heads, contents, ends, and what is to be confirmed */
	struct buf head;    /* of the open segment; empty: none */
	struct buf content; /* of it, decoded */
	struct buf scratch;
	size_t     codes;
	size_t     confirmations;
	size_t     last; /* blocks that end the stream */
};

static inline void see_head(struct seen *v, const struct json_doc *d)
{
	head_of(d, 0, &v->scratch);
}

static inline void see_segment(struct seen *v, const struct json_doc *d)
{
	json_at content = json_get(d, 0, "content");
	bool    starts = json_get(d, 0, "start") != JSON_ABSENT;
	bool    ends = json_get(d, 0, "end") != JSON_ABSENT;

	/* K6: one of the three, in a segment that is open. */
	assert_int_equal(starts + ends + (content != JSON_ABSENT), 1);
	see_head(v, d);
	if (starts) {
		assert_int_equal(v->head.len, 0);
		assert_true(buf_str(&v->head, buf_view(&v->scratch)));
		buf_clear(&v->content);
		return;
	}
	assert_true(str_eq(buf_view(&v->head), buf_view(&v->scratch)));
	if (content != JSON_ABSENT) {
		assert_true(json_inner(d, content).n > 0);
		assert_true(text_add(&v->content, json_inner(d, content)));
		return;
	}
	v->codes += memmem(v->head.data, v->head.len, "\"code\"", 6) != NULL;
	assert_true(buf_str(&v->text, buf_view(&v->head)) && buf_text(&v->text, "<") &&
		    buf_str(&v->text, buf_view(&v->content)) && buf_text(&v->text, ">\n"));
	buf_clear(&v->head);
}

static inline void see_confirmation(struct seen *v, const struct json_doc *d)
{
	json_at content = json_get(d, 0, "content");

	/* Behind the code, and with all of it. */
	assert_int_equal(v->head.len, 0);
	buf_clear(&v->scratch);
	assert_true(text_add(&v->scratch, json_inner(d, json_get(d, content, "content"))));
	assert_true(str_eq(buf_view(&v->scratch), buf_view(&v->content)));
	assert_int_equal(++v->confirmations, v->codes);
}

static inline void see_data(struct seen *v, struct str data)
{
	struct json_doc d = { 0 };

	scan(&d, data);
	assert_int_equal(v->last, 0);
	if (json_is(&d, json_get(&d, 0, "role"), "server")) {
		assert_int_equal(v->head.len, 0);
		v->last += json_is(&d, json_get(&d, 0, "type"), "status");
	} else if (json_is(&d, json_get(&d, 0, "type"), "confirmation")) {
		see_confirmation(v, &d);
	} else {
		see_segment(v, &d);
	}
	json_doc_finish(&d);
}

static inline struct str line_of(struct str *rest)
{
	const char *end = memchr(rest->p, '\n', rest->n);

	assert_non_null(end);
	struct str line = { rest->p, (size_t)(end - rest->p) };
	rest->p += line.n + 1;
	rest->n -= line.n + 1;
	return line;
}

static inline void see(struct seen *v, struct str out)
{
	struct buf *bufs[] = { &v->text, &v->head, &v->content, &v->scratch };

	*v = (struct seen){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_init(bufs[i], 64 * MIB);
	while (out.n > 0) {
		assert_true(str_starts(line_of(&out), STR("id: ")));
		struct str line = line_of(&out);
		if (str_starts(line, STR("event: ")))
			line = line_of(&out);
		assert_true(str_starts(line, STR("data: ")));
		see_data(v, (struct str){ line.p + 6, line.n - 6 });
		assert_int_equal(line_of(&out).n, 0);
	}
}

static inline void seen_finish(struct seen *v)
{
	struct buf *bufs[] = { &v->text, &v->head, &v->content, &v->scratch };

	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_finish(bufs[i]);
}
