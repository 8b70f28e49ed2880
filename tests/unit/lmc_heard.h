/* What the decoder of LMC says, as text, and held against LMC's grammar.
 *
 * What is said in LMC: +HEAD a start, =(CONTENT), -HEAD an end, ~(LINE) an active line,
 * !(CONTENT) a confirmation; a head is role/type/format@recipient,other.  The rest: KIND(…). */
#pragma once

#include "lmc/lmc_gather.h"
#include "lmc/text.h"
#include "tests/unit/dialect_help.h"

#define M_ON  "+assistant/message "
#define M_OFF "-assistant/message "

enum { HEARD_CALLS = 8 };

struct heard {
	struct decoding in;
	struct json_doc chunk;                 /* of LMC, at hand */
	char            open[256];             /* the head of the open segment, or "" */
	struct gather  *gather;                /* of all LMC chunks; NULL: not wanted */
	struct buf      text;                  /* what the assistant says, decoded */
	struct buf      calls[HEARD_CALLS][2]; /* names and arguments, decoded */
	uint32_t        call_count;
};

static inline struct str member(const struct heard *t, const char *key)
{
	json_at at = json_get_some(&t->chunk, 0, key);

	return at == JSON_ABSENT ? STR_NONE : json_raw(&t->chunk, at);
}

static inline bool has(const struct heard *t, const char *key)
{
	return json_get(&t->chunk, 0, key) != JSON_ABSENT;
}

/* bare: a member without its quotes. */
static inline struct str bare(const struct heard *t, const char *key)
{
	struct str raw = member(t, key);

	return raw.n >= 2 && raw.p[0] == '"' ? (struct str){ raw.p + 1, raw.n - 2 } : raw;
}

static inline void head_of(const struct heard *t, char *ret, size_t size)
{
	struct str role = bare(t, "role"), type = bare(t, "type");
	struct str format = bare(t, "format"), to = bare(t, "recipient");
	int        n = snprintf(ret, size, "%.*s/%.*s", STR_ARG(role), STR_ARG(type));

	if (format.n > 0)
		n += snprintf(ret + n, size - (size_t)n, "/%.*s", STR_ARG(format));
	if (to.n > 0)
		snprintf(ret + n, size - (size_t)n, "@%.*s", STR_ARG(to));
	assert_true(role.n > 0 && type.n > 0 && !str_is(role, "server"));
}

/* put_flag: a segment starts when none is open, and ends when one is. */
static inline void put_flag(struct heard *t, const char *head, bool start)
{
	struct str other = member(t, "id");

	assert_true(str_is(member(t, start ? "start" : "end"), "true"));
	assert_true(start ? !t->open[0] : t->open[0]);
	assert_true(buf_fmt(&t->in.out, "%s%s%s%.*s ", start ? "+" : "-", head,
			    other.n > 0 ? "," : "", STR_ARG(other)));
	memcpy(t->open, start ? head : "", start ? strlen(head) + 1 : 1);
}

/* put_content: a confirmation stands between segments; other content has the role and the type of
 * the open one. */
static inline void put_content(struct heard *t, const char *head)
{
	struct str  role = bare(t, "role"), type = bare(t, "type"), content = member(t, "content");
	char        kind[256];
	const char *sign = strstr(head, "console/active_line") ? "~" : "=";

	if (strstr(head, "/confirmation")) {
		assert_false(t->open[0]);
		sign = "!";
	} else {
		snprintf(kind, sizeof kind, "%.*s/%.*s", STR_ARG(role), STR_ARG(type));
		assert_int_equal(strncmp(t->open, kind, strlen(kind)), 0);
	}
	if (content.n == 0)
		content = STR("null");
	assert_true(buf_fmt(&t->in.out, "%s(", sign) && buf_str(&t->in.out, content) &&
		    buf_text(&t->in.out, member(t, "id").n > 0 ? ",id) " : ") "));
}

static inline void put_lmc(struct heard *t, struct str chunk)
{
	struct err e;
	char       head[256];

	assert_true(!memchr(chunk.p, '\n', chunk.n) && !memchr(chunk.p, '\r', chunk.n));
	assert_int_equal(json_scan(&t->chunk, chunk.p, chunk.n, &json_limits_upstream, &e), ERR_OK);
	assert_int_equal(json_kind(&t->chunk, 0), JSON_OBJECT);
	head_of(t, head, sizeof head);
	if (has(t, "start") + has(t, "end") + has(t, "content") != 1)
		fail_msg("not one of start, content and end: %.*s", STR_ARG(chunk));
	if (t->gather)
		assert_int_equal(gather_chunk(t->gather, &t->chunk, 0, "chunk", 0, &e), ERR_OK);
	if (has(t, "content"))
		put_content(t, head);
	else
		put_flag(t, head, has(t, "start"));
}

/* put_call: without the random part of its id. */
static inline void put_call(struct heard *t, const struct event *ev)
{
	const char *tail = memrchr(ev->id.p, '_', ev->id.n);

	assert_true(tail && (size_t)(ev->id.p + ev->id.n - tail) == 17);
	assert_true(buf_fmt(&t->in.out, "TOOL%u(%.*s,%.*s) ", ev->block, (int)(tail - ev->id.p),
			    ev->id.p, STR_ARG(ev->name)));
	assert_int_equal(ev->block, t->call_count);
	if (ev->block < HEARD_CALLS)
		assert_true(text_add(&t->calls[ev->block][0], ev->name));
	t->call_count++;
}

static inline void put_args(struct heard *t, const struct event *ev)
{
	assert_true(ev->block + 1 == t->call_count && ev->text.n > 0);
	assert_true(buf_fmt(&t->in.out, "ARGS%u(%.*s) ", ev->block, STR_ARG(ev->text)));
	if (ev->block < HEARD_CALLS)
		assert_true(text_add(&t->calls[ev->block][1], ev->text));
}

static inline void put_other(struct heard *t, const struct event *ev)
{
	const char *kind = ev->kind == EVENT_START    ? "START"
			   : ev->kind == EVENT_TEXT   ? "TEXT"
			   : ev->kind == EVENT_FINISH ? "FINISH"
						      : "MESSAGE";

	assert_true(buf_fmt(&t->in.out, "%s(%.*s) ", kind, STR_ARG(ev->text)));
	if (ev->kind == EVENT_TEXT)
		assert_true(ev->text.n > 0 && text_add(&t->text, ev->text));
}

static inline void on_heard(void *arg, const struct event *ev)
{
	struct heard *t = arg;
	bool          lmc = ev->kind == EVENT_LMC || ev->kind == EVENT_TEXT ||
		   ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS ||
		   ev->kind == EVENT_MESSAGE;

	assert_int_equal(ev->from_lmc, lmc);
	if (ev->kind == EVENT_LMC)
		put_lmc(t, ev->text);
	else if (ev->kind == EVENT_TOOL_START)
		put_call(t, ev);
	else if (ev->kind == EVENT_TOOL_ARGS)
		put_args(t, ev);
	else if (ev->kind == EVENT_USAGE)
		assert_true(buf_fmt(&t->in.out, "USAGE(%d,%d) ", (int)ev->usage.in,
				    (int)ev->usage.out));
	else
		put_other(t, ev);
}

static inline void heard_open(struct heard *t)
{
	*t = (struct heard){ 0 };
	decoding_init(&t->in, &dialect_lmc, on_heard, t);
	buf_init(&t->text, 1 << 20);
	for (size_t i = 0; i < 2 * HEARD_CALLS; i++)
		buf_init(&t->calls[i / 2][i % 2], 1 << 20);
}

/* heard_gather: all LMC chunks from now on, as messages. */
static inline void heard_gather(struct heard *t)
{
	t->gather = gather_create(1 << 20, NULL);
	assert_non_null(t->gather);
}

static inline void heard_close(struct heard *t)
{
	decoding_finish(&t->in);
	buf_finish(&t->text);
	for (size_t i = 0; i < 2 * HEARD_CALLS; i++)
		buf_finish(&t->calls[i / 2][i % 2]);
	json_doc_finish(&t->chunk);
	gather_destroy(t->gather);
}
