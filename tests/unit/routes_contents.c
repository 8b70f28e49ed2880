/* Gemini's requests as OpenAI's: what is made of contents and members, and the paths of what is wrong. */
#include "base/limits.h"
#include "provider/provider.h"
#include "routes/gemini/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ONE(parts) "{\"contents\":[{\"role\":\"user\",\"parts\":[" parts "]}]}"
#define ASK(rest)  "{\"contents\":{\"parts\":{\"text\":\"q\"}}," rest "}"
#define ASKED      "{\"role\":\"user\",\"content\":\"q\"}"

/* read_all: the messages with line breaks between them, and then the members. */
static enum errc read_all(const char *body, unsigned takes, struct buf *out, size_t *ret_warnings,
			  struct err *e)
{
	struct gemini_reading x = { .takes = takes, .drops = true };
	const struct str     *list = NULL;
	const uint32_t       *origins = NULL;
	struct json_doc       doc = { 0 };
	struct arena          arena;
	size_t                count = 0;

	arena_init(&arena, MIB);
	buf_init(&x.out, MIB);
	warnings_init(&x.warnings);
	assert_int_equal(json_scan(&doc, body, strlen(body), &json_limits_request, e), ERR_OK);
	*e = (struct err){ 0 };
	x.doc = &doc;
	x.arena = &arena;
	x.members = arena_alloc(&arena, READING_MEMBERS * sizeof *x.members);
	assert_non_null(x.members);

	enum errc rc = contents_read(&x, proto_get(&doc, 0, "systemInstruction"),
				     proto_get(&doc, 0, "contents"), &list, &count, &origins, e);
	if (rc == ERR_OK)
		rc = generation_read(&x, proto_get(&doc, 0, "generationConfig"), e);
	if (rc == ERR_OK)
		rc = functions_read(&x, proto_get(&doc, 0, "tools"),
				    proto_get(&doc, 0, "toolConfig"), e);
	assert_int_equal(rc, e->code);
	for (size_t i = 0; rc == ERR_OK && i < count; i++)
		assert_true((i == 0 || buf_text(out, "\n")) && buf_str(out, list[i]));
	for (size_t i = 0; rc == ERR_OK && i < x.member_count; i++)
		assert_true(buf_text(out, "\n") && buf_str(out, x.members[i]));
	assert_true((x.max_tokens == 0 || buf_fmt(out, "\nmax %d", (int)x.max_tokens)) &&
		    buf_add(out, "", 1));
	*ret_warnings = x.warnings.count;
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	json_doc_finish(&doc);
	arena_finish(&arena);
	return rc;
}

static void requests_become_openai_s(void **state)
{
	(void)state;
	static const struct {
		const char *why, *body, *want;
		unsigned    takes;
		size_t      warnings;
	} cases[] = {
		{ "an instruction in the other spelling, and data without padding in the alphabet of URLs",
		  "{\"system_instruction\":{\"parts\":[{\"text\":\"s\"}]},\"contents\":[{\"parts\":[{\"text\":\"h\\u00e9\"},"
		  "{\"inline_data\":{\"mime_type\":\"image/png\",\"data\":\"iVBORw0KGgo_-w\"}}]}]}",
		  "{\"role\":\"system\",\"content\":\"s\"}\n{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"h\\u00e9\"},"
		  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0KGgo/+w==\"}}]}",
		  0, 0 },
		{ "text as data",
		  ONE("{\"inlineData\":{\"mimeType\":\"text/plain\",\"data\":\"aGk=\"}}"),
		  "{\"role\":\"user\",\"content\":\"hi\"}", 0, 0 },
		{ "contents of the model that follow each other, and results by name",
		  "{\"contents\":[{\"parts\":[{\"text\":\"q\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\"hm\",\"thought\":true}]},"
		  "{\"role\":\"model\",\"parts\":[{\"text\":\"a\"},{\"functionCall\":{\"name\":\"f\",\"args\":{\"x\":1}},\"thoughtSignature\":\"QQ==\"}]},"
		  "{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"id\":\"own\",\"name\":\"g\"}}]},"
		  "{\"parts\":[{\"functionResponse\":{\"name\":\"f\",\"response\":{\"r\":1}}},{\"functionResponse\":{\"id\":\"own\",\"name\":\"g\",\"response\":{}}},{\"text\":\"now\"}]}]}",
		  ASKED
		  "\n{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\",\"tool_calls\":["
		  "{\"id\":\"gemini_1\",\"extra_content\":{\"google\":{\"thought_signature\":\"QQ==\"}},\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}},"
		  "{\"id\":\"own\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}\n"
		  "{\"role\":\"tool\",\"tool_call_id\":\"gemini_1\",\"content\":\"{\\\"r\\\":1}\"}\n"
		  "{\"role\":\"tool\",\"tool_call_id\":\"own\",\"content\":\"{}\"}\n{\"role\":\"user\",\"content\":\"now\"}",
		  0, 0 },
		{ "members",
		  ASK("\"generationConfig\":{\"temperature\":0.5,\"topK\":40.0,\"maxOutputTokens\":9,\"stopSequences\":[\"a\",\"b\",\"c\",\"d\",\"e\"],"
		      "\"responseMimeType\":\"application/json\",\"responseSchema\":{\"type\":\"OBJECT\",\"properties\":{\"n\":{\"type\":\"INTEGER\",\"nullable\":true,\"minimum\":\"-1.5\",\"maxLength\":\"2\",\"default\":\"3\"}}}},"
		      "\"tools\":[{\"functionDeclarations\":{\"name\":\"f\"}},{\"googleSearch\":{}}],\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"f\"]}}"),
		  ASKED
		  "\n\"temperature\":0.5\n\"stop\":[\"a\",\"b\",\"c\",\"d\"]\n\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
		  "\"name\":\"output\",\"schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":[\"integer\",\"null\"],\"minimum\":-1.5,\"maxLength\":2,\"default\":\"3\"}}}}}\n"
		  "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]\n"
		  "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}}\nmax 9",
		  0, 3 },
		{ "the same for a model of Google's",
		  ASK("\"generationConfig\":{\"topK\":40.0,\"stopSequences\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}"),
		  ASKED "\n\"top_k\":40\n\"stop\":[\"a\",\"b\",\"c\",\"d\",\"e\"]",
		  PROVIDER_GEMINI | PROVIDER_TOP_K, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf out;
		struct err e;
		size_t     warnings;

		print_message("case: %s\n", cases[i].why);
		buf_init(&out, 16 * KIB);
		assert_int_equal(read_all(cases[i].body, cases[i].takes, &out, &warnings, &e),
				 ERR_OK);
		assert_string_equal(out.data, cases[i].want);
		assert_int_equal(warnings, cases[i].warnings);
		buf_finish(&out);
	}
}

static void what_is_wrong_has_its_place(void **state)
{
	(void)state;
	static const struct {
		const char *body, *path;
	} cases[] = {
		{ "{\"contents\":[1]}", "contents[0]" },
		{ "{\"contents\":[{\"role\":\"me\",\"parts\":[]}]}", "contents[0].role" },
		{ "{\"contents\":[{\"parts\":1}]}", "contents[0].parts" },
		{ ONE("1"), "contents[0].parts[0]" },
		{ ONE("{\"text\":1}"), "contents[0].parts[0].text" },
		{ ONE("{\"text\":\"a\",\"functionCall\":{}}"), "contents[0].parts[0]" },
		{ ONE("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"*\"}}"),
		  "contents[0].parts[0].inlineData.data" },
		{ ONE("{\"functionResponse\":{\"name\":\"f\",\"response\":{}}}"),
		  "contents[0].parts[0].functionResponse" },
		{ "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"functionCall\":{}}]}]}",
		  "contents[0].parts[0].functionCall.name" },
		{ ASK("\"generationConfig\":{\"temperature\":\"a\"}"),
		  "generationConfig.temperature" },
		{ ASK("\"generationConfig\":{\"candidateCount\":2}"),
		  "generationConfig.candidateCount" },
		{ ASK("\"generationConfig\":{\"stopSequences\":[1]}"),
		  "generationConfig.stopSequences[0]" },
		{ ASK("\"tools\":[{\"functionDeclarations\":[{}]}]"),
		  "tools[0].functionDeclarations[0].name" },
		{ ASK("\"tools\":[{\"functionDeclarations\":{\"name\":\"f\"}}],\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"SOME\"}}"),
		  "toolConfig.functionCallingConfig.mode" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf out;
		struct err e;
		size_t     warnings;

		buf_init(&out, KIB);
		assert_true(read_all(cases[i].body, 0, &out, &warnings, &e) != ERR_OK);
		assert_string_equal(e.path, cases[i].path);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_become_openai_s),
		cmocka_unit_test(what_is_wrong_has_its_place),
	};

	return cmocka_run_group_tests_name("routes/contents", tests, NULL, NULL);
}
