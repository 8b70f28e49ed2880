/* Signatures against Amazon's published vectors, and against what botocore 1.44.8 signs for Bedrock. */
#include "provider/credential/sigv4.h"

#include "base/limits.h"
#include "json/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/* 2015-08-30 12:36:00 UTC */
enum { NOW_S = 1440938160 };

struct vector {
	struct json_doc *doc;
	struct arena     arena;
	struct buf       head, url, canonical, names, text;
};

static struct str text_of(struct vector *v, json_at row, const char *name)
{
	struct str ret = STR_NONE;

	assert_true(json_text(v->doc, json_get(v->doc, row, name), &v->arena, &ret));
	return ret;
}

static struct str take_line(struct str *text)
{
	const char *end = memchr(text->p, '\n', text->n);
	size_t      n = end ? (size_t)(end - text->p) : text->n;
	struct str  line = { text->p, n };

	n += end ? 1 : 0;
	*text = (struct str){ text->p + n, text->n - n };
	return line;
}

/* read_request: "GET /path HTTP/1.1", header lines, an empty line, the body. */
static void read_request(struct vector *v, struct str request, char method[8],
			 struct sigv4_ask *ask)
{
	struct str  first = take_line(&request);
	const char *space = memchr(first.p, ' ', first.n);
	const char *last = memrchr(first.p, ' ', first.n);

	assert_non_null(space);
	str_copy(method, 8, (struct str){ first.p, (size_t)(space - first.p) });
	assert_true(buf_text(&v->url, "https://example.amazonaws.com") &&
		    buf_str(&v->url, (struct str){ space + 1, (size_t)(last - space - 1) }) &&
		    buf_add(&v->url, "", 1));
	for (struct str line = take_line(&request); line.n > 0; line = take_line(&request))
		assert_true(buf_str(&v->head, line) && buf_text(&v->head, "\r\n"));
	ask->method = method;
	ask->url = v->url.data;
	ask->head = buf_view(&v->head);
	hash_sha256(request.p, request.n, ask->body);
}

static void same(struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("got\n%.*s\nwant\n%.*s", STR_ARG(got), STR_ARG(want));
}

static void check_vector(struct vector *v, json_at row)
{
	struct sigv4_ask ask = { .region = "us-east-1", .service = "service", .now_s = NOW_S };
	struct buf      *bufs[] = { &v->head, &v->url, &v->canonical, &v->names, &v->text };
	char             method[8], token[KIB], signature[HASH_HEX + 1];

	arena_init(&v->arena, 64 * KIB);
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_init(bufs[i], 16 * KIB);
	str_copy(token, sizeof token, text_of(v, row, "token"));
	read_request(v, text_of(v, row, "request"), method, &ask);
	assert_true(sigv4_canonical(&ask, token[0] ? token : NULL, &v->canonical, &v->names));
	same(buf_view(&v->canonical), text_of(v, row, "canonical"));
	assert_true(sigv4_text(&ask, buf_view(&v->canonical), &v->text));
	same(buf_view(&v->text), text_of(v, row, "text"));
	sigv4_signature(&ask, secret, buf_view(&v->text), signature);
	same(str_of(signature), text_of(v, row, "signature"));
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_finish(bufs[i]);
	arena_finish(&v->arena);
}

static void published_vectors_are_signed_as_published(void **state)
{
	struct json_doc doc = { 0 };
	struct vector   v = { .doc = &doc };
	struct buf      text;
	struct err      e;
	size_t          checked = 0;
	char            part[4096];
	FILE           *f = fopen(FIXTURES "/sigv4/vectors.json", "rb");

	(void)state;
	assert_non_null(f);
	buf_init(&text, MIB);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		assert_true(buf_add(&text, part, n));
	fclose(f);
	assert_int_equal(json_scan(&doc, text.data, text.len, &json_limits_stored, &e), ERR_OK);
	JSON_EACH_MEMBER (key, &doc, 0) {
		print_message("vector: %.*s\n", STR_ARG(json_inner(&doc, key)));
		check_vector(&v, json_value(key));
		checked++;
	}
	assert_int_equal(checked, 28);
	json_doc_finish(&doc);
	buf_finish(&text);
}

#define HOST "bedrock-runtime.eu-central-1.amazonaws.com"
#define HEAD "Host: " HOST "\r\nContent-Type: application/json\r\n"
#define LINES                                                        \
	"\r\nX-Amz-Date: 20150830T123600Z\r\nX-Amz-Security-Token: " \
	"to/ken==\r\nAuthorization: AWS4-HMAC-SHA256 Credential="    \
	"AKIDEXAMPLE/20150830/eu-central-1/bedrock/aws4_request, "   \
	"SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature="

/* The colon of a model's id and the slash of an ARN are encoded twice in what is signed. */
static void names_of_models_are_signed_as_botocore_does(void **state)
{
	static const struct {
		const char *path;
		const char *body;
		const char *signature;
	} rows[] = {
		{ "/model/us.anthropic.claude-v1%3A0/invoke?b=2&a=x%2Fy&a-1=", "{\"messages\":[]}",
		  "e2b02c7b2a4319918c381323f350222ba00434ed49c5fd90316316d856fe4ba8" },
		{ "/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Fx/converse",
		  "", "78c7286b34df875259183574a2ca8f59ef62456d13ba534b614c30dc5bffc4fb" },
	};
	static const struct sigv4_keys keys = { "AKIDEXAMPLE", secret, "to/ken==" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char             url[256];
		struct buf       out;
		struct sigv4_ask ask = { .method = "POST",
					 .url = url,
					 .head = STR(HEAD),
					 .region = "eu-central-1",
					 .service = "bedrock",
					 .now_s = NOW_S };

		snprintf(url, sizeof url, "https://" HOST "%s", rows[i].path);
		hash_sha256(rows[i].body, strlen(rows[i].body), ask.body);
		buf_init(&out, 4 * KIB);
		assert_true(sigv4_sign(&ask, &keys, &out) && buf_text(&out, "") &&
			    buf_add(&out, "", 1));
		assert_memory_equal(out.data, LINES, strlen(LINES));
		assert_string_equal(out.data + strlen(LINES), rows[i].signature);
		buf_finish(&out);
	}
}

static void too_many_lines_are_not_signed(void **state)
{
	struct sigv4_keys keys = { "id", secret, NULL };
	struct sigv4_ask  ask = {
		 .method = "GET", .url = "https://h/", .region = "r", .service = "s", .now_s = NOW_S
	};
	struct buf head, out;

	(void)state;
	buf_init(&head, 4 * KIB);
	buf_init(&out, 4 * KIB);
	for (size_t i = 0; i <= SIGV4_PARTS; i++)
		assert_true(buf_text(&head, "X-Amz-A: b\r\n"));
	ask.head = buf_view(&head);
	assert_false(sigv4_sign(&ask, &keys, &out));
	assert_int_equal(out.len, 0);
	ask.head.n = SIGV4_PARTS * strlen("X-Amz-A: b\r\n");
	assert_true(sigv4_sign(&ask, &keys, &out));
	buf_finish(&head);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_vectors_are_signed_as_published),
		cmocka_unit_test(names_of_models_are_signed_as_botocore_does),
		cmocka_unit_test(too_many_lines_are_not_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
