/* libFuzzer: whatever a stored message and its files hold, what a provider gets of them is JSON, and
 * no file ends its block. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/context.h"

#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 64 };

static size_t ends(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i + 6 <= text.n; i++)
		n += strncasecmp(text.p + i, "</file", 6) == 0;
	return n;
}

static size_t ends_in(const struct json_doc *d, json_at i)
{
	struct buf text;
	size_t     n = 0;

	buf_init(&text, 64 * MIB);
	if (i != JSON_ABSENT && json_kind(d, i) == JSON_STRING) {
		CHECK(json_unescape(json_inner(d, i), &text));
		n = ends(buf_view(&text));
	}
	buf_finish(&text);
	return n;
}

static bool is_string(const struct json_doc *d, json_at object, const char *key)
{
	json_at i = json_get(d, object, key);

	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING;
}

/* blocks: of inline files. */
static size_t blocks(const struct json_doc *d)
{
	json_at files = json_get(d, json_get(d, 0, "context"), "files");
	size_t  n = 0;

	if (json_get(d, 0, "context") == JSON_ABSENT || files == JSON_ABSENT ||
	    json_kind(d, files) != JSON_ARRAY)
		return 0;
	JSON_EACH (f, d, files)
		n += !is_string(d, f, "uuid") && is_string(d, f, "content");
	return n;
}

/* check: what was made is JSON, and of a content that was a string it has so many ends of files. */
static void check(struct str made, size_t want, bool whole)
{
	struct json_doc d = { 0 };
	struct err      e;
	size_t          n = 0;

	CHECK(json_scan(&d, made.p, made.n, &json_limits_stored, &e) == ERR_OK);
	CHECK(json_kind(&d, 0) == JSON_OBJECT);
	json_at content = json_get(&d, 0, "content");
	if (content != JSON_ABSENT && json_kind(&d, content) == JSON_ARRAY) {
		JSON_EACH (i, &d, content)
			n += ends_in(&d, json_get(&d, i, "text"));
	} else {
		n = ends_in(&d, content);
	}
	CHECK(!whole || n == want);
	json_doc_finish(&d);
}

static enum errc read_fn(void *arg, size_t n, struct str *ret, struct err *e)
{
	(void)n;
	(void)e;
	*ret = *(struct str *)arg;
	return ERR_OK;
}

/* The first byte says what uploaded files are; they hold the message's own bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct context_shown  shown[FILES];
	struct context_named *named = NULL;
	struct json_doc       d = { 0 };
	struct str            message, made = STR_NONE;
	struct arena          arena;
	struct buf            out;
	struct err            e;
	size_t                count = 0, seen = 0;

	if (size < 2)
		return 0;
	message = (struct str){ (const char *)data + 1, size - 1 };
	if (json_scan(&d, message.p, message.n, &json_limits_request, &e) != ERR_OK ||
	    json_kind(&d, 0) != JSON_OBJECT) {
		json_doc_finish(&d);
		return 0;
	}
	arena_init(&arena, 64 * MIB);
	buf_init(&out, 64 * MIB);
	bool whole = json_get_some(&d, 0, "content") == JSON_ABSENT || is_string(&d, 0, "content");
	size_t own = ends_in(&d, json_get(&d, 0, "content")) + blocks(&d);

	CHECK(context_uploads(message, &arena, &named, &count, &e) == ERR_OK);
	bool lmc = json_get_some(&d, 0, "type") != JSON_ABSENT;
	if (json_get(&d, 0, "context") != JSON_ABSENT) {
		CHECK(context_render(message, CONTEXT_PROMPT, &arena, &made, &e) == ERR_OK);
		check(made, own + count, whole && !lmc);
	}
	for (size_t i = 0; i < count && i < FILES; i++) {
		enum attachment_kind kind =
			(enum attachment_kind)((data[0] >> i % 4) % ATTACHMENT__COUNT);

		shown[i] = (struct context_shown){ named[i].name,
						   { kind, "png" },
						   data[0] & 128 && i % 3 == 0 ? "deleted" : NULL };
		seen += kind == ATTACHMENT_TEXT || shown[i].missing;
	}
	if (count > 0 && count <= FILES) {
		struct context_contents contents = { CONTEXT_PROMPT, shown, count, read_fn,
						     &message };

		CHECK(context_fill(message, &contents, &out, &e) == ERR_OK);
		check(buf_view(&out), own + seen, whole);
	}
	buf_finish(&out);
	arena_finish(&arena);
	json_doc_finish(&d);
	return 0;
}
