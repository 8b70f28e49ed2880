/* Targets matched against a table of routes: hostile paths, methods, hints. */
#include "base/buf.h"
#include "http/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void handle(struct request *r, void *app)
{
	(void)r;
	(void)app;
}

static const struct family family = { 0 };

/* clang-format off */
#define ROW(name, method, path) { name, method, path, AUTH_CHAT, BODY_NONE, false, &family, handle }
/* clang-format on */
static const struct route table[] = {
	ROW("livez", "GET", "/livez"),
	ROW("chat", "POST", "/v1/chat"),
	ROW("models", "GET", "/v1/models"),
	ROW("model", "GET", "/v1/models/{id}"),
	ROW("get", "GET", "/v1/conversations/{id}"),
	ROW("delete", "DELETE", "/v1/conversations/{id}"),
	ROW("item", "GET", "/v1/conversations/{id}/items/{item}"),
	{ 0 },
};

static const struct route_hint hints[] = {
	{ "/v1/answers/*", "use one" },
	{ "/old/{x}/chat", "use two" },
	{ 0 },
};

/* match_in: the row's name, or the error's wire code. */
static const char *match_in(const struct route *rows, struct str method, struct str target,
			    struct str params[ROUTE_PARAMS], struct err *e)
{
	static char         scratch[512];
	const struct route *row = NULL;
	struct str          none[ROUTE_PARAMS] = { { 0 } };
	/* Exactly as long as the target: what is written behind it is found. */
	char *copy = malloc(target.n ? target.n : 1);

	assert_non_null(copy);
	memset(e, 0, sizeof *e);
	enum errc rc = route_match((struct route_list){ rows, 0 }, hints, method, target, copy,
				   params ? params : none, &row, e);
	assert_int_equal(rc, e->code);
	for (size_t i = 0, at = 0; params && rc == ERR_OK && i < ROUTE_PARAMS; i++) {
		if (params[i].n > 0)
			memcpy(scratch + at, params[i].p, params[i].n);
		params[i].p = scratch + at;
		at += params[i].n;
	}
	free(copy);
	if (rc == ERR_METHOD_NOT_ALLOWED)
		assert_non_null(row);
	return rc == ERR_OK ? row->name : err_wire(e);
}

static const char *match(struct str method, struct str target, struct str params[ROUTE_PARAMS],
			 struct err *e)
{
	return match_in(table, method, target, params, e);
}

static void targets_lead_to_their_rows(void **state)
{
	(void)state;
	static const struct {
		const char *why, *method, *target, *want, *param0, *param1;
	} cases[] = {
		{ "plain", "GET", "/livez", "livez", "", "" },
		{ "a parameter", "GET", "/v1/models/tiny", "model", "tiny", "" },
		{ "two of them", "GET", "/v1/conversations/c1/items/m2", "item", "c1", "m2" },
		{ "an encoded slash stays inside its segment", "GET", "/v1/models/local%2Ftiny",
		  "model", "local/tiny", "" },
		{ "lower-case hex digits", "GET", "/v1/models/local%2ftiny", "model", "local/tiny",
		  "" },
		{ "encoded letters of a literal", "GET", "/%76%31/models", "models", "", "" },
		{ "an encoded percent sign is decoded once", "GET", "/v1/models/a%252Fb", "model",
		  "a%2Fb", "" },
		{ "a plus sign is no blank in a path", "GET", "/v1/models/a+b%20c", "model",
		  "a+b c", "" },
		{ "UTF-8", "GET", "/v1/models/%C3%A9", "model", "\xc3\xa9", "" },
		{ "empty segments collapse", "GET", "//v1///models//tiny", "model", "tiny", "" },
		{ "a trailing slash", "GET", "/v1/models/", "models", "", "" },
		{ "trailing slashes behind a parameter", "GET", "/v1/models/tiny//", "model",
		  "tiny", "" },
		{ "a query", "GET", "/v1/models/tiny?a=/b/../c", "model", "tiny", "" },
		{ "an empty query", "GET", "/v1/models?", "models", "", "" },
		{ "HEAD is answered where GET is", "HEAD", "/v1/models", "models", "", "" },
		{ "another method of the same path", "DELETE", "/v1/conversations/c1", "delete",
		  "c1", "" },
		{ "absolute form", "GET", "http://host:80/v1/models/tiny?x", "model", "tiny", "" },
		{ "three dots are a name", "GET", "/v1/models/...", "model", "...", "" },
		{ "a dot file is a name", "GET", "/v1/models/.a", "model", ".a", "" },

		{ "no such path", "GET", "/nowhere", "unknown_url", "", "" },
		{ "the root", "GET", "/", "unknown_url", "", "" },
		{ "nothing at all", "GET", "", "unknown_url", "", "" },
		{ "the asterisk form", "OPTIONS", "*", "unknown_url", "", "" },
		{ "absolute form without a path", "GET", "http://host", "unknown_url", "", "" },
		{ "too short", "GET", "/v1", "unknown_url", "", "" },
		{ "too long", "GET", "/v1/models/a/b", "unknown_url", "", "" },
		{ "more segments than any row has", "GET", "/a/b/c/d/e/f/g/h/i/j/k", "unknown_url",
		  "", "" },
		{ "an encoded slash does not cut segments", "GET", "/v1%2Fmodels", "unknown_url",
		  "", "" },
		{ "case counts", "GET", "/V1/models", "unknown_url", "", "" },
		{ "a template's own text is no path", "GET", "/v1/{id}", "unknown_url", "", "" },

		{ "wrong method", "GET", "/v1/chat", "method_not_allowed", "", "" },
		{ "HEAD where only POST is", "HEAD", "/v1/chat", "method_not_allowed", "", "" },
		{ "an unknown method", "BREW", "/v1/models", "method_not_allowed", "", "" },
		{ "methods are case-sensitive", "get", "/v1/models", "method_not_allowed", "", "" },
		{ "a very long method", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "/livez",
		  "method_not_allowed", "", "" },

		{ "a dot segment", "GET", "/v1/./models", "bad_request", "", "" },
		{ "two dots", "GET", "/v1/models/../chat", "bad_request", "", "" },
		{ "two dots at the end", "GET", "/v1/models/..", "bad_request", "", "" },
		{ "encoded dots", "GET", "/v1/%2e%2E/livez", "bad_request", "", "" },
		{ "half encoded dots", "GET", "/v1/.%2e/livez", "bad_request", "", "" },
		{ "dots behind more segments than any row has", "GET", "/a/b/c/d/e/f/g/h/i/../k",
		  "bad_request", "", "" },
		{ "an escape that is cut", "GET", "/v1/models/a%2", "bad_request", "", "" },
		{ "a percent sign at the end", "GET", "/v1/models/%", "bad_request", "", "" },
		{ "an escape of other letters", "GET", "/v1/models/%zz", "bad_request", "", "" },
		{ "a sign is no digit", "GET", "/v1/models/%+1", "bad_request", "", "" },
		{ "an encoded NUL", "GET", "/v1/models/a%00b", "bad_request", "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str  params[ROUTE_PARAMS] = { { 0 } };
		struct err  e;
		const char *got =
			match(str_of(cases[i].method), str_of(cases[i].target), params, &e);

		if (strcmp(got, cases[i].want) != 0 || !str_is(params[0], cases[i].param0) ||
		    !str_is(params[1], cases[i].param1))
			fail_msg("case: %s: %s, %.*s, %.*s", cases[i].why, got, STR_ARG(params[0]),
				 STR_ARG(params[1]));
	}
}

static void a_path_may_end_in_a_verb(void **state)
{
	static const struct route rows[] = {
		ROW("make", "POST", "/v1/models/{id}:make"),
		ROW("stream", "POST", "/v1/models/{id}:streamMake"),
		ROW("model", "GET", "/v1/models/{id}"),
		ROW("models", "GET", "/v1/models"),
		ROW("tuned", "GET", "/v1/p/{p}/models/{id}:look"),
		{ 0 },
	};
	static const struct {
		const char *method, *target, *want, *param0, *param1;
	} cases[] = {
		{ "POST", "/v1/models/m:make", "make", "m", "" },
		{ "POST", "/v1/models/m:streamMake?alt=sse", "stream", "m", "" },
		{ "POST", "/v1/models/a:b:make", "make", "a:b", "" },
		{ "POST", "/v1/models/a/b:make", "make", "a/b", "" },
		{ "POST", "/v1/models/a%2Fb:make", "make", "a/b", "" },
		{ "POST", "/v1/models/a%2fb/c:d:make/", "make", "a/b/c:d", "" },
		{ "POST", "//v1//models//a//b:make", "make", "a/b", "" },
		{ "POST", "/v1/models/a:x/b:make", "make", "a:x/b", "" },
		{ "POST", "/v1/models/m%3Amake", "make", "m", "" },
		{ "POST", "/v1/models/a%3Ab:make", "make", "a:b", "" },
		{ "POST", "/v1/models/m:m%61ke", "make", "m", "" },
		{ "POST", "/v1/models/::make", "make", ":", "" },
		{ "POST", "/v1/models/a/:make", "make", "a/", "" },
		{ "POST", "/v1/models/%2F:make", "make", "/", "" },
		{ "POST", "/v1/models/a%252Fb:make", "make", "a%2Fb", "" },
		{ "POST", "/v1/models/a/b/c/d/e/f/g/h/i/j/k/l/m/n:make", "make",
		  "a/b/c/d/e/f/g/h/i/j/k/l/m/n", "" },
		{ "HEAD", "/v1/p/x%2Fy/models/a/b:look", "tuned", "x/y", "a/b" },
		{ "GET", "/v1/models/llama:8b", "model", "llama:8b", "" },
		{ "GET", "/v1/models/m:", "model", "m:", "" },
		{ "GET", "/v1/models/:make", "model", ":make", "" },

		{ "POST", "/v1/models/:make", "method_not_allowed", "", "" },
		{ "POST", "/v1/models/%3Amake", "method_not_allowed", "", "" },
		{ "POST", "/v1/models/m", "method_not_allowed", "", "" },
		{ "GET", "/v1/models/m:make", "method_not_allowed", "", "" },
		{ "DELETE", "/v1/models/a/b:streamMake", "method_not_allowed", "", "" },
		{ "POST", "/v1/p/x/models/a:look", "method_not_allowed", "", "" },

		{ "POST", "/v1/models/m:Make", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:makes", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:make:", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:make/x", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:make%2Fx", "unknown_url", "", "" },
		{ "POST", "/v1/models/m:make%20", "unknown_url", "", "" },
		{ "POST", "/v1/models:make", "unknown_url", "", "" },
		{ "POST", "/v1/models/a/b", "unknown_url", "", "" },
		{ "GET", "/v1/models/a/b:8b", "unknown_url", "", "" },
		{ "POST", "/v1/p/x/models/:look", "unknown_url", "", "" },
		{ "POST", "/v1/models/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o:make", "unknown_url", "", "" },

		{ "POST", "/v1/models/a/../b:make", "bad_request", "", "" },
		{ "POST", "/v1/models/a%00:make", "bad_request", "", "" },
		{ "POST", "/v1/models/a%3:make", "bad_request", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str  params[ROUTE_PARAMS] = { { 0 } };
		struct err  e;
		const char *got = match_in(rows, str_of(cases[i].method), str_of(cases[i].target),
					   params, &e);

		if (strcmp(got, cases[i].want) != 0 || !str_is(params[0], cases[i].param0) ||
		    !str_is(params[1], cases[i].param1))
			fail_msg("case: %s %s: %s, %.*s, %.*s", cases[i].method, cases[i].target,
				 got, STR_ARG(params[0]), STR_ARG(params[1]));
	}
}

static void a_verb_that_is_none_is_hinted_at(void **state)
{
	static const struct route rows[] = {
		ROW("make", "POST", "/v1/models/{id}:makeContent"),
		ROW("look", "GET", "/v1/models/{id}:look"),
		{ 0 },
	};
	struct err e;
	struct buf b;

	(void)state;
	assert_string_equal(match_in(rows, STR("POST"), STR("/v1/models/m:makeContents"), NULL, &e),
			    "unknown_url");
	assert_string_equal(e.text, "unknown URL; did you mean /v1/models/{id}:makeContent?");
	assert_string_equal(match_in(rows, STR("POST"), STR("/v1/models/m:other"), NULL, &e),
			    "unknown_url");
	assert_string_equal(e.text, "unknown URL; GET /openapi.yaml lists all routes");
	assert_string_equal(match_in(rows, STR("POST"), STR("/models/m:makeContent"), NULL, &e),
			    "unknown_url");
	assert_string_equal(e.text, "unknown URL; the base URL of this API ends in /v1");
	buf_init(&b, 64);
	assert_true(route_allow((struct route_list){ rows, 0 }, &rows[1], &b));
	assert_true(str_is(buf_view(&b), "GET, HEAD, OPTIONS"));
	buf_finish(&b);
}

static void a_raw_nul_in_a_target_is_refused(void **state)
{
	(void)state;
	struct err e;

	assert_string_equal(match(STR("GET"), STR("/v1/models/a\0b"), NULL, &e), "bad_request");
}

static void a_query_behind_an_authority_is_no_path(void **state)
{
	(void)state;
	struct err e;

	assert_string_equal(match(STR("GET"), STR("http://host?x=/v1/models"), NULL, &e),
			    "unknown_url");
}

static void a_missing_v1_is_hinted_at(void **state)
{
	(void)state;
	static const char *const with[] = { "/models/x", "/models", "/conversations/x", "/chat" };
	static const char *const without[] = { "/v1/nothing", "/completions", "/chats" };
	struct err               e;

	for (size_t i = 0; i < ARRAY_LEN(with); i++) {
		assert_string_equal(match(STR("POST"), str_of(with[i]), NULL, &e), "unknown_url");
		assert_non_null(strstr(e.text, "/v1"));
	}
	for (size_t i = 0; i < ARRAY_LEN(without); i++) {
		assert_string_equal(match(STR("POST"), str_of(without[i]), NULL, &e),
				    "unknown_url");
		assert_non_null(strstr(e.text, "/openapi.yaml"));
	}
}

static void a_path_that_is_none_says_what_to_use(void **state)
{
	(void)state;
	/* clang-format off */
	static const char *const cases[][2] = {
		{ "/v1/answers", "unknown URL; use one" },
		{ "/v1/answers/?x=y", "unknown URL; use one" },
		{ "/v1/answers/1/2/3/4/5/6/7/8/9", "unknown URL; use one" },
		{ "/old/a%2Fb/chat", "unknown URL; use two" },
		{ "/old/chat", "unknown URL; GET /openapi.yaml lists all routes" },
		{ "/v1/v1/models", "unknown URL; the base URL of this API ends in /v1" },
		{ "/v1/modles", "unknown URL; did you mean /v1/models?" },
		{ "/v1/Models/gpt", "unknown URL; did you mean /v1/models/{id}?" },
		{ "/v1/conversation/x/itmes/y", "unknown URL; did you mean /v1/conversations/{id}/items/{item}?" },
		{ "/v1/caht", "unknown URL; did you mean /v1/chat?" },
		{ "/1/2/3/4/5/6/7/8/9", "unknown URL; GET /openapi.yaml lists all routes" },
	};
	/* clang-format on */
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(match(STR("POST"), str_of(cases[i][0]), NULL, &e),
				    "unknown_url");
		assert_string_equal(e.text, cases[i][1]);
	}
}

static void a_stream_has_no_head(void **state)
{
	(void)state;
	const struct route  rows[] = { { "events", "GET", "/events", AUTH_READ, BODY_NONE,
					 ROUTE_NO_HEAD, &family, handle },
				       { 0 } };
	struct str          params[ROUTE_PARAMS];
	const struct route *got = NULL;
	char                scratch[16];
	struct err          e;
	struct buf          b;

	assert_int_equal(route_match((struct route_list){ rows, 0 }, NULL, STR("GET"),
				     STR("/events"), scratch, params, &got, &e),
			 ERR_OK);
	assert_int_equal(route_match((struct route_list){ rows, 0 }, NULL, STR("HEAD"),
				     STR("/events"), scratch, params, &got, &e),
			 ERR_METHOD_NOT_ALLOWED);
	buf_init(&b, 64);
	assert_true(route_allow((struct route_list){ rows, 0 }, rows, &b));
	assert_true(str_is(buf_view(&b), "GET, OPTIONS"));
	buf_finish(&b);
}

static void escapes_of_a_query_are_checked(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *query, *bad; /* NULL: none is */
	} cases[] = {
		{ "", NULL }, { "a", NULL }, { "a=b&c", NULL }, { "a=%20&%41=%e4%FF", NULL },
		{ "a=%10", NULL }, { "a=%01", NULL },
		{ "a=1%00", "a=1%00" }, { "%00", "%00" }, { "b=1&a=%&c=2", "a=%" },
		{ "a=%4", "a=%4" }, { "a=%zz&b", "a=%zz" }, { "x&y=%4&41", "y=%4" }, { "a%=1", "a%=1" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str bad = STR_NONE;

		assert_int_equal(route_query(str_of(cases[i].query), &bad), !cases[i].bad);
		assert_true(str_eq(bad, cases[i].bad ? str_of(cases[i].bad) : STR_NONE));
	}
}

static void allowed_methods_come_from_the_table(void **state)
{
	(void)state;
	static const struct {
		size_t      row;
		const char *want;
	} cases[] = {
		{ 0, "GET, HEAD, OPTIONS" },
		{ 1, "POST, OPTIONS" },
		{ 4, "GET, HEAD, DELETE, OPTIONS" },
		{ 5, "GET, HEAD, DELETE, OPTIONS" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b;

		buf_init(&b, 256);
		assert_true(route_allow((struct route_list){ table, 0 }, &table[cases[i].row], &b));
		assert_true(str_is(buf_view(&b), cases[i].want));
		buf_finish(&b);
		buf_init(&b, 10);
		assert_false(
			route_allow((struct route_list){ table, 0 }, &table[cases[i].row], &b));
		buf_finish(&b);
	}
}

static void a_listener_lacks_what_its_list_leaves_out(void **state)
{
	(void)state;
	static const struct route rows[] = {
		{ "a", "GET", "/a", AUTH_READ, BODY_NONE, false, &family, handle },
		{ "operator", "GET", "/b", AUTH_OPERATOR, BODY_NONE, false, &family, handle },
		{ "admin", "DELETE", "/a", AUTH_ADMIN, BODY_NONE, false, &family, handle },
		{ 0 },
	};
	const struct route_list all = { rows, 0 };
	const struct route_list some = { rows, 1u << AUTH_ADMIN | 1u << AUTH_OPERATOR };
	struct str              params[ROUTE_PARAMS];
	char                    scratch[64];
	const struct route     *row;
	struct err              e;
	struct buf              b;

	assert_int_equal(route_match(all, NULL, STR("GET"), STR("/b"), scratch, params, &row, &e),
			 ERR_OK);
	assert_int_equal(route_match(some, NULL, STR("GET"), STR("/b"), scratch, params, &row, &e),
			 ERR_UNKNOWN_URL);
	assert_null(strstr(e.text, "/b")); /* nor is it named as one that was meant */
	assert_int_equal(
		route_match(some, NULL, STR("DELETE"), STR("/a"), scratch, params, &row, &e),
		ERR_METHOD_NOT_ALLOWED);
	buf_init(&b, 64);
	assert_true(route_allow(some, rows, &b));
	assert_true(str_is(buf_view(&b), "GET, HEAD, OPTIONS"));
	buf_clear(&b);
	assert_true(route_allow(all, rows, &b));
	assert_true(str_is(buf_view(&b), "GET, HEAD, DELETE, OPTIONS"));
	buf_finish(&b);
}

static void the_root_is_a_path_as_others(void **state)
{
	(void)state;
	static const struct route rows[] = {
		{ "models", "GET", "/v1/models", AUTH_READ, BODY_NONE, false, &family, handle },
		{ "root", "GET", "/", AUTH_CONSOLE, BODY_NONE, false, &family, handle },
		{ 0 },
	};
	static const char *const roots[] = { "/", "//", "/?a=b", "http://host", "http://host/" };
	const struct route_list  all = { rows, 0 };
	struct str               params[ROUTE_PARAMS];
	char                     scratch[64];
	const struct route      *row;
	struct err               e;

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		assert_int_equal(route_match(all, NULL, STR("HEAD"), str_of(roots[i]), scratch,
					     params, &row, &e),
				 ERR_OK);
		assert_string_equal(row->name, "root");
	}
	/* It is not what is meant by the path without an end. */
	assert_int_equal(route_match(all, NULL, STR("GET"), STR("/v1"), scratch, params, &row, &e),
			 ERR_UNKNOWN_URL);
	assert_non_null(strstr(e.text, "lists all routes"));
}

static void a_table_with_holes_is_refused(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char  *why;
		struct route rows[3];
		bool         ok;
	} cases[] = {
		{ "sound", { ROW("a", "GET", "/a"), ROW("b", "POST", "/a"), { 0 } }, true },
		{ "empty", { { 0 } }, true },
		{ "no authentication chosen", { { "a", "GET", "/a", AUTH_UNSET, BODY_NONE, 0, &family,
		  handle } }, false },
		{ "no body chosen", { { "a", "GET", "/a", AUTH_NONE, BODY_UNSET, 0, &family, handle } },
		  false },
		{ "no handler", { { "a", "GET", "/a", AUTH_NONE, BODY_NONE, 0, &family, NULL } }, false },
		{ "no family", { { "a", "GET", "/a", AUTH_NONE, BODY_NONE, 0, NULL, handle } }, false },
		{ "no method", { { "a", NULL, "/a", AUTH_NONE, BODY_NONE, 0, &family, handle } }, false },
		{ "no path", { { "a", "GET", NULL, AUTH_NONE, BODY_NONE, 0, &family, handle } }, false },
		{ "a verb", { ROW("a", "POST", "/a/{b}:c"), { 0 } }, true },
		{ "a verb that is empty", { ROW("a", "POST", "/a/{b}:"), { 0 } }, false },
		{ "a verb before another segment", { ROW("a", "POST", "/a/{b}:c/d"), { 0 } }, false },
		{ "two verbs", { ROW("a", "POST", "/a/{b}:c:d"), { 0 } }, false },
		{ "a verb in the only segment", { ROW("a", "POST", "/{b}:c"), { 0 } }, false },
		{ "twice", { ROW("a", "GET", "/a"), ROW("b", "GET", "/a"), { 0 } }, false },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;

		if ((route_check(cases[i].rows, &e) == ERR_OK) != cases[i].ok)
			fail_msg("case: %s", cases[i].why);
	}
}

static void escapes_are_decoded_in_place(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *in;
		bool        plus, ok;
		const char *want;
	} cases[] = {
		{ "", true, true, "" },       { "a%20b", true, true, "a b" }, { "a+b", true, true,
		  "a b" },
		{ "a+b", false, true, "a+b" }, { "%2B", true, true, "+" },     { "%", true, false,
		  "" },
		{ "%4", true, false, "" },    { "%4g", true, false, "" },     { "%00", true, false,
		  "" },
		{ "%ff", true, true, "\xff" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char   text[16];
		size_t n = 99;

		snprintf(text, sizeof text, "%s", cases[i].in);
		bool ok = route_decode(str_of(text), cases[i].plus, text, &n);
		assert_int_equal(ok, cases[i].ok);
		if (!ok)
			assert_int_equal(n, 99);
		else
			assert_true(str_is((struct str){ text, n }, cases[i].want));
	}
}

/* a_name_may_take_the_rest_of_a_path: however the slashes within it are written. */
static void a_name_may_take_the_rest_of_a_path(void **state)
{
	static const struct route rows[] = {
		ROW("make", "POST", "/v1/models/{id}:make"),
		{ "model", "GET", "/v1/models/{id}", AUTH_CHAT, BODY_NONE, ROUTE_REST, &family,
		  handle },
		{ 0 },
	};
	static const struct {
		const char *method, *target, *want, *name;
	} cases[] = {
		{ "GET", "/v1/models/a", "model", "a" },
		{ "GET", "/v1/models/a/b%2Fc/d", "model", "a/b/c/d" },
		{ "HEAD", "/v1/models/a/b/", "model", "a/b" },
		{ "GET", "/v1/models", "unknown_url", NULL },
		{ "GET", "/v1/models/a/../b", "bad_request", NULL },
		{ "POST", "/v1/models/a/b:make", "make", "a/b" },
		{ "POST", "/v1/models/a/b", "method_not_allowed", NULL },
		{ "POST", "/v1/models/a/b:other", "unknown_url", NULL },
		{ "GET", "/v1/models/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15", "unknown_url", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str params[ROUTE_PARAMS] = { { 0 } };
		struct err e;

		print_message("case: %s %s\n", cases[i].method, cases[i].target);
		assert_string_equal(match_in(rows, str_of(cases[i].method), str_of(cases[i].target),
					     params, &e),
				    cases[i].want);
		if (cases[i].name)
			assert_true(str_is(params[0], cases[i].name));
	}
}

static void another_spelling_is_the_same_path(void **state)
{
	static const struct route_spelling list[] = {
		{ "/openai/deployments/{model}/chat", "/v1/chat", false },
		{ "/openai/v1/*", "/v1", false },
		{ "/openai/models/*", "/v1/models", false },
		{ "/beta/*", "/v1/models", true },
		{ 0 },
	};
	static const struct {
		const char *target, *want, *named; /* want NULL: no spelling */
	} cases[] = {
		{ "/openai/deployments/gpt/chat?api-version=1", "/v1/chat", "gpt" },
		{ "/openai/deployments/a%2Fb/chat", "/v1/chat", "a/b" },
		{ "http://host/openai//deployments/m/chat/", "/v1/chat/", "m" },
		{ "/openai/deployments/%zz/chat", NULL, "" },
		{ "/openai/deployments/%00/chat", NULL, "" },
		{ "/openai/deployments/m/chat/more", NULL, "" },
		{ "/openai/deployments//chat", NULL, "" },
		{ "/openai/v1/files/x%2Fy/content", "/v1/files/x%2Fy/content", "" },
		{ "/openai/v1", "/v1", "" },
		{ "/openai/models/a", "/v1/models/a", "" },
		{ "/beta/a/b:make?x=1", "/v1/models/a/b:make", "" },
		{ "/beta/a/b", NULL, "" },
		{ "/beta", NULL, "" },
		{ "/v1/chat", NULL, "" },
		{ "/", NULL, "" },
		{ "", NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str target = str_of(cases[i].target);
		struct str path = STR_NONE;
		struct str named = STR_NONE;
		char      *out = malloc(2 * target.n + ROUTE_SPELLED);

		print_message("case: %s\n", cases[i].target);
		assert_non_null(out);
		assert_int_equal(route_spell(list, target, out, &path, &named),
				 cases[i].want != NULL);
		if (cases[i].want) {
			assert_true(str_is(path, cases[i].want));
			assert_true(str_is(named, cases[i].named));
		}
		assert_false(route_spell(NULL, target, out, &path, &named));
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_lead_to_their_rows),
		cmocka_unit_test(a_path_may_end_in_a_verb),
		cmocka_unit_test(a_verb_that_is_none_is_hinted_at),
		cmocka_unit_test(a_raw_nul_in_a_target_is_refused),
		cmocka_unit_test(a_query_behind_an_authority_is_no_path),
		cmocka_unit_test(a_missing_v1_is_hinted_at),
		cmocka_unit_test(a_path_that_is_none_says_what_to_use),
		cmocka_unit_test(a_stream_has_no_head),
		cmocka_unit_test(escapes_of_a_query_are_checked),
		cmocka_unit_test(allowed_methods_come_from_the_table),
		cmocka_unit_test(a_listener_lacks_what_its_list_leaves_out),
		cmocka_unit_test(the_root_is_a_path_as_others),
		cmocka_unit_test(a_table_with_holes_is_refused),
		cmocka_unit_test(escapes_are_decoded_in_place),
		cmocka_unit_test(a_name_may_take_the_rest_of_a_path),
		cmocka_unit_test(another_spelling_is_the_same_path),
	};

	return cmocka_run_group_tests_name("http/route", tests, NULL, NULL);
}
