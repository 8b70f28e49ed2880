/* libFuzzer: whatever a request of Gemini's API holds, the messages that are made of it are JSON objects with a role, the
 * members are members, and a refusal says where. */
#include "base/limits.h"
#include "json/member.h"
#include "provider/provider.h"
#include "routes/gemini/internal.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(struct str made)
{
	struct json_doc d = { 0 };
	struct err      e;

	CHECK(json_scan(&d, made.p, made.n, &json_limits_upstream, &e) == ERR_OK);
	CHECK(json_kind(&d, 0) == JSON_OBJECT);
	CHECK(json_get(&d, 0, "role") != JSON_ABSENT);
	CHECK(json_get(&d, 0, "content") != JSON_ABSENT);
	json_doc_finish(&d);
}

static json_at get_kind(const struct json_doc *d, const char *name, enum json_kind kind)
{
	json_at at = proto_get(d, 0, name);

	return json_is_kind(d, at, kind) ? at : JSON_ABSENT;
}

static void read_one(const struct json_doc *d, unsigned takes)
{
	struct gemini_reading x = { .doc = d, .takes = takes, .drops = true };
	const struct str     *list = NULL;
	const uint32_t       *origins = NULL;
	size_t                count = 0;
	struct arena          arena;
	struct err            e = { 0 };

	arena_init(&arena, 64 * MIB);
	x.arena = &arena;
	buf_init(&x.out, 64 * MIB);
	warnings_init(&x.warnings);
	x.members = arena_alloc(&arena, READING_MEMBERS * sizeof *x.members);
	enum errc rc =
		contents_read(&x, get_kind(d, "systemInstruction", JSON_OBJECT),
			      get_kind(d, "contents", JSON_ARRAY), &list, &count, &origins, &e);
	if (rc == ERR_OK)
		rc = generation_read(&x, get_kind(d, "generationConfig", JSON_OBJECT), &e);
	if (rc == ERR_OK)
		rc = functions_read(&x, get_kind(d, "tools", JSON_ARRAY),
				    get_kind(d, "toolConfig", JSON_OBJECT), &e);
	CHECK(rc == ERR_OK || rc == ERR_OVERLOADED || e.path[0]);
	for (size_t i = 0; i < count; i++)
		check_message(list[i]);
	for (size_t i = 0; i < x.member_count; i++)
		CHECK(json_member_is_one(x.members[i]));
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };

	if (json_scan(&d, (const char *)data, size, &json_limits_request, &e) == ERR_OK &&
	    get_kind(&d, "contents", JSON_ARRAY) != JSON_ABSENT) {
		read_one(&d, 0);
		read_one(&d, PROVIDER_GEMINI | PROVIDER_FILE_URL | PROVIDER_TOP_K);
	}
	json_doc_finish(&d);
	return 0;
}
