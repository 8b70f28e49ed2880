/* libFuzzer: whatever the bytes are, the scanner's tape is sound and its readers stay inside it. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/plain.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The span and the subtree of token i lie inside those of its container. */
static void check_inside(const struct json_doc *d, json_at i, json_at container)
{
	const struct json_tok *tok = &d->tok[i];
	const struct json_tok *outer = &d->tok[container];

	CHECK(tok->at > outer->at);
	CHECK((size_t)tok->at + tok->len < (size_t)outer->at + outer->len);
	CHECK(tok->next <= outer->next);
}

static void check_children(const struct json_doc *d, json_at i)
{
	uint32_t count = 0;
	uint32_t behind = d->tok[i].at;

	if (json_kind(d, i) != JSON_ARRAY && json_kind(d, i) != JSON_OBJECT) {
		CHECK(d->tok[i].next == i + 1);
		return;
	}

	bool object = json_kind(d, i) == JSON_OBJECT;
	for (json_at k = json_first(d, i); k != json_end(d, i); count++) {
		json_at value = object ? json_value(k) : k;

		check_inside(d, k, i);
		check_inside(d, value, i);
		CHECK(!object || json_kind(d, k) == JSON_STRING);
		CHECK(!object || !(d->tok[k].flags & JSON_HAS_NUL));
		CHECK(d->tok[k].at > behind);
		behind = d->tok[k].at;
		k = object ? json_next_member(d, k) : json_next(d, k);
	}
	CHECK(count == d->tok[i].count);
}

static void check_string(const struct json_doc *d, json_at i)
{
	struct str raw = json_raw(d, i);
	struct str value;
	struct buf again;

	CHECK(raw.n >= 2 && raw.p[0] == '"' && raw.p[raw.n - 1] == '"');
	CHECK(utf8_valid(raw.p, raw.n));

	struct arena a;
	arena_init(&a, LIMIT_ARENA);
	if (json_text(d, i, &a, &value)) {
		CHECK(value.n <= raw.n - 2);
		CHECK(utf8_valid(value.p, value.n));
		/* What we write from a value reads back as that value. */
		buf_init(&again, LIMIT_ARENA);
		if (buf_json_string(&again, value)) {
			struct json_doc other = { 0 };
			struct str      back;
			struct err      e;

			CHECK(json_scan(&other, again.data, again.len, &json_limits_request, &e) ==
			      ERR_OK);
			CHECK(json_text(&other, 0, &a, &back) && str_eq(back, value));
			json_doc_finish(&other);
		}
		buf_finish(&again);
	}
	arena_finish(&a);
}

static void check_tape(const struct json_doc *d)
{
	CHECK(d->count > 0 && d->tok[0].next == d->count);
	for (json_at i = 0; i < d->count; i++) {
		const struct json_tok *tok = &d->tok[i];
		int64_t                integer;
		double                 number;

		CHECK(tok->len > 0 && tok->at < d->len && tok->len <= d->len - tok->at);
		CHECK(tok->next > i && tok->next <= d->count);
		check_children(d, i);
		if (json_kind(d, i) == JSON_STRING)
			check_string(d, i);
		(void)json_int(d, i, &integer);
		(void)json_number(d, i, &number);
		(void)json_get(d, i, "model");
	}
}

/* Vectors, words and bytes agree on where a run ends. */
static void check_run(const char *text, size_t size, enum plain kind)
{
	const unsigned char *p = (const unsigned char *)text;

	for (size_t from = 0; from <= size;) {
		size_t run = plain_run(p + from, size - from, kind);

		CHECK(run == plain_run_words(p + from, size - from, kind));
		for (size_t i = 0; i < run; i++)
			CHECK(plain_byte(p[from + i], kind));
		from += run;
		CHECK(from == size || !plain_byte(p[from], kind));
		from++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };
	/* A copy without a byte to spare, so that reading behind it is seen. */
	char *text = malloc(size ? size : 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);

	for (enum plain kind = PLAIN_ASCII; kind <= PLAIN_SHOWN; kind++)
		check_run(text, size, kind);

	bool strict = json_scan(&d, text, size, &json_limits_request, &e) == ERR_OK;
	if (strict) {
		check_tape(&d);
	} else {
		/* No JSON, or more of it than a limit of ours allows. */
		CHECK(e.code == ERR_INVALID_JSON || e.code == ERR_INVALID_VALUE ||
		      e.code == ERR_REQUEST_TOO_LARGE);
		CHECK(e.text[0] && d.count == 0);
		CHECK(utf8_valid(e.path, strlen(e.path)));
	}

	/* Without the search for duplicates no less is accepted. */
	bool loose = json_scan(&d, text, size, &json_limits_upstream, &e) == ERR_OK;
	CHECK(loose || !strict);
	if (loose)
		check_tape(&d);
	json_doc_finish(&d);
	free(text);
	return 0;
}
