/* libFuzzer: whatever a provider answers to a request for embeddings, a client gets a list of as many
 * vectors as it asked for, in order and in the form it asked for, or an error that is fit to be shown.
 * The first byte chooses the dialect, the second the form and how many are wanted. */
#include "base/limits.h"
#include "provider/openai/embed.h"
#include "provider/vector.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect *const dialects[] = { &dialect_openai, &dialect_gemini,
						  &dialect_ollama };

struct seen {
	const struct embed_want *want;
	int                      lists;
};

static void check_vector(const struct json_doc *d, json_at v, bool base64)
{
	struct buf text;

	CHECK(v != JSON_ABSENT && json_kind(d, v) == (base64 ? JSON_STRING : JSON_ARRAY));
	if (!base64) {
		CHECK(d->tok[v].count > 0);
		JSON_EACH (i, d, v)
			CHECK(json_kind(d, i) == JSON_NUMBER);
		return;
	}
	buf_init(&text, LIMIT_UPSTREAM_BODY);
	CHECK(json_unescape(json_inner(d, v), &text) && vector_is_base64(buf_view(&text)));
	buf_finish(&text);
}

static void check_list(const struct embed_want *want, struct str raw)
{
	struct json_doc d = { 0 };
	struct err      e;
	int64_t         n = 0;

	CHECK(json_scan(&d, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK);
	json_at model = json_get(&d, 0, "model");
	json_at data = json_get(&d, 0, "data");
	CHECK(model != JSON_ABSENT && json_kind(&d, model) == JSON_STRING);
	CHECK(json_is(&d, json_get(&d, 0, "object"), "list"));
	CHECK(data != JSON_ABSENT && json_kind(&d, data) == JSON_ARRAY &&
	      d.tok[data].count == want->count);
	for (json_at i = json_first(&d, data); i != json_end(&d, data); i = json_next(&d, i), n++) {
		json_at index = json_get(&d, i, "index");
		int64_t got;

		CHECK(index != JSON_ABSENT && json_int(&d, index, &got) && got == n);
		check_vector(&d, json_get(&d, i, "embedding"), want->base64);
	}
	json_doc_finish(&d);
}

static void on_event(void *arg, const struct event *ev)
{
	struct seen *seen = arg;

	if (seen->lists++ == 0) {
		CHECK(ev->kind == EVENT_OTHER && ev->raw.n > 0);
		check_list(seen->want, ev->raw);
		return;
	}
	CHECK(seen->lists == 2 && ev->kind == EVENT_USAGE && ev->cont && ev->usage.in >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct seen     seen = { .lists = 0 };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &seen };
	struct err      e = { 0 };

	if (size < 3)
		return 0;

	struct embed_want     want = { .count = 1 + data[1] / 2 % 3,
				       .base64 = data[1] % 2,
				       .model = "m\"" };
	const struct dialect *dialect = dialects[data[0] % ARRAY_LEN(dialects)];
	/* In memory of its own length, so that a read beyond its end is seen. */
	char *copy = malloc(size - 2);
	CHECK(copy != NULL);
	memcpy(copy, data + 2, size - 2);
	seen.want = &want;
	if (dialect->embed->decode(&d, &want, (struct str){ copy, size - 2 }, &e) == ERR_OK) {
		CHECK(seen.lists > 0);
	} else {
		CHECK(seen.lists == 0 && e.code != ERR_OK && e.text[0] != '\0');
		CHECK(utf8_valid(e.text, strlen(e.text)) && err_http(&e) >= 400 &&
		      err_http(&e) <= 599);
	}
	free(copy);
	json_doc_finish(&doc);
	return 0;
}
