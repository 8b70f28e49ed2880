/* LMC messages written short, what becomes of them in OpenAI's form, and tables of both. */
#pragma once

#include "lmc/to_openai.h"

#include "tests/unit/lmc_same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* clang-format off */

/* LMC messages; content and recipient are JSON. */
#define M(role, type, content)                                                                     \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"content\":" content "}"
#define MF(role, type, format, content)                                                            \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"format\":\"" format "\",\"content\":" content "}"
#define TO(recipient, role, type, content)                                                         \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"recipient\":" recipient ",\"content\":" content "}"
#define USER(text) M("user", "message", "\"" text "\"")
#define SAY(text)  M("assistant", "message", "\"" text "\"")
#define CODE(text) MF("assistant", "code", "python", "\"" text "\"")
#define OUT(text)  MF("computer", "console", "output", "\"" text "\"")
#define LINE(n)    MF("computer", "console", "active_line", #n)
#define PNG        MF("computer", "image", "base64.png", "\"iVBORw0KGgoA\"")
#define NOTE(text) M("computer", "message", "\"" text "\"")

/* OpenAI's messages and what they consist of; a RUN, which is an object, stands for its text. */
#define SAID(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"
#define SAID_CALLS(text, calls)                                                                    \
	"{\"role\":\"assistant\",\"content\":\"" text "\",\"tool_calls\":[" calls "]}"
#define CALLS(calls)     SAID_CALLS("", calls)
#define FUNCTION(id, name, arguments)                                                              \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\","                  \
	"\"arguments\":" arguments "}}"
#define RUN(language, code)      "{\"language\":\"" language "\",\"code\":\"" code "\"}"
#define SAID_RAN(text, id, code) SAID_CALLS(text, FUNCTION(id, "execute", RUN("python", code)))
#define RAN(id, code)            SAID_RAN("", id, code)
#define TOOL(id, text)           "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define NO_OUTPUT(id)            TOOL(id, "No output")
#define OUTPUT(text)             SAID("user", "Output of the code:\\n" text)
#define NO_PRINT                 SAID("user", "The code ran without printing anything.")
#define PARTS(parts)             "{\"role\":\"user\",\"content\":[" parts "]}"
#define URL(url)                                                                                   \
	"{\"type\":\"image_url\",\"image_url\":{\"url\":\"" url "\",\"detail\":\"low\"}}"
#define PICTURE(url)             PARTS(URL(url))
#define DATA(kind, data)         PICTURE("data:image/" kind ";base64," data)
#define PLOT                                                                                       \
	PARTS(URL("data:image/png;base64,iVBORw0KGgoA")                                            \
	      ",{\"type\":\"text\",\"text\":\"The computer produced this image.\"}")
#define SOUND(data, format)                                                                        \
	PARTS("{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"" data "\",\"format\":\"" format "\"}}")

/* Whole messages as their owner sends them. */
#define OWN(a)     CALLS(FUNCTION(a, "f", "\"{}\""))
#define OWN2(a, b) CALLS(FUNCTION(a, "f", "\"{}\"") "," FUNCTION(b, "g", "\"\""))

/* clang-format on */

/* --- running --- */

struct result {
	struct buf      list; /* [message,…] */
	struct warnings warnings;
	struct err      e; /* path: the culprit's; code ERR_OK: none */
};

static inline bool collect(void *arg, struct str message)
{
	struct result *r = arg;

	assert_true(message.n > 0);
	return (r->list.len == 1 || buf_text(&r->list, ",")) && buf_str(&r->list, message);
}

static inline void scan(struct json_doc *d, struct str text)
{
	struct err e = { 0 };

	if (json_scan(d, text.p, text.n, &json_limits_request, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)(text.n < 2000 ? text.n : 2000), text.p);
}

/* hand: one element, scanned for itself from a copy that dies with the call.  In a mixed list what
 * has no type is OpenAI's. */
static inline enum errc hand(struct to_openai *t, struct str raw, bool mixed, size_t index,
			     struct err *e)
{
	struct json_doc one = { 0 };
	char           *copy = malloc(raw.n);
	char            path[32];
	enum errc       rc;

	assert_non_null(copy);
	memcpy(copy, raw.p, raw.n);
	scan(&one, (struct str){ copy, raw.n });
	snprintf(path, sizeof path, "messages[%zu]", index);
	rc = mixed && json_get(&one, 0, "type") == JSON_ABSENT
		     ? to_openai_own(t, &one, 0, (struct str){ copy, raw.n }, e)
		     : to_openai_lmc(t, &one, 0, path, index, e);
	json_doc_finish(&one);
	free(copy);
	return rc;
}

static inline void result_finish(struct result *r)
{
	buf_finish(&r->list);
	warnings_finish(&r->warnings);
}

static inline void run_list(struct result *r, const struct json_doc *d, json_at list, bool mixed,
			    struct to_openai_options o)
{
	size_t    index = 0;
	enum errc rc = ERR_OK;

	*r = (struct result){ 0 };
	buf_init(&r->list, 64 * MIB);
	warnings_init(&r->warnings);
	assert_true(buf_text(&r->list, "["));
	o.warnings = &r->warnings;
	o.arg = r;
	o.made = collect;
	struct to_openai *t = to_openai_create(&o);

	assert_non_null(t);
	for (json_at i = json_first(d, list); i != json_end(d, list) && rc == ERR_OK;
	     i = json_next(d, i))
		rc = hand(t, json_raw(d, i), mixed, index++, &r->e);
	if (rc == ERR_OK)
		rc = to_openai_end(t, &r->e);
	assert_int_equal(rc, r->e.code);
	assert_true(rc == ERR_OK || r->e.text[0]);
	to_openai_destroy(t);
	assert_true(buf_text(&r->list, "]"));
}

/* --- comparing --- */

/* Ids that stand for each other.  An expected id T… may be any; every other one is meant. */
struct ids {
	char   want[64][24];
	char   got[64][64];
	size_t count;
};

static inline bool same_id(struct ids *ids, struct str want, struct str got)
{
	if (want.p[0] != 'T')
		return str_eq(want, got);
	for (size_t i = 0; i < ids->count; i++) {
		bool left = str_is(want, ids->want[i]);
		bool right = str_is(got, ids->got[i]);

		if (left || right)
			return left && right;
	}
	assert_true(ids->count < ARRAY_LEN(ids->want) && got.n > 0);
	str_copy(ids->want[ids->count], sizeof ids->want[0], want);
	str_copy(ids->got[ids->count], sizeof ids->got[0], got);
	ids->count++;
	return true;
}

static inline bool same_arguments(const struct json_doc *a, json_at i, const struct json_doc *b,
				  json_at j)
{
	struct json_doc inside = { 0 };
	struct buf      text;

	if (json_kind(b, j) != JSON_STRING)
		return false;
	buf_init(&text, 64 * MIB);
	assert_true(text_of(b, j, &text));
	scan(&inside, buf_view(&text));
	bool same = json_alike(a, i, &inside, 0);
	json_doc_finish(&inside);
	buf_finish(&text);
	return same;
}

static inline bool fits(struct ids *ids, const struct json_doc *a, json_at i,
			const struct json_doc *b, json_at j);

static inline bool member_fits(struct ids *ids, const struct json_doc *a, json_at key,
			       const struct json_doc *b, json_at object)
{
	json_at want = json_value(key);
	char    name[64];

	str_copy(name, sizeof name, json_inner(a, key));
	json_at got = json_get(b, object, name);
	if (got == JSON_ABSENT)
		return false;
	if (json_is(a, key, "id") || json_is(a, key, "tool_call_id"))
		return json_kind(b, got) == JSON_STRING &&
		       same_id(ids, json_inner(a, want), json_inner(b, got));
	if (json_is(a, key, "arguments") && json_kind(a, want) == JSON_OBJECT)
		return same_arguments(a, want, b, got);
	return fits(ids, a, want, b, got);
}

static inline bool fits(struct ids *ids, const struct json_doc *a, json_at i,
			const struct json_doc *b, json_at j)
{
	if (json_kind(a, i) != json_kind(b, j) || a->tok[i].count != b->tok[j].count)
		return false;
	if (json_kind(a, i) == JSON_OBJECT) {
		JSON_EACH_MEMBER (k, a, i)
			if (!member_fits(ids, a, k, b, j))
				return false;
		return true;
	}
	if (json_kind(a, i) == JSON_ARRAY) {
		json_at v = json_first(b, j);

		JSON_EACH (u, a, i) {
			if (!fits(ids, a, u, b, v))
				return false;
			v = json_next(b, v);
		}
		return true;
	}
	return json_alike(a, i, b, j);
}

static inline bool list_fits(const struct json_doc *a, json_at want, const struct result *r)
{
	struct json_doc got = { 0 };
	struct ids      ids = { 0 };

	scan(&got, buf_view(&r->list));
	bool same = fits(&ids, a, want, &got, 0);
	json_doc_finish(&got);
	return same;
}

/* --- tables --- */

struct row {
	const char *why;
	const char *messages; /* one behind the other, without brackets and commas */
	const char *want;     /* the same, or the path of what is refused */
	size_t      warned;
};

/* list_scan: these messages as a list. */
static inline void list_scan(struct json_doc *d, const char *messages, struct buf *text)
{
	int  depth = 0;
	bool string = false;

	buf_init(text, MIB);
	assert_true(buf_text(text, "["));
	for (const char *p = messages; *p; p++) {
		if (*p == '{' && !string && depth++ == 0 && p > messages)
			assert_true(buf_text(text, ","));
		if (*p == '}' && !string)
			depth--;
		if (*p == '"')
			string = !string;
		if (*p == '\\')
			assert_true(buf_add(text, p++, 1));
		assert_true(buf_add(text, p, 1));
	}
	assert_true(buf_text(text, "]"));
	scan(d, buf_view(text));
}

static inline void check_made(const struct row *row, const struct result *r)
{
	struct json_doc want = { 0 };
	struct buf      text;

	if (r->e.code != ERR_OK)
		fail_msg("%s: %s: %s", row->why, r->e.path, r->e.text);
	list_scan(&want, row->want, &text);
	if (!list_fits(&want, 0, r))
		fail_msg("%s:\n%.*s\nnot\n%s", row->why, STR_ARG(buf_view(&r->list)), row->want);
	if (r->warnings.count != row->warned)
		fail_msg("%s: warnings: %.*s", row->why, STR_ARG(buf_view(&r->warnings.json)));
	json_doc_finish(&want);
	buf_finish(&text);
}

static inline void check_row(const struct row *row, bool mixed, const struct to_openai_options *o)
{
	struct json_doc d = { 0 };
	struct buf      text;
	struct result   r;

	list_scan(&d, row->messages, &text);
	run_list(&r, &d, 0, mixed, *o);
	if (!str_starts(str_of(row->want), STR("messages[")))
		check_made(row, &r);
	else if (r.e.code == ERR_OK || strcmp(r.e.path, row->want) != 0)
		fail_msg("%s: refused at '%s': %s", row->why, r.e.path, r.e.text);
	json_doc_finish(&d);
	buf_finish(&text);
	result_finish(&r);
}

#define CHECK_ROWS(rows, mixed, ...)                    \
	for (size_t n_ = 0; n_ < ARRAY_LEN(rows); n_++) \
	check_row(&(rows)[n_], mixed, &(struct to_openai_options){ __VA_ARGS__ })
