/* Answers in LMC's shape: exact bytes of streams and of whole answers. */
#include "tests/unit/shape_lmc_help.h"

/* --- streams --- */

struct row {
	const char  *why;
	bool         unfenced;
	struct event events[EVENTS];
	const char  *want;
	const char  *warnings; /* as codes_of has them; NULL: none */
};

static void give_row(struct stream *s, const struct row *row)
{
	/* A zero event is a start, which prints nothing: it stands for the end of the list. */
	for (size_t i = 0; i < EVENTS && row->events[i].kind != EVENT_START; i++)
		assert_true(give(s, &row->events[i]));
}

static void check_row(const struct row *row, bool (*end)(struct stream *s))
{
	struct stream s;
	struct seen   v;
	struct buf    codes;

	print_message("case: %s\n", row->why);
	buf_init(&codes, MIB);
	stream_begin(&s, !row->unfenced, 64 * MIB);
	give_row(&s, row);
	assert_true(end(&s));
	assert_text(&s.out, row->want);
	see(&v, buf_view(&s.out));
	assert_int_equal(v.last, 1);
	codes_of(&s.warnings, &codes);
	assert_text(&codes, row->warnings ? row->warnings : "");
	seen_finish(&v);
	buf_finish(&codes);
	stream_finish(&s);
}

/* clang-format off */
static const struct row streams[] = {
	{ "no event at all", false, { { 0 } }, DONE("1"), NULL },
	{ "text, as it comes; the event's number is the id, .1 is its second block",
	  false, { TEXT("Hi"), TEXT(" you"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "Hi") SAYS("2", M, " you") ENDS("3", M) DONE("4"), NULL },
	{ "one event with everything: one block for each piece of a segment",
	  false, { TEXT("a\\n```py\\nx\\ny\\n```\\nb"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("1.2", M)
	  START("1.3", C("py")) SAYS("1.4", C("py"), "x\\ny") ENDS("1.5", C("py"))
	  CONFIRM("1.6", "py", "x\\ny")
	  START("1.7", M) SAYS("1.8", M, "b") ENDS("2", M) DONE("3"), NULL },
	{ "fences are off", true, { TEXT("```py\\nx\\n```"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "```py\\nx\\n```") ENDS("2", M) DONE("3"), NULL },
	{ "what was held goes out with the finish, not with the end",
	  false, { TEXT("a"), TEXT(" \\n``"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("3", M, " \\n``") ENDS("3.1", M) DONE("4"), NULL },
	{ "without a finish it goes out with the end",
	  false, { TEXT("a"), TEXT("``") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("3", M, "``") ENDS("3.1", M)
	  DONE("3.2"), NULL },
	{ "white space alone is nothing", false, { TEXT(" \\n"), FINISH("stop") }, DONE("3"), NULL },
	{ "what comes behind the finish counts no more, nor does another finish",
	  false, { TEXT("a"), FINISH("stop"), TEXT("b"), CALL(0, "python"), ARGS(0, "c"),
	    FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M) DONE("7"), NULL },
	{ "only the first choice counts",
	  false, { OTHER_CHOICE(EVENT_TEXT, "x"), TEXT("a"), OTHER_CHOICE(EVENT_FINISH, "length"),
	    OTHER_CHOICE(EVENT_TOOL_START, ""), OTHER_CHOICE(EVENT_TOOL_ARGS, "{}"),
	    OTHER_CHOICE(EVENT_REFUSAL, "no"), TEXT("b"), FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") SAYS("7", M, "b") ENDS("8", M) DONE("9"), NULL },
	{ "halves of a pair meet",
	  false, { TEXT("a\\ud83d"), TEXT("\\ude00b"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, "\xf0\x9f\x98\x80" "b") ENDS("3", M)
	  DONE("4"), NULL },
	{ "a half whose other half never comes is kept as the escape it was",
	  false, { TEXT("a\\ud83d"), TEXT("b"), TEXT("\\ud83d"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, "\\ud83db") SAYS("4", M, "\\ud83d")
	  ENDS("4.1", M) DONE("5"), NULL },
	{ "escapes are JSON again", false, { TEXT("\\u0000\\t\\/\\\"\\\\ \\u00e9"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "\\u0000\\t/\\\"\\\\ \xc3\xa9") ENDS("2", M) DONE("3"), NULL },
	{ "a refusal is said", false, { REFUSAL("I "), REFUSAL("won't"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "I") SAYS("2", M, " won't") ENDS("3", M) DONE("4"), NULL },
	{ "a call of execute is code; its end is confirmed",
	  false, { CALL(0, "execute"), ARGS(0, "{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l"),
	    ARGS(0, "s\\\"}"), FINISH("tool_calls") },
	  START("2", C("sh")) SAYS("2.1", C("sh"), "l") SAYS("3", C("sh"), "s")
	  ENDS("4", C("sh")) CONFIRM("4.1", "sh", "ls") DONE("5"), NULL },
	{ "a call of python; the text in front is complete before it; a name may come in pieces",
	  false, { TEXT("See:\\n"), CALL(0, "py"), CALL(0, "thon"), ARGS(0, "1"), ARGS(0, "\\n2"),
	    FINISH("tool_calls") },
	  START("1", M) SAYS("1.1", M, "See:") SAYS("2", M, "\\n") ENDS("2.1", M)
	  START("4", C("python")) SAYS("4.1", C("python"), "1") SAYS("5", C("python"), "\\n2")
	  ENDS("6", C("python")) CONFIRM("6.1", "python", "1\\n2") DONE("7"), NULL },
	{ "empty code has no content, and is confirmed like any other",
	  false, { CALL(0, "python"), FINISH("tool_calls") },
	  START("2", C("python")) ENDS("2.1", C("python")) CONFIRM("2.2", "python", "") DONE("3"),
	  NULL },
	{ "a call of any other function is kept, told, and not to be confirmed",
	  false, { CALL(0, "f"), ARGS(0, "{\\\"a\\\":1}"), FINISH("tool_calls") },
	  START("2", T("f")) SAYS("2.1", T("f"), "{\\\"a\\\":1}") ENDS("3", T("f"))
	  LAST("4", "done", ",\"warnings\":[{\"index\":0,\"code\":\"unknown_function\",\"message\":"
	       "\"the function 'f' is neither execute nor python: its call is kept as it is\"}]"),
	  "0:unknown_function" },
	{ "calls keep apart, and the text behind them comes last",
	  false, { CALL(0, "python"), CALL(1, "python"), ARGS(1, "b"), ARGS(0, "a"), TEXT("end"),
	    ARGS(1, "c"), ARGS(0, "d"), FINISH("tool_calls") },
	  START("4", C("python")) SAYS("4.1", C("python"), "a") SAYS("7", C("python"), "d")
	  ENDS("8", C("python")) CONFIRM("8.1", "python", "ad")
	  START("8.2", C("python")) SAYS("8.3", C("python"), "bc") ENDS("8.4", C("python"))
	  CONFIRM("8.5", "python", "bc")
	  START("8.6", M) SAYS("8.7", M, "end") ENDS("8.8", M) DONE("9"), NULL },
	{ "an unusual end is told", false, { TEXT("a"), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M)
	  LAST("3", "done", ",\"finish_reason\":\"length\""), NULL },
	{ "with its escapes", false, { FINISH("a\\\"\\u00e9") },
	  LAST("2", "done", ",\"finish_reason\":\"a\\\"\\u00e9\""), NULL },
	{ "one that is longer than any word is not kept",
	  false, { FINISH("0123456789012345678901234567890123456789012345678901234567890123") },
	  DONE("2"), NULL },
	{ "one that just fits is",
	  false, { FINISH("012345678901234567890123456789012345678901234567890123456789012") },
	  LAST("2", "done", ",\"finish_reason\":"
	       "\"012345678901234567890123456789012345678901234567890123456789012\""), NULL },
	{ "an empty one is none, and ends the text all the same",
	  false, { TEXT("a "), FINISH(""), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, " ") ENDS("2.1", M)
	  LAST("4", "done", ",\"finish_reason\":\"length\""), NULL },
	{ "reasoning is told once",
	  false, { REASONING("h"), REASONING("m"), TEXT("a"), REASONING("!"), FINISH("stop") },
	  START("3", M) SAYS("3.1", M, "a") ENDS("5", M)
	  LAST("6", "done", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\",\"message\":"
	       "\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "each media part is told", false, { MEDIA, TEXT("a"), MEDIA, FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") ENDS("4", M)
	  LAST("5", "done", ",\"warnings\":[{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"},"
	       "{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"}]"),
	  "0:media_not_sent 0:media_not_sent" },
	{ "images stand behind what was said, each a segment",
	  false, { PICTURE("{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,QUJD\"}}"), TEXT("a"), PICTURE("{\"image_url\":{\"url\":\"file:///etc\"}}"), PICTURE("{\"image_url\":\"data:image\\/jpeg;base64,QUI=\",\"type\":\"image_url\"}"), FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") ENDS("5", M)
	  START("5.1", I("png")) SAYS("5.2", I("png"), "QUJD") ENDS("5.3", I("png"))
	  START("5.4", I("jpeg")) SAYS("5.5", I("jpeg"), "QUI=") ENDS("5.6", I("jpeg"))
	  LAST("6", "done", ",\"warnings\":[{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"}]"),
	  "0:media_not_sent" },
	{ "what means nothing here prints nothing",
	  false, { { .kind = EVENT_BLOCK_END }, { .kind = EVENT_MESSAGE, .text = { "{}", 2 } },
	    { .kind = EVENT_OTHER, .raw = { "{}", 2 } }, { .kind = EVENT_USAGE },
	    { .kind = EVENT_ERROR }, { .kind = EVENT_END } },
	  DONE("7"), NULL },
	{ "chunks of a provider that speaks LMC go through; what it also says in text does not",
	  false, { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"content\":\"a\",\"x\":[1, 2]}"), TOLD("a"),
	    CHUNK(M ",\"end\":true}"), CHUNK(CONSOLE ",\"start\":true}"),
	    CHUNK(CONSOLE ",\"content\":{\"a\":\"\\u00e9\"}}"), CHUNK(CONSOLE ",\"end\":true}"),
	    FINISH("stop") },
	  START("1", M) BLOCK("2", M ",\"content\":\"a\",\"x\":[1, 2]}") ENDS("4", M)
	  START("5", CONSOLE) BLOCK("6", CONSOLE ",\"content\":{\"a\":\"\\u00e9\"}}")
	  ENDS("7", CONSOLE) DONE("9"), NULL },
};
/* clang-format on */

static void streams_are_these_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++)
		check_row(&streams[i], give_done);
}

/* clang-format off */
static const struct row failures[] = {
	{ "before anything", false, { { 0 } }, FAILED("1") LAST("1.1", "error", ""), NULL },
	{ "in a text: its segment ends, with what was held",
	  false, { TEXT("a "), },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, " ") ENDS("2.1", M) FAILED("2.2")
	  LAST("2.3", "error", ""), NULL },
	{ "in code: it ends, and is not to be run",
	  false, { TEXT("```py\\nx\\ny") },
	  START("1", C("py")) SAYS("1.1", C("py"), "x\\ny") ENDS("2", C("py")) FAILED("2.1")
	  LAST("2.2", "error", ""), NULL },
	{ "behind code that was complete and confirmed",
	  false, { TEXT("```py\\nx\\n```\\n") },
	  START("1", C("py")) SAYS("1.1", C("py"), "x") ENDS("1.2", C("py")) CONFIRM("1.3", "py", "x")
	  FAILED("2") LAST("2.1", "error", ""), NULL },
	{ "calls that were held are given and not to be run",
	  false, { CALL(0, "python"), ARGS(0, "a"), CALL(1, "python"), ARGS(1, "b"), TEXT("c") },
	  START("2", C("python")) SAYS("2.1", C("python"), "a") ENDS("6", C("python"))
	  START("6.1", C("python")) SAYS("6.2", C("python"), "b") ENDS("6.3", C("python"))
	  START("6.4", M) SAYS("6.5", M, "c") ENDS("6.6", M)
	  FAILED("6.7") LAST("6.8", "error", ""), NULL },
	{ "behind the finish: all of it is out already",
	  false, { TEXT("a"), CALL(0, "python"), ARGS(0, "b"), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M)
	  START("3", C("python")) SAYS("3.1", C("python"), "b") ENDS("4", C("python"))
	  CONFIRM("4.1", "python", "b")
	  FAILED("5") LAST("5.1", "error", ",\"finish_reason\":\"length\""), NULL },
	{ "warnings are told all the same", false, { REASONING("hm") },
	  FAILED("2") LAST("2.1", "error",
	       ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\",\"message\":"
	       "\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "in a segment of a provider that speaks LMC",
	  false, { CHUNK(CONSOLE ",\"start\":true}"), CHUNK(CONSOLE ",\"content\":\"a\"}") },
	  START("1", CONSOLE) SAYS("2", CONSOLE, "a") ENDS("3", CONSOLE) FAILED("3.1")
	  LAST("3.2", "error", ""), NULL },
	{ "in code of such a provider: we confirm nothing of it",
	  false, { CHUNK(C("py") ",\"start\":true}"), CHUNK(C("py") ",\"content\":\"a\"}") },
	  START("1", C("py")) SAYS("2", C("py"), "a") ENDS("3", C("py")) FAILED("3.1")
	  LAST("3.2", "error", ""), NULL },
	{ "between its segments",
	  false, { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"end\":true}") },
	  START("1", M) ENDS("2", M) FAILED("3") LAST("3.1", "error", ""), NULL },
};
/* clang-format on */

static void a_failure_ends_what_is_open_and_confirms_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(failures); i++)
		check_row(&failures[i], give_error);
}

/* An LMC provider's own confirmations go through wherever they stand. */
static void a_providers_confirmation_goes_through(void **state)
{
	(void)state;
	static const struct event ev =
		CHUNK("{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":\"execution\","
		      "\"content\":{\"type\":\"code\",\"format\":\"py\",\"content\":\"x\"}}");
	struct stream s;

	stream_begin(&s, true, MIB);
	assert_true(give(&s, &ev));
	assert_true(give_error(&s));
	assert_text(&s.out, CONFIRM("1", "py", "x") FAILED("2") LAST("2.1", "error", ""));
	stream_finish(&s);
}

/* --- whole answers --- */

#define ANSWER(messages, finish, more)                                                                                                                                     \
	"{\"object\":\"lmc.messages\",\"conversation\":\"conv_00000000000000010000000000000003\",\"run\":\"run_00000000000000010000000000000002\",\"messages\":[" messages \
	"],\"finish_reason\":\"" finish "\"" more "}"
#define SAID(text) LMC("assistant", "message", PLAIN(text))

/* clang-format off */
static const struct whole_row {
	const char *why;
	bool        unfenced;
	const char *message, *lmc, *finish;
	bool        usage;
	const char *want; /* NULL: it fails */
	const char *warnings;
} wholes[] = {
	{ "text", false, "{\"role\":\"assistant\",\"content\":\"Hi\"}", "", "stop", false,
	  ANSWER(SAID("Hi"), "stop", ""), NULL },
	{ "with its usage", false, "{\"role\":\"assistant\",\"content\":\"Hi\"}", "", "stop", true,
	  ANSWER(SAID("Hi"), "stop", ",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
		 "\"total_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":0},"
		 "\"completion_tokens_details\":{\"reasoning_tokens\":0}}"), NULL },
	{ "nothing is told as such", false, "{\"role\":\"assistant\",\"content\":\"\"}", "", "stop",
	  false, ANSWER("", "stop", ",\"warnings\":[{\"index\":0,\"code\":\"empty_message\","
			"\"message\":\"the message has nothing to translate and is left out\"}]"),
	  "0:empty_message" },
	{ "fences", false, "{\"role\":\"assistant\",\"content\":\"a\\n```\\nx\\n```\"}", "", "stop",
	  false, ANSWER(SAID("a") "," LMC("assistant", "code", FORMAT("python", "x")), "stop", ""),
	  NULL },
	{ "no fences", true, "{\"role\":\"assistant\",\"content\":\"a\\n```\\nx\\n```\"}", "", "stop",
	  false, ANSWER(SAID("a\\n```\\nx\\n```"), "stop", ""), NULL },
	{ "a call", false,
	  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"python\",\"arguments\":\"x\"}}]}", "", "tool_calls", false,
	  ANSWER(LMC("assistant", "code", FORMAT("python", "x")), "tool_calls", ""), NULL },
	{ "a refusal alone is no loss", false,
	  "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I \\\"won't\\\"\"}", "", "stop",
	  false, ANSWER(SAID("I \\\"won't\\\""), "stop", ""), NULL },
	{ "without even a content", false, "{\"role\":\"assistant\",\"refusal\":\"no\"}", "", "stop",
	  false, ANSWER(SAID("no"), "stop", ""), NULL },
	{ "a refusal behind text", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":\"no\"}", "", "stop", false,
	  ANSWER(SAID("a") "," SAID("no"), "stop", ""), NULL },
	{ "a refusal beside a call", false,
	  "{\"role\":\"assistant\",\"refusal\":\"no\",\"function_call\":{\"name\":\"python\","
	  "\"arguments\":\"x\"}}", "", "stop", false,
	  ANSWER(LMC("assistant", "code", FORMAT("python", "x")) "," SAID("no"), "stop", ""), NULL },
	{ "an empty refusal is none", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":\"\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ""), NULL },
	{ "nor one that is no string", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":5}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ""), NULL },
	{ "reasoning is told", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\","
		 "\"message\":\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "also by its other name", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"hm\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\","
		 "\"message\":\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "where there is some", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"\",\"reasoning\":null}",
	  "", "stop", false, ANSWER(SAID("a"), "stop", ""), NULL },
	{ "a provider's LMC messages go before its message", false,
	  "{\"role\":\"assistant\",\"content\":\"other\"}", SAID("a") "," SAID("b"), "stop", false,
	  ANSWER(SAID("a") "," SAID("b"), "stop", ""), NULL },
	{ "no message at all", false, "", "", "stop", false, NULL, NULL },
	{ "one that is no JSON", false, "{", "", "stop", false, NULL, NULL },
	{ "one that is no object", false, "[]", "", "stop", false, NULL, NULL },
	{ "one that breaks a rule is told", false, "{\"role\":\"robot\",\"content\":\"a\"}", "",
	  "stop", false, ANSWER("", "stop", ",\"warnings\":[{\"index\":0,\"code\":\"not_shown\","
				"\"message\":\"message.role: must be one of system, "
				"developer, user, assistant, tool, function\"}]"),
	  "0:not_shown" },
};
/* clang-format on */

static bool give_whole(struct stream *s, const struct whole_row *row)
{
	const struct usage usage = { .known = row->usage, .in = 3, .out = 4 };

	return s->n->ops->whole(s->n,
				&(struct encoder_whole){
					.raw = STR("{\"id\":\"up\"}"),
					.message = str_of(row->message),
					.lmc = str_of(row->lmc),
					.finish_reason = str_of(row->finish),
					.usage = &usage,
				},
				&s->out);
}

static void whole_answers_are_these_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		const struct whole_row *row = &wholes[i];
		struct json_doc         d = { 0 };
		struct stream           s;
		struct buf              codes;

		print_message("case: %s\n", row->why);
		buf_init(&codes, MIB);
		stream_begin(&s, !row->unfenced, 64 * MIB);
		assert_true(buf_text(&s.out, "x"));
		assert_int_equal(give_whole(&s, row), row->want != NULL);
		buf_take_front(&s.out, 1);
		assert_text(&s.out, row->want ? row->want : "");
		codes_of(&s.warnings, &codes);
		assert_text(&codes, row->warnings ? row->warnings : "");
		if (row->want)
			scan(&d, buf_view(&s.out));
		/* What does not fit leaves nothing behind. */
		for (size_t max = 0; max < s.out.len; max++) {
			struct stream small;

			stream_begin(&small, !row->unfenced, max);
			assert_false(give_whole(&small, row));
			assert_int_equal(small.out.len, 0);
			stream_finish(&small);
		}
		json_doc_finish(&d);
		buf_finish(&codes);
		stream_finish(&s);
	}
}

static void an_answer_that_is_not_stored_names_no_conversation(void **state)
{
	(void)state;
	struct buf      out;
	struct usage    usage = { 0 };
	struct encoder *n = lmc_stream_create(&(struct encoder_about){ .run = { 1, 2 } });

	assert_non_null(n);
	buf_init(&out, KIB);
	assert_true(n->ops->whole(
		n,
		&(struct encoder_whole){
			.message = STR(
				"{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"hm\"}"),
			.finish_reason = STR("stop"),
			.usage = &usage },
		&out));
	/* And nobody asks for warnings. */
	assert_text(
		&out,
		"{\"object\":\"lmc.messages\",\"run\":\"run_00000000000000010000000000000002\",\"messages\":[" SAID(
			"a") "],\"finish_reason\":\"stop\"}");
	buf_clear(&out);
	assert_true(n->ops->done(n, 1, &out));
	assert_text(&out, DONE("1"));
	encoder_destroy(n);
	encoder_destroy(NULL);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_these_bytes),
		cmocka_unit_test(a_failure_ends_what_is_open_and_confirms_nothing),
		cmocka_unit_test(a_providers_confirmation_goes_through),
		cmocka_unit_test(whole_answers_are_these_bytes),
		cmocka_unit_test(an_answer_that_is_not_stored_names_no_conversation),
	};

	return cmocka_run_group_tests_name("lmc/stream", tests, NULL, NULL);
}
