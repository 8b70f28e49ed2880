/* libFuzzer: whatever the body of a response's request is, its input becomes messages that a store
 * and a dialect can read, or an error that names its place; its tools become tools of a chat. */
#include "base/limits.h"
#include "routes/response/internal.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(enum errc rc, const struct err *e, const char *under)
{
	CHECK(rc == e->code && e->text[0]);
	CHECK(strncmp(e->path, under, strlen(under)) == 0);
	CHECK(rc == ERR_INVALID_TYPE || rc == ERR_INVALID_VALUE || rc == ERR_MISSING_PARAMETER ||
	      rc == ERR_UNSUPPORTED_PARAMETER || rc == ERR_NOT_SUPPORTED_YET ||
	      rc == ERR_NOT_FOUND);
}

static void check_message(struct json_doc *d, struct str message)
{
	struct err e;

	CHECK(json_scan(d, message.p, message.n, &json_limits_stored, &e) == ERR_OK);
	CHECK(json_kind(d, 0) == JSON_OBJECT);
	CHECK(json_get_inner(d, 0, "role").n > 0);
	CHECK(json_get(d, 0, "content") != JSON_ABSENT);
	CHECK(json_get(d, 0, "type") == JSON_ABSENT); /* that would be an LMC message */
}

/* check_reference: a message that names a stored one is joined with it. */
static void check_reference(const struct call_request *rq, const struct call_reference *ref,
			    struct input *in)
{
	static const char stored[] = "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
				     "{\"id\":\"c\",\"type\":\"function\",\"function\":{}}]}";
	struct json_doc   d = { 0 };
	struct err        e = { 0 };
	struct str        made = STR_NONE;

	CHECK(ref->message < rq->what.message_count && !id_none(ref->id));
	enum errc rc = rq->thread.join(str_of(stored), rq->what.messages[ref->message], &in->arena,
				       &made, &e);
	if (rc == ERR_OK)
		check_message(&d, made);
	else
		CHECK(rc == ERR_NOT_FOUND);
	json_doc_finish(&d);
}

static void check_input(struct input *in, json_at input)
{
	struct response_origins origins = { .arena = &in->arena };
	struct warnings         w;
	struct response_reading reading = { .origins = &origins, .warnings = &w };
	struct call_request     rq = { 0 };
	struct json_doc         d = { 0 };
	struct err              e = { 0 };

	warnings_init(&w);
	reading.drops = in->doc.len % 2;
	reading.follows = in->doc.len % 3 == 0;
	reading.passes = in->doc.len % 5 == 0;
	enum errc rc = response_input_read(in, input, &reading, &rq, &e);

	if (rc != ERR_OK)
		check_error(rc, &e, "input");
	for (size_t i = 0; rc == ERR_OK && i < origins.count; i++)
		CHECK(origins.list[i].of == ORIGIN_TOOL ||
		      origins.list[i].message < rq.what.message_count);
	for (size_t i = 0; rc == ERR_OK && i < rq.what.message_count; i++)
		check_message(&d, rq.what.messages[i]);
	for (size_t i = 0; rc == ERR_OK && i < rq.thread.reference_count; i++)
		check_reference(&rq, &rq.thread.references[i], in);
	for (size_t i = 0; rc == ERR_OK && i < reading.item_count; i++)
		CHECK(reading.items[i].message == PROMPT_NO_MESSAGE ||
		      reading.items[i].message <= rq.what.message_count);
	json_doc_finish(&d);
	warnings_finish(&w);
}

/* wrapped: the members that were made are members of an object. */
static void check_members(struct str members, struct json_doc *d)
{
	struct buf text;
	struct err e;

	buf_init(&text, 64 * MIB);
	CHECK(buf_text(&text, "{") && buf_str(&text, members) && buf_text(&text, "}"));
	CHECK(json_scan(d, text.data, text.len, &json_limits_stored, &e) == ERR_OK);
	CHECK(members.n == 0 || json_is_kind(d, json_get(d, 0, "tools"), JSON_ARRAY));
	buf_finish(&text);
}

static void check_tools(struct input *in, bool drops)
{
	const struct json_doc  *doc = &in->doc;
	struct response_origins origins = { .arena = &in->arena };
	json_at                 list = json_get_some(doc, 0, "tools");
	struct warnings         w;
	struct json_doc         d = { 0 };
	struct buf              out;
	struct err              e = { 0 };
	struct response_tools   t = {
		  .d = doc,
		  .list = json_is_kind(doc, list, JSON_ARRAY) ? list : JSON_ABSENT,
		  .choice = json_get_some(doc, 0, "tool_choice"),
		  .drops = drops,
		  .warnings = &w,
		  .origins = &origins,
	};

	warnings_init(&w);
	buf_init(&out, 64 * MIB);
	enum errc rc = response_tools_read(&t, &out, &e);
	if (rc == ERR_OK) {
		check_members(buf_view(&out), &d);
		buf_clear(&out);
		CHECK(response_tools_show(&t, &out));
		CHECK(json_scan(&d, out.data, out.len, &json_limits_stored, &e) == ERR_OK);
		CHECK(!memchr(out.data, '\n', out.len));
	} else {
		check_error(rc, &e, "tool");
	}
	json_doc_finish(&d);
	buf_finish(&out);
	warnings_finish(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_create(64 * MIB);
	struct err    e;

	CHECK(in != NULL);
	if (buf_add(&in->body, data, size) &&
	    json_scan(&in->doc, in->body.data, in->body.len, &json_limits_request, &e) == ERR_OK &&
	    json_kind(&in->doc, 0) == JSON_OBJECT) {
		json_at input = json_get_some(&in->doc, 0, "input");

		if (input != JSON_ABSENT)
			check_input(in, input);
		check_tools(in, size % 2);
	}
	input_destroy(in);
	return 0;
}
