/* libFuzzer: whatever a request of Anthropic's API holds, the messages that are made of it are JSON
 * objects with a role, and a refusal says where. */
#include "base/limits.h"
#include "routes/messages/internal.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_reading x = { 0 };
	struct json_doc        d = { 0 };
	const struct str      *list = NULL;
	size_t                 count = 0;
	struct arena           arena;
	struct err             e = { 0 };

	if (json_scan(&d, (const char *)data, size, &json_limits_request, &e) != ERR_OK ||
	    !json_is_kind(&d, json_get(&d, 0, "messages"), JSON_ARRAY)) {
		json_doc_finish(&d);
		return 0;
	}
	x.doc = &d;
	arena_init(&arena, 64 * MIB);
	buf_init(&x.out, 64 * MIB);
	warnings_init(&x.warnings);
	if (message_turns_read(&x, &arena, json_get_some(&d, 0, "system"),
			       json_get(&d, 0, "messages"), &list, &count, &e) == ERR_OK) {
		CHECK(count > 0);
		for (size_t i = 0; i < count; i++)
			check_message(list[i]);
	} else {
		CHECK(e.code == ERR_OVERLOADED || e.path[0]);
	}
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	arena_finish(&arena);
	json_doc_finish(&d);
	return 0;
}
