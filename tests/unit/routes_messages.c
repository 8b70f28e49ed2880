/* Anthropic's messages as OpenAI's: what is made of each block, and the paths of what is wrong. */
#include "base/limits.h"
#include "routes/messages/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PNG     "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AAAA\"}"
#define URL     "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}"
#define USER(c) "[{\"role\":\"user\",\"content\":[" c "]}]"
#define BOT(c)  "[{\"role\":\"assistant\",\"content\":[" c "]}]"
#define T(t)    "{\"type\":\"text\",\"text\":\"" t "\"}"

/* read_all: the messages with line breaks between them. */
static enum errc read_all(const char *system, const char *messages, struct buf *out,
			  size_t *ret_warnings, struct err *e)
{
	struct message_reading x = { 0 };
	struct json_doc        doc = { 0 };
	struct arena           arena;
	struct buf             body;
	const struct str      *list = NULL;
	size_t                 count = 0;

	arena_init(&arena, MIB);
	buf_init(&body, MIB);
	buf_init(&x.out, MIB);
	warnings_init(&x.warnings);
	assert_true(buf_fmt(&body, "{\"system\":%s,\"messages\":%s}", system, messages));
	assert_int_equal(json_scan(&doc, body.data, body.len, &json_limits_request, e), ERR_OK);
	x.doc = &doc;
	*e = (struct err){ 0 };
	enum errc rc = message_turns_read(&x, &arena, json_get_some(&doc, 0, "system"),
					  json_get(&doc, 0, "messages"), &list, &count, e);
	assert_int_equal(rc, e->code);
	for (size_t i = 0; rc == ERR_OK && i < count; i++) {
		struct json_doc made = { 0 };
		struct err      why;

		assert_int_equal(json_scan(&made, list[i].p, list[i].n, &json_limits_request, &why),
				 ERR_OK);
		json_doc_finish(&made);
		assert_true((i == 0 || buf_text(out, "\n")) && buf_str(out, list[i]));
	}
	*ret_warnings = x.warnings.count;
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	buf_finish(&body);
	json_doc_finish(&doc);
	arena_finish(&arena);
	return rc;
}

static void messages_of_openai_are_made(void **state)
{
	(void)state;
	static const struct {
		const char *why, *system, *messages, *want;
		size_t      warnings;
	} cases[] = {
		{ "a string", "null", "[{\"role\":\"user\", \"content\":\"h\\u00e9\"}]",
		  "{\"role\":\"user\", \"content\":\"h\\u00e9\"}", 0 },
		{ "a system prompt, and a member of their own", "\"be\"",
		  "[{\"content\":\"x\",\"role\":\"user\",\"own\":1}]",
		  "{\"role\":\"system\",\"content\":\"be\"}\n{\"role\":\"user\",\"content\":\"x\"}",
		  0 },
		{ "system in blocks, and one that only Anthropic needs",
		  "[" T("x-anthropic-billing-header: a") "," T(
			  "b") ",{\"type\":\"text\",\"text\":"
			       "\"c\",\"cache_control\":{\"type\":"
			       "\"ephemeral\"}}]",
		  USER(T("x") "," T("y")),
		  "{\"role\":\"system\",\"content\":\"b\\n\\nc\"}\n"
		  "{\"role\":\"user\",\"content\":\"x\\n\\ny\"}",
		  0 },
		{ "an empty system prompt", "\"\"", USER(T("x")),
		  "{\"role\":\"user\",\"content\":\"x\"}", 0 },
		{ "a system message in the middle", "null",
		  "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"system\",\"content\":\"b\"}]",
		  "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"system\",\"content\":\"b\"}",
		  0 },
		{ "an image", "null", USER(T("x") ",{\"type\":\"image\"," PNG "}"),
		  "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}," URL "]}",
		  0 },
		{ "an image by URL", "null",
		  USER("{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"http:\\/\\/x\"}}"),
		  "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
		  "\"http:\\/\\/x\"}}]}",
		  0 },
		{ "a PDF", "null",
		  USER("{\"type\":\"document\",\"title\":\"t.pdf\",\"source\":{\"type\":\"base64\","
		       "\"media_type\":\"application/pdf\",\"data\":\"AAAA\"}}"),
		  "{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"filename\":"
		  "\"t.pdf\",\"file_data\":\"data:application/pdf;base64,AAAA\"}}]}",
		  0 },
		{ "documents of text", "null",
		  USER("{\"type\":\"document\",\"title\":\"t\",\"source\":{\"type\":\"text\","
		       "\"media_type\":\"text/plain\",\"data\":\"d\"}},"
		       "{\"type\":\"document\",\"source\":{\"type\":\"content\",\"content\":[" T(
			       "e") "]}},{\"type\":\"search_result\",\"title\":\"t\",\"source\":\"s\","
				    "\"content\":[" T("f") "," T("g") "]}"),
		  "{\"role\":\"user\",\"content\":\"t\\nd\\n\\ne\\n\\nt\\ns\\nf\\ng\"}", 0 },
		{ "a document with an image", "null",
		  USER("{\"type\":\"document\",\"source\":{\"type\":\"content\",\"content\":[" T(
			  "e") ",{\"type\":\"image\"," PNG "}]}}"),
		  "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"e\"}," URL "]}",
		  0 },
		{ "two calls", "null",
		  BOT("{\"type\":\"thinking\",\"thinking\":\"h\",\"signature\":\"s\"}," T("a") "," T(
			  "b") ",{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\","
			       "\"input\":{\"x\": 1.0}},{\"type\":\"tool_use\",\"id\":\"c2\","
			       "\"name\":\"g\",\"input\":{}}"),
		  "{\"role\":\"assistant\",\"content\":\"ab\",\"tool_calls\":[{\"id\":\"c1\","
		  "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
		  "\"{\\\"x\\\": 1.0}\"}},{\"id\":\"c2\",\"type\":\"function\",\"function\":{"
		  "\"name\":\"g\",\"arguments\":\"{}\"}}]}",
		  0 },
		{ "thinking that nobody signed", "null",
		  BOT("{\"type\":\"thinking\",\"thinking\":\"h\\\"h\",\"signature\":\"\"}," T(
			  "a") ",{"
			       "\"type\":\"thinking\",\"thinking\":\"i\"},{\"type\":\"thinking\","
			       "\"thinking\":\"s\",\"signature\":\"s\"}"),
		  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":"
		  "\"h\\\"h\\n\\ni\"}",
		  0 },
		{ "only a call", "null",
		  BOT("{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{}}"),
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
		  "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
		  0 },
		{ "only thinking", "null",
		  "[{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"assistant\",\"content\":[{"
		  "\"type\":\"redacted_thinking\",\"data\":\"d\"}]}]",
		  "{\"role\":\"user\",\"content\":\"x\"}", 0 },
		{ "results stand first", "null",
		  USER(T("and") ",{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"r\"},"
				"{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"is_error\":false},"
				"{\"type\":\"tool_result\",\"tool_use_id\":\"c3\",\"is_error\":true,"
				"\"content\":[" T("no") "," T("way") "]}"),
		  "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"r\"}\n"
		  "{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"\"}\n"
		  "{\"role\":\"tool\",\"tool_call_id\":\"c3\",\"content\":\"Error: no\\n\\nway\"}\n"
		  "{\"role\":\"user\",\"content\":\"and\"}",
		  0 },
		{ "an error that says so", "null",
		  USER("{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"is_error\":true,"
		       "\"content\":\"TypeError\"}"),
		  "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"TypeError\"}", 0 },
		{ "an image in a result", "null",
		  USER("{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":[" T(
			  "r") ",{\"type\":\"image\"," PNG "}]}," T("q")),
		  "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}\n"
		  "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"From the result of "
		  "the call c:\"}," URL ",{\"type\":\"text\",\"text\":\"q\"}]}",
		  0 },
		{ "tools that Anthropic runs", "null",
		  BOT("{\"type\":\"server_tool_use\",\"id\":\"s\"},{\"type\":"
		      "\"web_search_tool_result\",\"tool_use_id\":\"s\",\"content\":[]}," T("x")),
		  "{\"role\":\"assistant\",\"content\":\"x\"}", 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;
		struct buf out;
		size_t     warnings;

		print_message("case: %s\n", cases[i].why);
		buf_init(&out, MIB);
		enum errc rc = read_all(cases[i].system, cases[i].messages, &out, &warnings, &e);
		if (rc != ERR_OK)
			fail_msg("%s: %s", e.path, e.text);
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		assert_int_equal(warnings, cases[i].warnings);
		buf_finish(&out);
	}
}

static void the_path_of_a_mistake_is_told(void **state)
{
	(void)state;
	static const struct {
		const char *system, *messages, *path;
		enum errc   want;
	} cases[] = {
		{ "null", "[]", "messages", ERR_INVALID_VALUE },
		{ "null", "[1]", "messages.0", ERR_INVALID_TYPE },
		{ "null", "[{\"content\":\"x\"}]", "messages.0.role", ERR_MISSING_PARAMETER },
		{ "null", "[{\"role\":\"tool\",\"content\":\"x\"}]", "messages.0.role",
		  ERR_INVALID_VALUE },
		{ "null", "[{\"role\":\"user\"}]", "messages.0.content", ERR_MISSING_PARAMETER },
		{ "null", "[{\"role\":\"user\",\"content\":1}]", "messages.0.content",
		  ERR_INVALID_TYPE },
		{ "null", USER("\"x\""), "messages.0.content.0", ERR_INVALID_VALUE },
		{ "null", USER("{\"type\":\"text\"}"), "messages.0.content.0.text",
		  ERR_MISSING_PARAMETER },
		{ "null", USER(T("x") ",{\"type\":\"hologram\"}"), "messages.0.content.1",
		  ERR_INVALID_VALUE },
		{ "null", USER("{\"type\":\"image\"}"), "messages.0.content.0.source",
		  ERR_MISSING_PARAMETER },
		{ "null", USER("{\"type\":\"image\",\"source\":{\"type\":\"file\"}}"),
		  "messages.0.content.0.source.file_id", ERR_MISSING_PARAMETER },
		{ "null",
		  USER("{\"type\":\"document\",\"source\":{\"type\":\"file\",\"file_id\":\"file_01\"}}"),
		  "messages.0.content.0.source.file_id", ERR_INVALID_VALUE },
		{ "null", USER("{\"type\":\"image\",\"source\":{\"type\":\"x\"}}"),
		  "messages.0.content.0.source", ERR_UNSUPPORTED_PARAMETER },
		{ "null",
		  USER("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"AAAA\"}}"),
		  "messages.0.content.0.source.media_type", ERR_MISSING_PARAMETER },
		{ "null",
		  USER("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
		       "\"image/png;\",\"data\":\"AAAA\"}}"),
		  "messages.0.content.0.source.media_type", ERR_INVALID_VALUE },
		{ "null",
		  USER("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
		       "\"image/png\",\"data\":\"?\"}}"),
		  "messages.0.content.0.source.data", ERR_INVALID_VALUE },
		{ "null",
		  USER("{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"http://x\"}}"),
		  "messages.0.content.0.source", ERR_UNSUPPORTED_PARAMETER },
		{ "null", USER("{\"type\":\"tool_result\"}"), "messages.0.content.0.tool_use_id",
		  ERR_MISSING_PARAMETER },
		{ "null",
		  USER("{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":[{\"type\":"
		       "\"tool_use\"}]}"),
		  "messages.0.content.0.content.0", ERR_INVALID_VALUE },
		{ "null", USER("{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{}}"),
		  "messages.0.content.0", ERR_INVALID_VALUE },
		{ "null", BOT("{\"type\":\"image\"," PNG "}"), "messages.0.content.0",
		  ERR_INVALID_VALUE },
		{ "null",
		  BOT("{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":\"x\"}"),
		  "messages.0.content.0.input", ERR_INVALID_TYPE },
		{ "1", USER(T("x")), "system", ERR_INVALID_TYPE },
		{ "[" T("x") ",{\"type\":\"image\"}]", USER(T("x")), "system.1",
		  ERR_INVALID_VALUE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;
		struct buf out;
		size_t     warnings;

		print_message("case: %s\n", cases[i].messages);
		buf_init(&out, MIB);
		assert_int_equal(read_all(cases[i].system, cases[i].messages, &out, &warnings, &e),
				 cases[i].want);
		assert_string_equal(e.path, cases[i].path);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_openai_are_made),
		cmocka_unit_test(the_path_of_a_mistake_is_told),
	};

	return cmocka_run_group_tests_name("routes/messages", tests, NULL, NULL);
}
