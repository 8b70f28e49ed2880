/* libFuzzer: whatever a request of Ollama's API holds, the messages that are made of it are JSON objects with a role, the
 * members are members, and a refusal says where. */
#include "base/limits.h"
#include "json/member.h"
#include "msg/prompt.h"
#include "provider/provider.h"
#include "routes/ollama/internal.h"
#include "schema/schema.h"

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

/* read_turns: as the two routes do. */
static enum errc read_turns(struct ollama_reading *x, struct call_what *ret, struct err *e)
{
	struct ollama_chat_request     chat = ollama_chat_request_init;
	struct ollama_generate_request one = ollama_generate_request_init;
	enum errc                      rc;

	if (json_get(x->doc, 0, "prompt") == JSON_ABSENT) {
		rc = fields_read(&ollama_chat_request_fields, x->doc, 0, "", x->arena, &chat, e);
		return rc == ERR_OK ? ollama_turns_read(x, chat.messages, &ret->messages,
							&ret->message_count, e)
				    : rc;
	}
	rc = fields_read(&ollama_generate_request_fields, x->doc, 0, "", x->arena, &one, e);
	return rc == ERR_OK ? ollama_turns_prompt(x, json_get_some(x->doc, 0, "system"),
						  json_get(x->doc, 0, "prompt"), one.images, ret, e)
			    : rc;
}

static void read_one(const struct json_doc *d, unsigned takes)
{
	struct ollama_reading x = { .doc = d, .takes = takes };
	struct call_what      made = { .message_count = 0 };
	struct arena          arena;
	struct err            e = { 0 };

	arena_init(&arena, 64 * MIB);
	x.arena = &arena;
	buf_init(&x.out, 64 * MIB);
	warnings_init(&x.warnings);
	enum errc rc = ollama_members_begin(&x, &e);
	if (rc == ERR_OK)
		rc = read_turns(&x, &made, &e);
	if (rc == ERR_OK)
		rc = ollama_members_read(&x, 1000, &made.prompt, &e);
	CHECK(rc == ERR_OK || rc == ERR_OVERLOADED || e.path[0]);
	for (size_t i = 0; rc == ERR_OK && i < made.message_count; i++)
		check_message(made.messages[i]);
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
	    json_kind(&d, 0) == JSON_OBJECT) {
		read_one(&d, 0);
		read_one(&d, PROVIDER_OLLAMA | PROVIDER_TOP_K | PROVIDER_REASONS);
	}
	json_doc_finish(&d);
	return 0;
}
