/* Gemini's shape: pieces and whole answers, and what is carried in the place of a signature. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoder.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define IDENTITY                                          \
	"\"modelVersion\":\"tiny\",\"responseId\":\"run_" \
	"00000000000000010000000000000002\""
#define PIECE(p)                                             \
	"data: {\"candidates\":[{\"content\":{\"parts\":[" p \
	"],\"role\":\"model\"},\"index\":0}]," IDENTITY "}\n\n"
#define LAST(p, word, usage)                                                          \
	"{\"candidates\":[{\"content\":{\"parts\":[" p                                \
	"],\"role\":\"model\"},\"finishReason\":\"" word "\",\"index\":0}]," IDENTITY \
	",\"usageMetadata\":{"                                                        \
	"\"promptTokenCount\":9,\"candidatesTokenCount\":3,\"totalTokenCount\":16" usage "}}"

static const struct usage used = {
	.known = true, .in = 9, .out = 7, .reasoning = 4, .cached_read = 2
};
#define USED ",\"thoughtsTokenCount\":4,\"cachedContentTokenCount\":2"

static struct encoder *encoder_new(struct str settings)
{
	struct encoder *n =
		gemini_stream_create(&(struct encoder_about){ .run = { 1, 2 },
							      .model = STR("tiny"),
							      .settings = settings,
							      .framing = family_gemini.framing });

	assert_non_null(n);
	return n;
}

static void pieces_of_a_stream(void **state)
{
	(void)state;
	static const struct event events[] = {
		{ .kind = EVENT_START, .id = { "up-1", 4 } },
		{ .kind = EVENT_REASONING, .text = { "hm", 2 } },
		{ .kind = EVENT_TEXT, .text = { "a", 1 } },
		{ .kind = EVENT_TOOL_START,
		  .block = 1,
		  .id = { "c1", 2 },
		  .name = { "f", 1 },
		  .text = { "QUJD", 4 } },
		{ .kind = EVENT_TOOL_START, .block = 2, .name = { "g", 1 } },
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = { "{\\\"x\\\":", 7 } },
		{ .kind = EVENT_TEXT, .text = { "b", 1 } },
		{ .kind = EVENT_BLOCK_END, .block = 2 },
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = { "1}", 2 } },
		{ .kind = EVENT_BLOCK_END, .block = 1 },
		{ .kind = EVENT_USAGE,
		  .usage = { .known = true, .in = 9, .out = 7, .reasoning = 4, .cached_read = 2 } },
		{ .kind = EVENT_FINISH, .text = { "tool_calls", 10 } },
	};

	for (size_t thoughts = 0; thoughts < 2; thoughts++) {
		struct encoder *n = encoder_new(thoughts ? STR(GEMINI_THOUGHTS) : STR_NONE);
		struct buf      out, want;

		buf_init(&out, 16 * KIB);
		buf_init(&want, 16 * KIB);
		for (size_t i = 0; i < ARRAY_LEN(events); i++)
			assert_true(n->ops->event(n, &events[i], 1 + i, &out));
		assert_true(n->ops->done(n, 99, &out));
		assert_true(
			(!thoughts ||
			 buf_text(&want, PIECE("{\"text\":\"hm\",\"thought\":true}"))) &&
			buf_text(
				&want,
				PIECE("{\"text\":\"a\"}") PIECE("{\"text\":\"b\"}") PIECE(
					"{\"functionCall\":{\"id\":\"c1\",\"name\":\"f\",\"args\":{\"x\":1}},"
					"\"thoughtSignature\":\"QUJD\"}")
					PIECE("{\"functionCall\":{\"name\":\"g\",\"args\":{}}}") "data: " LAST(
						"{\"text\":\"\"}", "STOP", USED) "\n\n") &&
			buf_add(&want, "", 1) && buf_add(&out, "", 1));
		assert_string_equal(out.data, want.data);
		encoder_destroy(n);
		buf_finish(&out);
		buf_finish(&want);
	}
}

#define OWN(more) "{\"candidates\": [{\"index\":0" more "}], \"responseId\": \"up-1\"}"
#define OWN_TEXT  OWN(",\"content\":{\"parts\":[{\"text\":\"a\"}]}")
#define OWN_END   OWN(",\"finishReason\":\"STOP\"")

/* own: an event that has a provider's object; its id and finishReason are found in it. */
static struct event own(enum event_kind kind, const char *raw)
{
	struct event ev = { .kind = kind, .form = RAW_GEMINI, .raw = str_of(raw) };
	const char  *id = strstr(raw, "\"up-1\"");
	const char  *end = strstr(raw, "\"STOP\"");

	if (id)
		ev.raw_id = (struct str){ id, 6 };
	if (end)
		ev.raw_created = (struct str){ end, 6 };
	return ev;
}

static void own_objects_pass(void **state)
{
	(void)state;
	static const struct event part = {
		.kind = EVENT_FINISH, .form = RAW_GEMINI, .text = { "stop", 4 }, .cont = true
	};
	static const struct event on = { .kind = EVENT_RESUMED };
	static const struct event more = { .kind = EVENT_TEXT, .text = { "b", 1 } };
	static const struct event secret = { .kind = EVENT_FINISH, .text = { "stop", 4 } };
	static const struct {
		const char         *why;
		const struct event *then[3];
		bool                fails;
		const char         *want; /* a comma between pieces, as in an array */
	} cases[] = {
		{ "a whole answer", { &part }, false, OWN_TEXT ",\n" OWN_END },
		{ "it breaks off", { 0 }, true, OWN_TEXT ",\n" OWN("") ",\n{\"error\":" },
		{ "it goes on elsewhere",
		  { &on, &more },
		  false,
		  OWN_TEXT ",\n" OWN("") ",\n{\"candidates\":[{\"content\":" },
		{ "its last word is not the provider's",
		  { &secret },
		  false,
		  OWN_TEXT ",\n" OWN_END ",\n{\"candidates\":" },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		bool                 stored = i % 2;
		struct encoder_about about = { .run = { 1, 2 },
					       .model = STR("tiny"),
					       .framing = family_gemini_array.framing };
		struct encoder      *n;
		struct event first = own(EVENT_TEXT, OWN_TEXT), last = own(EVENT_OTHER, OWN_END);
		struct err   e;
		struct buf   out, want;

		about.conversation.key = stored;
		n = gemini_stream_create(&about);
		print_message("case: %s\n", cases[i / 2].why);
		assert_non_null(n);
		buf_init(&out, 16 * KIB);
		buf_init(&want, 16 * KIB);
		assert_true(n->ops->event(n, &first, 1, &out) && n->ops->event(n, &last, 2, &out));
		for (size_t k = 0; k < ARRAY_LEN(cases[0].then) && cases[i / 2].then[k]; k++)
			assert_true(n->ops->event(n, cases[i / 2].then[k], 3 + k, &out));
		err_set(&e, ERR_STREAM_INCOMPLETE, "", "it broke off");
		assert_true(cases[i / 2].fails ? n->ops->error(n, &e, STR_NONE, 9, &out)
					       : n->ops->done(n, 9, &out));
		assert_true(buf_add(&out, "", 1) && buf_text(&want, "["));
		for (const char *p = cases[i / 2].want; *p;) {
			bool id = stored && strncmp(p, "up-1", 4) == 0;

			assert_true(
				buf_add(&want, p, !id) &&
				buf_text(&want, id ? "run_00000000000000010000000000000002" : ""));
			p += id ? 4 : 1;
		}
		assert_true(out.len > want.len);
		assert_memory_equal(out.data, want.data, want.len);
		assert_string_equal(out.data + out.len - 3, "]\n");
		encoder_destroy(n);
		buf_finish(&out);
		buf_finish(&want);
	}
}

static void whole_answers(void **state)
{
	(void)state;
	static const struct {
		const char *why, *message, *finish, *want;
	} cases[] = {
		{ "a text", "{\"role\":\"assistant\",\"content\":\"a\"}", "stop",
		  LAST("{\"text\":\"a\"}", "STOP", USED) },
		{ "nothing", "", "length", LAST("{\"text\":\"\"}", "MAX_TOKENS", USED) },
		{ "a refusal", "{\"content\":null,\"refusal\":\"no\"}", "stop",
		  LAST("{\"text\":\"no\"}", "SAFETY", USED) },
		{ "an image, signed",
		  "{\"images\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"},"
		  "\"extra_content\":{\"google\":{\"thought_signature\":\"QQ==\"}}}]}",
		  "stop",
		  LAST("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AAAA\"},\"thoughtSignature\":\"QQ==\"}",
		       "STOP", USED) },
		{ "a call that was cut, with a signature of Google's",
		  "{\"tool_calls\":[{\"id\":\"c\",\"extra_content\":{\"google\":{\"thought_signature\":\"QQ==\"}},"
		  "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"\"}}]}",
		  "tool_calls",
		  LAST("{\"functionCall\":{\"id\":\"c\",\"name\":\"f\",\"args\":{\"INVALID_JSON\":\"{\\\"\"}},"
		       "\"thoughtSignature\":\"QQ==\"}",
		       "STOP", USED) },
		{ "what another provider wants back: parley_rd:{\"v\":1,\"calls\":[{\"id\":\"call\",\"extra_content\":{\"x\":1}}]}",
		  "{\"tool_calls\":[{\"extra_content\":{\"x\":1},\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}",
		  "tool_calls",
		  LAST("{\"functionCall\":{\"name\":\"f\",\"args\":{}},\"thoughtSignature\":\"cGFybGV5X3JkOnsidiI6MSwiY2FsbHMiOlt7"
		       "ImlkIjoiY2FsbCIsImV4dHJhX2NvbnRlbnQiOnsieCI6MX19XX0=\"}",
		       "STOP", USED) },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder            *n = encoder_new(STR_NONE);
		const struct encoder_whole w = { .message = str_of(cases[i].message),
						 .finish_reason = str_of(cases[i].finish),
						 .usage = &used };
		struct buf                 out;

		print_message("case: %s\n", cases[i].why);
		buf_init(&out, 16 * KIB);
		assert_true(n->ops->whole(n, &w, &out) && buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
		buf_init(&out, 64);
		assert_true(buf_text(&out, "kept"));
		assert_false(n->ops->whole(n, &w, &out));
		assert_int_equal(out.len, 4);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void vectors_stand_in_the_order_of_their_texts(void **state)
{
	(void)state;
	const struct encoder_whole w = {
		.raw = STR(
			"{\"data\":[{\"index\":1,\"embedding\":[2, 3]},{\"index\":0,\"embedding\":[1]}]}"),
		.usage = &used,
	};
	static const struct {
		struct encoder *(*create)(const struct encoder_about *about);
		const char *want;
	} cases[] = {
		{ vectors_create_gemini,
		  "{\"embedding\":{\"values\":[1]},\"usageMetadata\":{\"promptTokenCount\":9}}" },
		{ vectors_create_gemini_list,
		  "{\"embeddings\":[{\"values\":[1]},{\"values\":[2, 3]}],\"usageMetadata\":{"
		  "\"promptTokenCount\":9}}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = cases[i].create(&(struct encoder_about){ .run = { 1, 2 } });
		struct buf      out;

		assert_non_null(n);
		buf_init(&out, KIB);
		assert_true(n->ops->whole(n, &w, &out) && buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_a_stream),
		cmocka_unit_test(own_objects_pass),
		cmocka_unit_test(whole_answers),
		cmocka_unit_test(vectors_stand_in_the_order_of_their_texts),
	};

	return cmocka_run_group_tests_name("shape/gemini_stream", tests, NULL, NULL);
}
