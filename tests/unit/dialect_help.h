/* A dialect's decoder as tests feed it, and the cases that dialects have in common. */
#pragma once

#include "base/limits.h"
#include "provider/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The decoding of one answer. */
struct decoding {
	const struct dialect *dialect;
	struct decode         decode;
	struct json_doc       doc;
	struct buf            out; /* the events as text */
	struct err            err; /* of the newest call */
};

static inline void decoding_init(struct decoding *x, const struct dialect *dialect,
				 provider_event_fn on_event, void *arg)
{
	*x = (struct decoding){ .dialect = dialect };
	x->decode = (struct decode){ .doc = &x->doc, .on_event = on_event, .arg = arg };
	buf_init(&x->out, 1 << 24);
}

static inline void decoding_finish(struct decoding *x)
{
	if (x->dialect->finish)
		x->dialect->finish(&x->decode);
	assert_null(x->decode.state);
	json_doc_finish(&x->doc);
	buf_finish(&x->out);
}

/* decode_copy: of an event, without a byte to spare behind it. */
static inline enum errc decode_copy(struct decoding *x, const char *name, const char *data)
{
	size_t n = strlen(data);
	char  *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, data, n);
	x->err = (struct err){ 0 };
	enum errc rc = x->dialect->decode_event(&x->decode, str_of(name), (struct str){ copy, n },
						&x->err);
	free(copy);
	return rc;
}

static inline void decode_good(struct decoding *x, const char *data)
{
	assert_int_equal(decode_copy(x, "", data), ERR_OK);
}

static inline void expect_text(const char *why, struct str got, const char *want)
{
	if (!str_is(got, want))
		fail_msg("%s:\n got  %.*s\n want %s", why, STR_ARG(got), want);
}

/* --- answers --- */

struct stream_case {
	const char *why;
	const char *chunks[20];
	const char *want; /* the events */
};

static inline void check_stream(struct decoding *x, const struct stream_case *c)
{
	for (size_t k = 0; k < ARRAY_LEN(c->chunks) && c->chunks[k]; k++)
		if (decode_copy(x, "", c->chunks[k]) != ERR_OK)
			fail_msg("%s, chunk %zu: %s", c->why, k, x->err.text);
	if (x->dialect->over)
		x->dialect->over(&x->decode, true);
	expect_text(c->why, buf_view(&x->out), c->want);
	assert_true(x->decode.finished);
}

struct whole_case {
	const char *why;
	const char *body;
	enum errc   code;
	const char *want; /* the events, or the error's text */
};

static inline void check_whole(struct decoding *x, const struct whole_case *c)
{
	enum errc rc = x->dialect->decode_whole(&x->decode, str_of(c->body), &x->err);

	if (rc != c->code)
		fail_msg("%s: code %d, %s", c->why, (int)rc, x->err.text);
	expect_text(c->why, rc == ERR_OK ? buf_view(&x->out) : str_of(x->err.text), c->want);
	assert_true(rc == ERR_OK || x->out.len == 0);
	assert_int_equal(x->decode.finished, rc == ERR_OK);
}

/* --- errors --- */

/* What a client is told of an error. */
struct told {
	enum errc   code;
	int         http;
	const char *type;
	const char *wire;
};

/* clang-format off */
/* Of an error for which the provider has no words of its own. */
#define FAILED_AS(status) { ERR_UPSTREAM_ERROR, status, "upstream_error", "upstream_error" }
#define FAILED            FAILED_AS(502)
#define BAD_RESPONSE      { ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error", "upstream_bad_response" }
/* clang-format on */

static inline void check_error(const char *why, const struct err *e, const struct told *want,
			       const char *text)
{
	if (e->code != want->code)
		fail_msg("%s: code %d, %s", why, (int)e->code, e->text);
	expect_text(why, str_of(e->text), text);
	assert_int_equal(err_http(e), want->http);
	assert_string_equal(err_type(e), want->type);
	assert_string_equal(err_wire(e), want->wire);
}

struct event_error_case {
	const char *why;
	const char *name; /* of the event */
	const char *data;
	struct told told;
	const char *text;
};

static inline void check_event_error(struct decoding *x, const struct event_error_case *c)
{
	enum errc rc = decode_copy(x, c->name, c->data);

	assert_int_equal(rc, x->err.code);
	check_error(c->why, &x->err, &c->told, c->text);
}

static inline struct err status_error(const struct dialect *dialect, int status, const char *body)
{
	struct err e = { 0 };

	dialect->decode_error(&(struct decode){ .doc = NULL }, status, str_of(body), &e);
	return e;
}

/* --- requests --- */

/* encode_within: into a buffer of that size. */
static inline enum errc encode_within(size_t max, const struct dialect *dialect,
				      const struct provider_options *o, const struct prompt *p)
{
	struct buf out;
	struct err e;

	buf_init(&out, max);
	enum errc rc = dialect->encode(o, p, &out, &e);
	buf_finish(&out);
	return rc;
}

static inline void expect_too_large(size_t max, const struct dialect *dialect)
{
	const struct str        message = STR("{\"role\":\"user\",\"content\":\"0123456789\"}");
	struct provider_options o = { 0 };
	struct prompt           p = { .model = STR("m"), .messages = &message, .message_count = 1 };

	assert_int_equal(encode_within(max, dialect, &o, &p), ERR_REQUEST_TOO_LARGE);
}
