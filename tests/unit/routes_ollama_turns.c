/* Ollama's requests as OpenAI's: what is made of messages, prompts and members, and the paths of what is wrong. */
#include "base/limits.h"
#include "msg/prompt.h"
#include "provider/provider.h"
#include "routes/ollama/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PNG     "iVBORw0KGgoAAAAA"
#define IMAGE   "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64," PNG "\"}}"
#define CALL(f) "{\"role\":\"assistant\",\"tool_calls\":[" f "]}"
#define F(name) "{\"function\":{\"name\":\"" name "\",\"arguments\":{\"a\":1}}}"
#define MADE(id, name)                                                            \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"{\\\"a\\\":1}\"}}"
#define RESULT(of, text) "{\"role\":\"tool\"" of ",\"content\":\"" text "\"}"

/* read_all: the messages with line breaks between them, and then the members. */
static enum errc read_all(const char *body, unsigned takes, struct buf *out, size_t *ret_warnings,
			  struct err *e)
{
	struct ollama_reading x = { .takes = takes };
	struct call_what      made = { .message_count = 0 };
	struct json_doc       doc = { 0 };
	struct arena          arena;

	arena_init(&arena, MIB);
	buf_init(&x.out, MIB);
	warnings_init(&x.warnings);
	assert_int_equal(json_scan(&doc, body, strlen(body), &json_limits_request, e), ERR_OK);
	*e = (struct err){ 0 };
	x.doc = &doc;
	x.arena = &arena;

	json_at   messages = json_get(&doc, 0, "messages");
	enum errc rc = ollama_members_begin(&x, e);
	if (rc == ERR_OK)
		rc = messages != JSON_ABSENT
			     ? ollama_turns_read(&x, messages, &made.messages, &made.message_count,
						 e)
			     : ollama_turns_prompt(&x, json_get_some(&doc, 0, "system"),
						   json_get(&doc, 0, "prompt"),
						   json_get_some(&doc, 0, "images"), &made, e);
	if (rc == ERR_OK)
		rc = ollama_members_read(&x, 50, &made.prompt, e);
	assert_int_equal(rc, e->code);
	for (size_t i = 0; rc == ERR_OK && i < made.message_count; i++)
		assert_true((i == 0 || buf_text(out, "\n")) && buf_str(out, made.messages[i]));
	for (size_t i = 0; rc == ERR_OK && i < x.member_count; i++)
		assert_true(buf_text(out, "\n") && buf_str(out, x.members[i]));
	if (rc == ERR_OK && made.prompt.max_tokens.n > 0)
		assert_true(buf_text(out, "\nmax ") && buf_str(out, made.prompt.max_tokens));
	assert_true(buf_add(out, "", 1));
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
		{ "a text and an image",
		  "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
		  "{\"role\":\"user\",\"content\":\"h\\u00e9\",\"images\":[\"" PNG
		  "\",\"data:image/png;base64," PNG "\"]}]}",
		  "{\"role\":\"system\",\"content\":\"s\"}\n{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"h\\u00e9\"}," IMAGE
		  "," IMAGE "]}",
		  0, 0 },
		{ "calls get ids, and results find theirs by name, by id, and in their order",
		  "{\"messages\":[" CALL(F("f") "," F("g") ",{\"id\":\"own\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}") "," RESULT(
			  ",\"tool_name\":\"g\"", "1") "," RESULT(",\"tool_call_id\":\"own\"",
								  "2") "," RESULT("", "3") "]}",
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" MADE("ollama_1", "f") "," MADE(
			  "ollama_2",
			  "g") "," MADE("own",
					"f") "]}\n" RESULT(",\"tool_call_id\":\"ollama_2\"",
							   "1") "\n" RESULT(",\"tool_call_id\":\"own\"",
									    "2") "\n" RESULT(",\"tool_call_id\":\"ollama_1\"",
											     "3"),
		  0, 0 },
		{ "a thought",
		  "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\",\"thinking\":\"hm\"}]}",
		  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\"}", 0, 0 },
		{ "a prompt", "{\"prompt\":\"p\",\"system\":\"s\",\"images\":[]}",
		  "{\"role\":\"system\",\"content\":\"s\"}\n{\"role\":\"user\",\"content\":\"p\"}",
		  0, 0 },
		{ "options, of which others than Ollama have some",
		  "{\"prompt\":\"p\",\"think\":true,\"format\":\"json\",\"options\":{\"temperature\":0.5,\"top_k\":3,"
		  "\"num_predict\":99,\"num_ctx\":9,\"stop\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}}",
		  "{\"role\":\"user\",\"content\":\"p\"}\n\"temperature\":0.5\n\"stop\":[\"a\",\"b\",\"c\",\"d\"]\n"
		  "\"response_format\":{\"type\":\"json_object\"}\nmax 50",
		  0, 5 },
		{ "the same for Ollama",
		  "{\"prompt\":\"p\",\"think\":true,\"options\":{\"top_k\":3,\"num_predict\":-1,\"num_ctx\":9,\"stop\":\"a\"},\"truncate\":false}",
		  "{\"role\":\"user\",\"content\":\"p\"}\n\"top_k\":3\n\"stop\":[\"a\"]\n\"options\":{\"num_ctx\":9}\n\"think\":true\n"
		  "\"truncate\":false",
		  PROVIDER_OLLAMA | PROVIDER_TOP_K, 0 },
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
		{ "{\"messages\":[1]}", "messages[0]" },
		{ "{\"messages\":[{\"role\":\"user\",\"content\":1}]}", "messages[0].content" },
		{ "{\"messages\":[{\"role\":\"me\",\"content\":\"\"}]}", "messages[0].role" },
		{ "{\"messages\":[{\"role\":\"user\",\"images\":[\"QUJD\"]}]}",
		  "messages[0].images[0]" },
		{ "{\"messages\":[{\"role\":\"system\",\"images\":[\"" PNG "\"]}]}",
		  "messages[0].images" },
		{ "{\"messages\":[" CALL("1") "]}", "messages[0].tool_calls[0]" },
		{ "{\"messages\":[" CALL(F("")) "]}", "messages[0].tool_calls[0].function.name" },
		{ "{\"messages\":[" CALL("{\"function\":{\"name\":\"f\",\"arguments\":[]}}") "]}",
		  "messages[0].tool_calls[0].function.arguments" },
		{ "{\"messages\":[" CALL(F("f")) "," RESULT(",\"tool_name\":\"g\"", "") "]}",
		  "messages[1]" },
		{ "{\"prompt\":\"p\",\"images\":[1]}", "images[0]" },
		{ "{\"prompt\":\"p\",\"options\":{\"seed\":1.5}}", "options.seed" },
		{ "{\"prompt\":\"p\",\"options\":{\"stop\":[1]}}", "options.stop[0]" },
		{ "{\"prompt\":\"p\",\"options\":{\"num_predict\":1e12}}", "options.num_predict" },
		{ "{\"prompt\":\"p\",\"format\":1}", "format" },
		{ "{\"prompt\":\"p\",\"think\":\"much\"}", "think" },
		{ "{\"prompt\":\"p\",\"tools\":[{}]}", "tools[0].function" },
		{ "{\"prompt\":\"p\",\"tools\":[{\"function\":{}}]}", "tools[0].function.name" },
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

	return cmocka_run_group_tests_name("routes/ollama_turns", tests, NULL, NULL);
}
