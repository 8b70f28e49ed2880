/* Events printed as chunks and completions: exact bytes in both dialects, and each of them JSON. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoders.h"
#include "shape/encoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* An encoder, made at its first use from what was said of it until then. */
struct printer {
	struct encoder_about about;
	bool                 native;
	struct encoder      *n;
};

static void printer_start(struct printer *p, bool native)
{
	*p = (struct printer){
		.about = { .want_usage = native,
			   .run = { 1, 2 },
			   .conversation = { native, 3 },
			   .model = STR("my \"model\""),
			   .created_s = 1700000000 },
		.native = native,
	};
}

static void printer_finish(struct printer *p)
{
	encoder_destroy(TAKE(p->n));
}

static struct encoder *encoder(struct printer *p)
{
	if (!p->n)
		p->n = p->native ? chunk_create_ours(&p->about) : chunk_create(&p->about);
	assert_non_null(p->n);
	return p->n;
}

static bool printer_event(struct printer *p, const struct event *ev, uint64_t seq, struct buf *out)
{
	return encoder(p)->ops->event(p->n, ev, seq, out);
}

static bool printer_done(struct printer *p, uint64_t seq, struct buf *out)
{
	return encoder(p)->ops->done(p->n, seq, out);
}

static bool printer_error(struct printer *p, const struct err *e, uint64_t seq, struct buf *out)
{
	return encoder(p)->ops->error(p->n, e, STR("req_1"), seq, out);
}

static bool printer_whole(struct printer *p, const struct encoder_whole *w, struct buf *out)
{
	return encoder(p)->ops->whole(p->n, w, out);
}

/* want_usage: from now on, as another encoder that has printed nothing. */
static void want_usage(struct printer *p)
{
	printer_finish(p);
	p->about.want_usage = true;
}

#define RUN_BODY "00000000000000010000000000000002"
#define CONV     "conv_00000000000000010000000000000003"

/* Made chunks begin with one of these. */
/* clang-format off */
#define OURS   "\"conversation\":\"" CONV "\",\"run\":\"run_" RUN_BODY "\",\"message_id\":\"msg_" RUN_BODY "\","
#define HEAD                                                                                       \
	"\"id\":\"chatcmpl-" RUN_BODY "\",\"object\":\"chat.completion.chunk\","                             \
	"\"created\":1700000000,\"model\":\"my \\\"model\\\"\","
#define DELTA  "\"choices\":[{\"index\":0,\"delta\":{"
#define LAST   "},\"logprobs\":null,\"finish_reason\":null}]}"
#define ROLE   "\"role\":\"assistant\","
#define NO_TEXT ROLE "\"content\":null,"
#define USAGE_1                                                                                    \
	"{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7,"                         \
	"\"prompt_tokens_details\":{\"cached_tokens\":1},"                                         \
	"\"completion_tokens_details\":{\"reasoning_tokens\":2}}"
/* clang-format on */

static const struct usage usage_1 = {
	.known = true,
	.in = 3,
	.out = 4,
	.cached_read = 1,
	.reasoning = 2,
};

/* assert_json: every data line of every block is JSON, or the last block's mark. */
static void assert_json(struct str out)
{
	size_t start = 0;

	for (size_t i = 0; i < out.n; i++) {
		struct json_doc doc = { 0 };
		struct err      e;

		if (out.p[i] != '\n')
			continue;
		struct str line = { out.p + start, i - start };
		start = i + 1;
		if (line.n == 0 || str_starts(line, STR("id: ")) ||
		    str_starts(line, STR("event: ")))
			continue;
		if (!str_starts(line, STR("data: ")))
			fail_msg("a line that is no field: %.*s", STR_ARG(line));
		line = (struct str){ line.p + 6, line.n - 6 };
		if (!str_is(line, "[DONE]") &&
		    json_scan(&doc, line.p, line.n, &json_limits_request, &e) != ERR_OK)
			fail_msg("%s: %.*s", e.text, STR_ARG(line));
		json_doc_finish(&doc);
	}
	/* A block ends with an empty line, or the client would wait for it. */
	assert_int_equal(start, out.n);
	assert_true(out.n == 0 || (out.n > 2 && memcmp(out.p + out.n - 2, "\n\n", 2) == 0));
}

/* printed: the block of one event, NUL-terminated, until the next call. */
static const char *printed(struct printer *p, const struct event *ev, uint64_t seq)
{
	static char text[4096];
	struct buf  out;

	buf_init(&out, sizeof text - 1);
	assert_true(printer_event(p, ev, seq, &out));
	assert_json(buf_view(&out));
	memcpy(text, out.data ? out.data : "", out.len);
	text[out.len] = '\0';
	buf_finish(&out);
	return text;
}

/* --- made from events --- */

static void each_kind_of_event_has_its_chunk(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char  *why;
		struct event ev;
		const char  *first; /* what is in delta, when it is the first chunk */
		const char  *then;  /* and after one; NULL: no block at all */
	} cases[] = {
		{ "start", { .kind = EVENT_START }, ROLE "\"content\":\"\"", "\"content\":\"\"" },
		{ "text", { .kind = EVENT_TEXT, .text = { "a\\n", 3 } }, ROLE
		  "\"content\":\"a\\n\"",
		  "\"content\":\"a\\n\"" },
		{ "reasoning", { .kind = EVENT_REASONING, .text = { "hm", 2 } },
		  NO_TEXT "\"reasoning_content\":\"hm\"", "\"reasoning_content\":\"hm\"" },
		{ "refusal", { .kind = EVENT_REFUSAL, .text = { "no", 2 } }, ROLE
		  "\"refusal\":\"no\"",
		  "\"refusal\":\"no\"" },
		{ "tool call",
		  { .kind = EVENT_TOOL_START, .block = 1, .id = { "c1", 2 }, .name = { "f", 1 } },
		  NO_TEXT "\"tool_calls\":[{\"index\":1,\"id\":\"c1\",\"type\":\"function\","
			  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]",
		  "\"tool_calls\":[{\"index\":1,\"id\":\"c1\",\"type\":\"function\","
		  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]" },
		{ "tool call that its provider signed",
		  { .kind = EVENT_TOOL_START, .id = { "c1", 2 }, .name = { "f", 1 }, .text = { "QUJD",
		  4 } },
		  NO_TEXT "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
			  "\"extra_content\":{\"google\":{\"thought_signature\":\"QUJD\"}},"
			  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]",
		  "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
		  "\"extra_content\":{\"google\":{\"thought_signature\":\"QUJD\"}},"
		  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]" },
		{ "arguments", { .kind = EVENT_TOOL_ARGS, .block = 2, .text = { "{\\\"a\\\":",
		  7 } },
		  NO_TEXT "\"tool_calls\":[{\"index\":2,\"function\":{\"arguments\":\"{\\\"a\\\":"
		  	"\"}}]",
		  "\"tool_calls\":[{\"index\":2,\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]" },
		{ "end of a block", { .kind = EVENT_BLOCK_END }, NULL, NULL },
		{ "media", { .kind = EVENT_MEDIA, .text = { "{}", 2 } }, NULL, NULL },
		{ "an image", { .kind = EVENT_MEDIA, .text = { "{\"image_url\":\n7}", 16 } },
		  NO_TEXT "\"images\":[{\"image_url\": 7}]", "\"images\":[{\"image_url\": 7}]" },
		{ "tool call with something for its provider",
		  { .kind = EVENT_TOOL_START, .id = { "c1", 2 }, .name = { "f", 1 }, .text = { "{\"a\":\n1}",
		  8 } },
		  NO_TEXT "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
			  "\"extra_content\":{\"a\": 1},"
			  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]",
		  "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
		  "\"extra_content\":{\"a\": 1},"
		  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]" },
		{ "message", { .kind = EVENT_MESSAGE, .text = { "{}", 2 } }, NULL, NULL },
		{ "other", { .kind = EVENT_OTHER }, NULL, NULL },
		{ "details", { .kind = EVENT_OTHER, .name = { "[{},\n{}]", 8 } },
		  NO_TEXT "\"reasoning_details\":[{}, {}]", "\"reasoning_details\":[{}, {}]" },
		{ "error", { .kind = EVENT_ERROR }, NULL, NULL },
		{ "end", { .kind = EVENT_END }, NULL, NULL },
	};
	/* clang-format on */

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		bool           native = i % 2;
		struct printer p;
		char           want[2048] = "";

		print_message("case: %s, %s\n", cases[i / 2].why, native ? "native" : "OpenAI");
		printer_start(&p, native);
		if (cases[i / 2].first)
			snprintf(want, sizeof want, "%sdata: {%s" HEAD DELTA "%s" LAST "\n\n",
				 native ? "id: 7\n" : "", native ? OURS : "", cases[i / 2].first);
		assert_string_equal(printed(&p, &cases[i / 2].ev, 7), want);
		if (cases[i / 2].then)
			snprintf(want, sizeof want, "%sdata: {" HEAD DELTA "%s" LAST "\n\n",
				 native ? "id: 8\n" : "", cases[i / 2].then);
		assert_string_equal(printed(&p, &cases[i / 2].ev, 8), want);
		printer_finish(&p);
	}
}

static void a_finish_has_an_empty_delta_unless_it_is_the_first(void **state)
{
	(void)state;
	const struct event finish = { .kind = EVENT_FINISH, .text = STR("length") };
	struct printer     p;

	printer_start(&p, false);
	assert_string_equal(printed(&p, &finish, 1),
			    "data: {" HEAD DELTA ROLE "\"content\":\"\"},\"logprobs\":null,"
			    "\"finish_reason\":\"length\"}]}\n\n");
	assert_string_equal(printed(&p, &finish, 2), "data: {" HEAD DELTA "},\"logprobs\":null,"
						     "\"finish_reason\":\"length\"}]}\n\n");
	printer_finish(&p);
}

static void each_choice_has_its_role_once(void **state)
{
	(void)state;
	static const struct {
		uint32_t choice;
		bool     role;
	} cases[] = { { 0, true },  { 1, true },  { 0, false },
		      { 63, true }, { 1, false }, { 63, false } };
	struct printer p;

	printer_start(&p, false);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event ev = { .kind = EVENT_TEXT,
				    .choice = cases[i].choice,
				    .text = STR("x") };
		const char  *got = printed(&p, &ev, i);
		char         index[32];

		snprintf(index, sizeof index, "[{\"index\":%u,", cases[i].choice);
		assert_non_null(strstr(got, index));
		assert_int_equal(strstr(got, "\"role\":") != NULL, cases[i].role);
	}
	/* Beyond what is counted: never a crash. */
	printed(&p, &(struct event){ .kind = EVENT_TEXT, .choice = 127, .text = STR("x") }, 9);
	printer_finish(&p);
}

static void usage_is_printed_for_those_who_want_it(void **state)
{
	(void)state;
	const struct event usage = { .kind = EVENT_USAGE, .usage = usage_1 };
	const struct event text = { .kind = EVENT_TEXT, .text = STR("x") };
	struct printer     p;

	printer_start(&p, false);
	assert_string_equal(printed(&p, &usage, 1), "");
	assert_null(strstr(printed(&p, &text, 2), "usage"));
	printer_finish(&p);

	/* OpenAI sends a null in all chunks before the one with the usage. */
	printer_start(&p, false);
	want_usage(&p);
	assert_string_equal(printed(&p, &text, 1),
			    "data: {" HEAD DELTA ROLE "\"content\":\"x\"},\"logprobs\":null,"
			    "\"finish_reason\":null}],\"usage\":null}\n\n");
	assert_string_equal(printed(&p, &usage, 2),
			    "data: {" HEAD "\"choices\":[],\"usage\":" USAGE_1 "}\n\n");
	printer_finish(&p);

	printer_start(&p, true);
	assert_string_equal(printed(&p, &usage, 1),
			    "id: 1\ndata: {" OURS HEAD "\"choices\":[],\"usage\":" USAGE_1 "}\n\n");
	assert_null(strstr(printed(&p, &text, 2), "usage"));
	printer_finish(&p);
}

static void what_is_not_stored_names_no_conversation(void **state)
{
	(void)state;
	struct printer p;

	printer_start(&p, true);
	p.about.conversation = (struct id){ 0 };
	assert_string_equal(printed(&p, &(struct event){ .kind = EVENT_TEXT, .text = STR("x") }, 1),
			    "id: 1\ndata: {\"run\":\"run_" RUN_BODY
			    "\",\"message_id\":\"msg_" RUN_BODY "\"," HEAD DELTA ROLE
			    "\"content\":\"x\"" LAST "\n\n");
	printer_finish(&p);
}

static void a_providers_id_and_name_stand_in_all_chunks(void **state)
{
	(void)state;
	const struct event start = { .kind = EVENT_START,
				     .id = STR("up\\u0031"),
				     .text = STR("t\\\"y") };
	const struct event again = { .kind = EVENT_START,
				     .id = STR("other"),
				     .text = STR("other") };
	const struct event text = { .kind = EVENT_TEXT, .text = STR("x") };
	struct printer     p;

	printer_start(&p, false);
	assert_non_null(strstr(printed(&p, &start, 1), "{\"id\":\"up\\u0031\",\"object\":"));
	assert_non_null(strstr(printed(&p, &again, 2), "{\"id\":\"up\\u0031\",\"object\":"));
	assert_non_null(strstr(printed(&p, &text, 3), "\"model\":\"t\\\"y\","));
	printer_finish(&p);
	printer_start(&p, false);
	/* A name without an id: both are ours. */
	assert_non_null(strstr(
		printed(&p, &(struct event){ .kind = EVENT_START, .text = STR("t") }, 1), HEAD));
	printer_finish(&p);
}

static void an_id_too_long_to_keep_does_not_end_a_stream(void **state)
{
	(void)state;
	char           id[4096];
	struct event   start = { .kind = EVENT_START, .id = { id, sizeof id }, .text = STR("t") };
	struct printer p;
	struct buf     out;

	memset(id, 'i', sizeof id);
	printer_start(&p, false);
	buf_init(&out, MIB);
	assert_true(printer_event(&p, &start, 1, &out));
	assert_true(printer_event(&p, &(struct event){ .kind = EVENT_TEXT, .text = STR("x") }, 2,
				  &out));
	assert_json(buf_view(&out));
	buf_finish(&out);
	printer_finish(&p);
}

/* --- the provider's own --- */

/* raw_event: raw with the span of its usage marked by two bars. */
static struct event raw_event(const char *marked, char raw[512])
{
	struct event ev = { .kind = EVENT_TEXT, .text = STR("x") };
	const char  *open = strchr(marked, '|');
	const char  *close = open ? strchr(open + 1, '|') : NULL;
	size_t       n = 0;

	for (const char *p = marked; *p; p++)
		if (*p != '|')
			raw[n++] = *p;
	ev.raw = (struct str){ raw, n };
	if (close)
		ev.raw_usage = (struct str){ raw + (open - marked), (size_t)(close - open - 1) };
	return ev;
}

static void a_providers_chunk_goes_through_with_its_usage_cut_out(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *raw, *without, *with;
	} cases[] = {
		{ "no usage", "{\"id\":\"u\",\"choices\":[]}", "{\"id\":\"u\",\"choices\":[]}",
		  "{\"id\":\"u\",\"choices\":[]}" },
		{ "in front", "{|\"usage\":null,|\"id\":\"u\"}", "{\"id\":\"u\"}",
		  "{\"usage\":null,\"id\":\"u\"}" },
		{ "in the middle", "{\"id\":\"u\",|\"usage\" : {\"a\":1},|\"x\":2}",
		  "{\"id\":\"u\",\"x\":2}",
		  "{\"id\":\"u\",\"usage\" : {\"a\":1},\"x\":2}" },
		{ "at the end", "{\"id\":\"u\"|,\"usage\":{}|}", "{\"id\":\"u\"}",
		  "{\"id\":\"u\",\"usage\":{}}" },
		{ "line breaks between tokens",
		  "{\n\"id\":\"u\",\r\n |\"usage\":\n1,|\n\"x\":\"\\n\"}\n",
		  "{ \"id\":\"u\",    \"x\":\"\\n\"} ",
		  "{ \"id\":\"u\",   \"usage\": 1, \"x\":\"\\n\"} " },
		{ "unknown members and numbers as they came", "{\"n\":1.50e3,\"x\":{\"y\":[1, 2]}}",
		  "{\"n\":1.50e3,\"x\":{\"y\":[1, 2]}}", "{\"n\":1.50e3,\"x\":{\"y\":[1, 2]}}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct printer p;
		char           raw[512];
		char           want[1024];
		struct event   ev = raw_event(cases[i].raw, raw);

		print_message("case: %s\n", cases[i].why);
		printer_start(&p, false);
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].without);
		assert_string_equal(printed(&p, &ev, 1), want);
		want_usage(&p);
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].with);
		assert_string_equal(printed(&p, &ev, 2), want);
		printer_finish(&p);
		/* Native: always with it, and the first one with our members. */
		printer_start(&p, true);
		snprintf(want, sizeof want, "id: 1\ndata: {" OURS "%s\n\n", cases[i].with + 1);
		assert_string_equal(printed(&p, &ev, 1), want);
		snprintf(want, sizeof want, "id: 2\ndata: %s\n\n", cases[i].with);
		assert_string_equal(printed(&p, &ev, 2), want);
		printer_finish(&p);
	}
}

/* part_of: the span of a part that stands in whole. */
static struct str part_of(struct str whole, const char *part)
{
	const char *at = memmem(whole.p, whole.n, part, strlen(part));

	return (struct str){ at, at ? strlen(part) : 0 };
}

static void a_role_that_was_given_before_is_cut_out(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *raw, *without, *with; /* usage */
	} cases[] = {
		{ "alone", "{\"d\":{\"role\":\"assistant\",\"content\":\"x\"}}",
		  "{\"d\":{\"content\":\"x\"}}",
		  "{\"d\":{\"content\":\"x\"}}" },
		{ "usage behind it", "{\"d\":{\"role\":\"assistant\",\"c\":1},\"usage\":null,"
		  "\"e\":2}",
		  "{\"d\":{\"c\":1},\"e\":2}", "{\"d\":{\"c\":1},\"usage\":null,\"e\":2}" },
		{ "usage in front", "{\"usage\":null,\"d\":{\"role\":\"assistant\",\"c\":1}}",
		  "{\"d\":{\"c\":1}}", "{\"usage\":null,\"d\":{\"c\":1}}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct printer p;
		char           want[256];
		struct event   ev = { .kind = EVENT_TEXT, .text = STR("x") };

		print_message("case: %s\n", cases[i].why);
		ev.raw = str_of(cases[i].raw);
		ev.raw_role = part_of(ev.raw, "\"role\":\"assistant\",");
		ev.raw_usage = part_of(ev.raw, "\"usage\":null,");
		printer_start(&p, false);
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].without);
		assert_string_equal(printed(&p, &ev, 1), want);
		want_usage(&p);
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].with);
		assert_string_equal(printed(&p, &ev, 2), want);
		printer_finish(&p);
	}
}

static void a_stored_chunk_has_an_id_and_a_time_of_ours(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *raw, *without, *with; /* usage */
	} cases[] = {
		{ "in front", "{\"id\":\"up\",\"d\":{\"role\":\"assistant\",\"c\":1},\"usage\":null,\"e\":2}",
		  "{\"id\":\"chatcmpl-" RUN_BODY "\",\"d\":{\"c\":1},\"e\":2}",
		  "{\"id\":\"chatcmpl-" RUN_BODY "\",\"d\":{\"c\":1},\"usage\":null,\"e\":2}" },
		{ "between", "{\"usage\":null,\"id\" : \"up\" ,\"d\":{\"role\":\"assistant\",\"c\":1}}",
		  "{\"id\" : \"chatcmpl-" RUN_BODY "\" ,\"d\":{\"c\":1}}",
		  "{\"usage\":null,\"id\" : \"chatcmpl-" RUN_BODY "\" ,\"d\":{\"c\":1}}" },
		{ "behind", "{\"d\":{\"role\":\"assistant\",\"c\":1},\"usage\":null,\"id\":\"up\"}",
		  "{\"d\":{\"c\":1},\"id\":\"chatcmpl-" RUN_BODY "\"}",
		  "{\"d\":{\"c\":1},\"usage\":null,\"id\":\"chatcmpl-" RUN_BODY "\"}" },
		{ "its time, too", "{\"created\":5,\"id\":\"up\",\"d\":{\"role\":\"assistant\",\"c\":1}}",
		  "{\"created\":1700000000,\"id\":\"chatcmpl-" RUN_BODY "\",\"d\":{\"c\":1}}",
		  "{\"created\":1700000000,\"id\":\"chatcmpl-" RUN_BODY "\",\"d\":{\"c\":1}}" },
		{ "its time behind all, a line each", "{\"d\":{\"c\":1},\n\"id\":\"up\",\n\"created\" :5\n}",
		  "{\"d\":{\"c\":1}, \"id\":\"chatcmpl-" RUN_BODY "\", \"created\" :1700000000 }",
		  "{\"d\":{\"c\":1}, \"id\":\"chatcmpl-" RUN_BODY "\", \"created\" :1700000000 }" },
		{ "none", "{\"d\":{\"role\":\"assistant\",\"c\":1}}", "{\"d\":{\"c\":1}}",
		  "{\"d\":{\"c\":1}}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct printer p;
		char           want[256];
		struct event   ev = { .kind = EVENT_TEXT, .text = STR("x") };

		print_message("case: %s\n", cases[i].why);
		ev.raw = str_of(cases[i].raw);
		ev.raw_role = part_of(ev.raw, "\"role\":\"assistant\",");
		ev.raw_usage = part_of(ev.raw, "\"usage\":null,");
		ev.raw_id = part_of(ev.raw, "\"up\"");
		ev.raw_created = part_of(ev.raw, "5");
		printer_start(&p, false);
		p.about.conversation = (struct id){ 1, 3 };
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].without);
		assert_string_equal(printed(&p, &ev, 1), want);
		want_usage(&p);
		snprintf(want, sizeof want, "data: %s\n\n", cases[i].with);
		assert_string_equal(printed(&p, &ev, 2), want);
		printer_finish(&p);
	}
}

static void a_made_chunk_and_a_whole_answer_have_it_too(void **state)
{
	(void)state;
	struct printer       p;
	struct buf           out;
	struct usage         none = { 0 };
	struct event         start = { .kind = EVENT_START, .id = STR("up"), .text = STR("m") };
	struct str           raw = STR("{ \"x\":1, \"id\": \"up\", \"y\":\"up\",\n\"created\": 5}");
	struct encoder_whole whole = { .raw = raw,
				       .raw_id = part_of(raw, "\"up\""),
				       .raw_created = part_of(raw, "5"),
				       .usage = &none };
	struct encoder_whole made = { .message = STR("{}"),
				      .finish_reason = STR("stop"),
				      .usage = &none };

	printer_start(&p, false);
	p.about.conversation = (struct id){ 1, 3 };
	assert_non_null(
		strstr(printed(&p, &start, 1), "{\"id\":\"chatcmpl-" RUN_BODY "\",\"object\""));
	assert_non_null(strstr(printed(&p, &start, 2), "\"model\":\"m\""));
	buf_init(&out, KIB);
	assert_true(printer_whole(&p, &whole, &out));
	assert_true(str_is(buf_view(&out),
			   "{ \"x\":1, \"id\": \"chatcmpl-" RUN_BODY "\", \"y\":\"up\",\n"
			   "\"created\": 1700000000}"));
	buf_clear(&out);
	assert_true(printer_whole(&p, &made, &out));
	assert_true(str_starts(buf_view(&out), STR("{\"id\":\"chatcmpl-" RUN_BODY "\",")));
	buf_finish(&out);
	printer_finish(&p);
}

static void a_raw_chunk_is_printed_once_whatever_events_it_makes(void **state)
{
	(void)state;
	struct printer p;
	struct event   first = { .kind = EVENT_START, .id = STR("u"), .raw = STR("{\"a\":1}") };
	struct event   cont = { .kind = EVENT_TEXT, .text = STR("x"), .cont = true };
	struct event   other = { .kind = EVENT_OTHER, .raw = STR("{\"b\":2}") };

	printer_start(&p, false);
	assert_string_equal(printed(&p, &first, 1), "data: {\"a\":1}\n\n");
	assert_string_equal(printed(&p, &cont, 1), "");
	assert_string_equal(printed(&p, &other, 2), "data: {\"b\":2}\n\n");
	/* A made chunk among them has the same id, and no second role. */
	assert_non_null(
		strstr(printed(&p, &(struct event){ .kind = EVENT_TEXT, .text = STR("y") }, 3),
		       "{\"id\":\"u\",\"object\":\"chat.completion.chunk\""));
	assert_null(strstr(printed(&p, &(struct event){ .kind = EVENT_TEXT, .text = STR("y") }, 4),
			   "role"));
	printer_finish(&p);
}

static void a_usage_chunk_that_only_we_asked_for_is_left_out(void **state)
{
	(void)state;
	struct printer p;
	struct event   usage = { .kind = EVENT_USAGE,
				 .usage = usage_1,
				 .raw = STR("{\"choices\":[],\"usage\":{}}"),
				 .raw_only_usage = true };

	usage.raw_usage = (struct str){ usage.raw.p + 13, 11 };
	printer_start(&p, false);
	assert_string_equal(printed(&p, &usage, 1), "");
	want_usage(&p);
	assert_string_equal(printed(&p, &usage, 2), "data: {\"choices\":[],\"usage\":{}}\n\n");
	printer_finish(&p);
	printer_start(&p, true);
	assert_string_equal(printed(&p, &usage, 1),
			    "id: 1\ndata: {" OURS "\"choices\":[],\"usage\":{}}\n\n");
	printer_finish(&p);
}

static void our_members_stand_in_the_first_block_that_goes_out(void **state)
{
	(void)state;
	struct printer p;
	struct event   none = { .kind = EVENT_OTHER };
	struct event   raw = { .kind = EVENT_TEXT, .text = STR("x"), .raw = STR("{\"a\":1}") };
	struct event   made = { .kind = EVENT_TEXT, .text = STR("x") };

	printer_start(&p, true);
	assert_string_equal(printed(&p, &none, 1), "");
	assert_string_equal(printed(&p, &raw, 2), "id: 2\ndata: {" OURS "\"a\":1}\n\n");
	assert_null(strstr(printed(&p, &made, 3), "\"run\""));
	printer_finish(&p);
}

/* --- ends --- */

static void last_blocks_are_named_in_the_native_dialect_only(void **state)
{
	(void)state;
	static const char error[] = "data: {\"error\":{\"message\":\"it broke\",\"type\":"
				    "\"upstream_error\","
				    "\"param\":null,\"code\":\"upstream_error\",\"request_id\":"
				    "\"req_1\"}}\n\n";
	struct err        e;

	err_set(&e, ERR_UPSTREAM_ERROR, "", "it broke");
	for (int native = 0; native < 2; native++) {
		struct printer p;
		struct buf     out;
		char           want[512];

		printer_start(&p, native);
		buf_init(&out, KIB);
		assert_true(printer_done(&p, 9, &out));
		assert_json(buf_view(&out));
		assert_true(str_is(buf_view(&out), native ? "id: 9\nevent: done\ndata: [DONE]\n\n"
							  : "data: [DONE]\n\n"));
		buf_clear(&out);
		assert_true(printer_error(&p, &e, 10, &out));
		assert_json(buf_view(&out));
		snprintf(want, sizeof want, "%s%s", native ? "id: 10\nevent: error\n" : "", error);
		assert_true(str_is(buf_view(&out), want));
		buf_finish(&out);
		printer_finish(&p);
	}
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
	(void)state;
	const struct event evs[] = {
		{ .kind = EVENT_TEXT, .text = STR("x") },
		{ .kind = EVENT_USAGE, .usage = usage_1 },
		{ .kind = EVENT_TOOL_START, .id = STR("c"), .name = STR("f") },
		{ .kind = EVENT_OTHER, .raw = STR("{\"a\":\n[1,2,3],\"usage\":{}}") },
	};

	for (size_t i = 0; i < ARRAY_LEN(evs); i++) {
		bool fitted = false;

		/* Every length is full somewhere else. */
		for (size_t max = 0; !fitted; max++) {
			struct printer p;
			struct buf     out;

			assert_true(max < KIB);
			printer_start(&p, true);
			buf_init(&out, max + 4);
			assert_true(buf_text(&out, "kept"));
			fitted = printer_event(&p, &evs[i], 1, &out);
			if (!fitted)
				assert_true(str_is(buf_view(&out), "kept"));
			/* Our members wait for a chunk that goes out. */
			assert_int_equal(strstr(printed(&p, &evs[0], 2), "\"run\"") == NULL,
					 fitted);
			buf_finish(&out);
			printer_finish(&p);
		}
	}
}

static void a_last_block_that_does_not_fit_leaves_nothing_behind(void **state)
{
	(void)state;
	struct err e;

	err_set(&e, ERR_UPSTREAM_ERROR, "", "it broke");
	for (int failed = 0; failed < 2; failed++) {
		bool fitted = false;

		for (size_t max = 0; !fitted; max++) {
			struct printer p;
			struct buf     out;

			assert_true(max < KIB);
			printer_start(&p, true);
			buf_init(&out, max + 4);
			assert_true(buf_text(&out, "kept"));
			fitted =
				failed ? printer_error(&p, &e, 1, &out) : printer_done(&p, 1, &out);
			if (!fitted)
				assert_true(str_is(buf_view(&out), "kept"));
			buf_finish(&out);
			printer_finish(&p);
		}
	}
}

/* --- warnings --- */

#define WARNED \
	"\"warnings\":[{\"index\":2,\"code\":\"not_sent\",\"message\":\"it is \\\"odd\\\"\"}],"

static void warnings_stand_in_the_first_block_of_our_dialect(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char  *why;
		bool         native, any;
		struct event ev;
		const char  *want;
	} cases[] = {
		{ "made", true, true, { .kind = EVENT_TEXT, .text = { "x", 1 } },
		  "id: 1\ndata: {" OURS WARNED HEAD DELTA ROLE "\"content\":\"x\"" LAST "\n\n" },
		{ "the provider's own", true, true,
		  { .kind = EVENT_TEXT, .text = { "x", 1 }, .raw = { "{\"a\":1}", 7 } },
		  "id: 1\ndata: {" OURS WARNED "\"a\":1}\n\n" },
		{ "there are none", true, false, { .kind = EVENT_TEXT, .text = { "x", 1 } },
		  "id: 1\ndata: {" OURS HEAD DELTA ROLE "\"content\":\"x\"" LAST "\n\n" },
		{ "OpenAI's dialect has no place for them", false, true,
		  { .kind = EVENT_TEXT, .text = { "x", 1 } },
		  "data: {" HEAD DELTA ROLE "\"content\":\"x\"" LAST "\n\n" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct printer  p;
		struct warnings warnings;

		print_message("case: %s\n", cases[i].why);
		warnings_init(&warnings);
		if (cases[i].any)
			warnings_add(&warnings, 2, "not_sent", "it is \"odd\"");
		printer_start(&p, cases[i].native);
		p.about.warnings = &warnings;
		assert_string_equal(printed(&p, &cases[i].ev, 1), cases[i].want);
		assert_null(strstr(printed(&p, &cases[i].ev, 2), "warnings"));
		printer_finish(&p);
		warnings_finish(&warnings);
	}
}

static void warnings_stand_in_a_whole_answer_of_our_dialect(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		bool            native = i & 1;
		struct str      raw = i & 2 ? STR("{\"a\":1}") : STR_NONE;
		struct printer  p;
		struct warnings warnings;
		struct buf      out;
		struct usage    none = { 0 };

		warnings_init(&warnings);
		warnings_add(&warnings, 2, "not_sent", "it is \"odd\"");
		printer_start(&p, native);
		p.about.warnings = &warnings;
		buf_init(&out, 4 * KIB);
		assert_true(printer_whole(&p,
					  &(struct encoder_whole){ .raw = raw,
								   .message = STR("{}"),
								   .finish_reason = STR("stop"),
								   .usage = &none },
					  &out));
		assert_int_equal(str_starts(buf_view(&out), STR("{" OURS WARNED)), native);
		assert_int_equal(memmem(out.data, out.len, "warnings", 8) != NULL, native);
		buf_finish(&out);
		printer_finish(&p);
		warnings_finish(&warnings);
	}
}

/* --- whole answers --- */

static void a_whole_answer_is_the_providers_or_made(void **state)
{
	(void)state;
#define WHOLE                                                                                     \
	"\"id\":\"chatcmpl-" RUN_BODY "\",\"object\":\"chat.completion\",\"created\":1700000000," \
	"\"model\":\"my \\\"model\\\"\",\"choices\":[{\"index\":0,"                               \
	"\"message\":{\"role\":\"assistant\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}]"
	static const struct {
		const char *why;
		bool        native;
		const char *raw;
		bool        usage;
		const char *want;
	} cases[] = {
		{ "OpenAI: raw, byte for byte", false, "{\n \"id\": \"u\" }", true,
		  "{\n \"id\": \"u\" }" },
		{ "native: raw with our members", true, "{\n \"id\": \"u\" }", true,
		  "{" OURS "\n \"id\": \"u\" }" },
		{ "made, with usage", false, "", true, "{" WHOLE ",\"usage\":" USAGE_1 "}" },
		{ "made, no usage known", false, "", false, "{" WHOLE "}" },
		{ "made, native", true, "", true, "{" OURS WHOLE ",\"usage\":" USAGE_1 "}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct printer  p;
		struct buf      out;
		struct json_doc doc = { 0 };
		struct err      e;
		struct usage    none = { 0 };

		print_message("case: %s\n", cases[i].why);
		printer_start(&p, cases[i].native);
		buf_init(&out, 4 * KIB);
		assert_true(printer_whole(&p,
					  &(struct encoder_whole){
						  .raw = str_of(cases[i].raw),
						  .message = STR("{\"role\":\"assistant\"}"),
						  .finish_reason = STR("stop"),
						  .usage = cases[i].usage ? &usage_1 : &none,
					  },
					  &out));
		assert_int_equal(json_scan(&doc, out.data, out.len, &json_limits_request, &e),
				 ERR_OK);
		assert_true(str_is(buf_view(&out), cases[i].want));
		json_doc_finish(&doc);
		buf_finish(&out);
		printer_finish(&p);
	}
#undef WHOLE
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_event_has_its_chunk),
		cmocka_unit_test(a_finish_has_an_empty_delta_unless_it_is_the_first),
		cmocka_unit_test(each_choice_has_its_role_once),
		cmocka_unit_test(usage_is_printed_for_those_who_want_it),
		cmocka_unit_test(what_is_not_stored_names_no_conversation),
		cmocka_unit_test(a_providers_id_and_name_stand_in_all_chunks),
		cmocka_unit_test(an_id_too_long_to_keep_does_not_end_a_stream),
		cmocka_unit_test(a_providers_chunk_goes_through_with_its_usage_cut_out),
		cmocka_unit_test(a_role_that_was_given_before_is_cut_out),
		cmocka_unit_test(a_stored_chunk_has_an_id_and_a_time_of_ours),
		cmocka_unit_test(a_made_chunk_and_a_whole_answer_have_it_too),
		cmocka_unit_test(a_raw_chunk_is_printed_once_whatever_events_it_makes),
		cmocka_unit_test(a_usage_chunk_that_only_we_asked_for_is_left_out),
		cmocka_unit_test(our_members_stand_in_the_first_block_that_goes_out),
		cmocka_unit_test(last_blocks_are_named_in_the_native_dialect_only),
		cmocka_unit_test(a_full_buffer_keeps_what_it_had),
		cmocka_unit_test(a_last_block_that_does_not_fit_leaves_nothing_behind),
		cmocka_unit_test(warnings_stand_in_the_first_block_of_our_dialect),
		cmocka_unit_test(warnings_stand_in_a_whole_answer_of_our_dialect),
		cmocka_unit_test(a_whole_answer_is_the_providers_or_made),
	};

	return cmocka_run_group_tests_name("shape/chunk", tests, NULL, NULL);
}
