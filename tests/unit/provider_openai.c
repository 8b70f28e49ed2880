/* OpenAI's dialect: requests as they leave, and recorded answers as events. */
#include "lmc/warnings.h"
#include "provider/remote.h"
#include "provider/secret_mask.h"
#include "refuse_memory.h"
#include "tests/unit/dialect_help.h"

/* --- events as text: KIND[choice.block](…) and * for raw, + for cont, nothing for neither --- */

struct heard {
	struct decoding in;
	struct buf      raw; /* of the newest event that had one */
	struct str      cut; /* its raw_usage, as a copy in cut_text */
	char            cut_text[512];
	bool            only_usage;
};

/* is_made: whether the dialect has made the id: 24 hexadecimal digits. */
static bool is_made(struct str id)
{
	return id.n == 29 && str_starts(id, STR("call_"));
}

/* put_details: what only the price needs, where there is any. */
static bool put_details(struct buf *out, const struct usage *u)
{
	bool ok = true;

	if (u->audio_in || u->audio_out || u->image_out || u->images)
		ok = buf_fmt(out, ";%d,%d,%d,%d", u->audio_in, u->audio_out, u->image_out,
			     u->images);
	if (u->billed)
		ok = ok && buf_fmt(out, ";%lld", (long long)u->bill);
	if (u->class != CLASS_UNTOLD)
		ok = ok && buf_fmt(out, ";%s", usage_class_word((enum usage_class)u->class));
	return ok;
}

static void put_event(struct buf *out, const struct event *ev)
{
	/* clang-format off */
	static const char *const kinds[EVENT__COUNT] = {
		[EVENT_START] = "START",   [EVENT_TEXT] = "TEXT",       [EVENT_REASONING] = "THINK",
		[EVENT_REFUSAL] = "REFUSE", [EVENT_TOOL_START] = "TOOL", [EVENT_TOOL_ARGS] = "ARGS",
		[EVENT_BLOCK_END] = "BLOCKEND", [EVENT_MEDIA] = "MEDIA", [EVENT_MESSAGE] = "MESSAGE",
		[EVENT_OTHER] = "OTHER",   [EVENT_USAGE] = "USAGE",     [EVENT_FINISH] = "FINISH",
		[EVENT_ERROR] = "ERROR",   [EVENT_END] = "END",
	};
	/* clang-format on */
	bool ok = buf_text(out, kinds[ev->kind]);

	if (ev->choice > 0)
		ok = ok && buf_fmt(out, "#%u", ev->choice);
	if (ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS)
		ok = ok && buf_fmt(out, "%u", ev->block);
	ok = ok && buf_text(out, "(");
	if (ev->kind == EVENT_USAGE)
		ok = ok &&
		     buf_fmt(out, "%lld,%lld,%lld,%lld,%lld", (long long)ev->usage.in,
			     (long long)ev->usage.out, (long long)ev->usage.cached_read,
			     (long long)ev->usage.cached_write, (long long)ev->usage.reasoning) &&
		     put_details(out, &ev->usage);
	if (ev->kind == EVENT_TOOL_START)
		ok = ok && buf_str(out, is_made(ev->id) ? STR("MADE") : ev->id) &&
		     buf_text(out, ",") && buf_str(out, ev->name);
	if (ev->kind == EVENT_START)
		ok = ok && buf_str(out, ev->id) && buf_text(out, ",");
	ok = ok && buf_str(out, ev->text) && buf_text(out, ")") &&
	     buf_text(out, ev->kind == EVENT_OTHER && ev->name.n > 0 ? "DETAILS" : "") &&
	     buf_text(out, ev->raw.n > 0 ? "* "
			   : ev->cont    ? "+ "
					 : " ");
	assert_true(ok);
}

static void on_event(void *arg, const struct event *ev)
{
	struct heard *t = arg;

	put_event(&t->in.out, ev);
	if (ev->raw.n == 0)
		return;
	buf_clear(&t->raw);
	assert_true(buf_str(&t->raw, ev->raw));
	assert_true(ev->raw_usage.n < sizeof t->cut_text);
	if (ev->raw_usage.n > 0) {
		assert_true(ev->raw_usage.p >= ev->raw.p &&
			    ev->raw_usage.p + ev->raw_usage.n <= ev->raw.p + ev->raw.n);
		memcpy(t->cut_text, ev->raw_usage.p, ev->raw_usage.n);
	}
	t->cut = (struct str){ t->cut_text, ev->raw_usage.n };
	t->only_usage = ev->raw_only_usage;
}

static void heard_open(struct heard *t)
{
	*t = (struct heard){ 0 };
	decoding_init(&t->in, &dialect_openai, on_event, t);
	buf_init(&t->raw, 1 << 20);
}

static void heard_close(struct heard *t)
{
	decoding_finish(&t->in);
	buf_finish(&t->raw);
}

/* --- streams --- */

/* clang-format off */
#define HEAD "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
#define FIRST HEAD "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}"
#define DELTA(d) HEAD "\"choices\":[{\"index\":0,\"delta\":{" d "},\"finish_reason\":null}]}"
#define CALLS(list) "\"tool_calls\":[" list "]"
#define CALL(index, id, name, args) "{\"index\":" index "," id "\"type\":\"function\",\"function\":" \
	"{\"name\":\"" name "\",\"arguments\":\"" args "\"}}"
#define MORE(index, args) "{\"index\":" index ",\"function\":{\"arguments\":\"" args "\"}}"
#define USED(counts) HEAD "\"choices\":[],\"usage\":{" counts "}}"
#define STOP(word) HEAD "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" word "\"}]}"

static const struct stream_case streams[] = {
	{ "text as OpenAI sends it",
	  { FIRST, DELTA("\"content\":\"Hel\""), DELTA("\"content\":\"l\\u00f6\\n\""), STOP("stop"),
	    HEAD "\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,"
		 "\"prompt_tokens_details\":{\"cached_tokens\":1},"
		 "\"completion_tokens_details\":{\"reasoning_tokens\":4}}}",
	    "[DONE]" },
	  "START(c1,m)* TEXT(Hel)* TEXT(l\\u00f6\\n)* FINISH(stop)* USAGE(3,2,1,0,4)* " },
	{ "content in the first chunk",
	  { DELTA("\"role\":\"assistant\",\"content\":\"a\""), STOP("length") },
	  "START(c1,m)* TEXT(a)+ FINISH(length)* " },
	{ "null content and empty deltas are passed on but mean nothing",
	  { FIRST, DELTA("\"content\":null"), DELTA(""), STOP("stop") },
	  "START(c1,m)* OTHER()* OTHER()* FINISH(stop)* " },
	{ "reasoning in both spellings",
	  { FIRST, DELTA("\"reasoning_content\":\"x\""), DELTA("\"reasoning\":\"y\",\"content\":\"\""),
	    DELTA("\"reasoning_content\":null,\"reasoning\":\"z\""), STOP("stop") },
	  "START(c1,m)* THINK(x)* THINK(y)* THINK(z)* FINISH(stop)* " },
	{ "a refusal", { FIRST, DELTA("\"refusal\":\"no\""), STOP("stop") },
	  "START(c1,m)* REFUSE(no)* FINISH(stop)* " },
	{ "tool calls in pieces",
	  { DELTA("\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_a\","
		  "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"ci\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"call_b\",\"type\":\"function\",\"function\":"
		  "{\"name\":\"g\",\"arguments\":\"{}\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(call_a,f)+ ARGS0({\\\"ci)* TOOL1(call_b,g)* ARGS1({})+ ARGS0(})* "
	  "FINISH(tool_calls)* " },
	{ "tool calls without an index (Gemini): a new id is the next call, and the end is tool_calls",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\","
		  "\"arguments\":\"{\"}}]"),
	    DELTA("\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]"),
	    DELTA("\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"),
	    STOP("stop") },
	  "START(c1,m) TOOL0(a,f) ARGS0({) ARGS0(}) TOOL1(b,f) ARGS1({}) FINISH(tool_calls) " },
	{ "an id repeated with each piece is printed anew",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		  "{\"name\":\"f\",\"arguments\":\"\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
		  "\"arguments\":\"{}\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({}) FINISH(tool_calls)* " },
	{ "a name in pieces, up to the first piece of the arguments",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		  "{\"name\":\"exe\",\"arguments\":\"\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"cu\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"\",\"function\":{\"name\":\"te\","
		  "\"arguments\":\"{\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"x\",\"arguments\":\"}\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,exe)+ TOOL0(,cu) TOOL0(,te) ARGS0({) ARGS0(}) FINISH(tool_calls)* " },
	{ "pieces of two names side by side",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		  "{\"name\":\"f\"}},{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"h\","
		  "\"arguments\":\"{}\"}}]"),
	    DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"g\"}},"
		  "{\"index\":1,\"function\":{\"name\":\"i\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ TOOL1(b,h)+ ARGS1({})+ TOOL0(,g) ARGS0({}) FINISH(tool_calls) " },
	{ "one index for two calls, in two chunks and in one",
	  { DELTA("\"role\":\"assistant\"," CALLS(CALL("0", "\"id\":\"a\",", "f", "{\\\"x\\\":1}"))),
	    DELTA(CALLS(CALL("0", "\"id\":\"b\",", "g", "{"))), DELTA(CALLS(MORE("0", "}"))),
	    DELTA(CALLS(CALL("1", "\"id\":\"c\",", "h", "{}") "," CALL("1", "\"id\":\"d\",", "i", "{}"))),
	    DELTA(CALLS(CALL("0", "\"id\":\"a\",", "f", " "))), STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({\\\"x\\\":1})+ TOOL1(b,g) ARGS1({) ARGS1(}) "
	  "TOOL2(c,h) ARGS2({}) TOOL3(d,i) ARGS3({}) ARGS0( ) FINISH(tool_calls)* " },
	{ "one id for two indices",
	  { DELTA("\"role\":\"assistant\"," CALLS(CALL("0", "\"id\":\"a\",", "f", "{"))),
	    DELTA(CALLS(CALL("1", "\"id\":\"a\",", "f", "{"))), DELTA(CALLS(MORE("0", "}"))),
	    DELTA(CALLS(MORE("1", "}"))), DELTA(CALLS(CALL("2", "\"id\":\"a\",", "g", "{}"))),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({)+ TOOL1(a_parley_2,f) ARGS1({) ARGS0(})* ARGS1(})* "
	  "TOOL2(a_parley_3,g) ARGS2({}) FINISH(tool_calls)* " },
	{ "no ids at all: one index, and none",
	  { DELTA("\"role\":\"assistant\"," CALLS(CALL("0", "", "f", "{\\\"x\\\":\\\"}{\\\\\\\"}"))),
	    DELTA(CALLS(CALL("0", "", "f", "\\\"}"))), DELTA(CALLS(CALL("0", "", "f", "{}"))),
	    DELTA(CALLS("{\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}")),
	    DELTA(CALLS("{\"id\":\"\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}")), STOP("stop") },
	  "START(c1,m) TOOL0(MADE,f) ARGS0({\\\"x\\\":\\\"}{\\\\\\\"}) ARGS0(\\\"}) TOOL1(MADE,f) "
	  "ARGS1({}) TOOL2(MADE,g) ARGS2({}) TOOL3(MADE,g) ARGS3({}) FINISH(tool_calls) " },
	{ "an id that comes with each piece, and changes, is not the id of a new call",
	  { DELTA("\"role\":\"assistant\"," CALLS(CALL("0", "\"id\":\"a\",", "f", "{"))),
	    DELTA(CALLS("{\"index\":0,\"id\":\"b\",\"function\":{\"name\":null,\"arguments\":\"}\"}}")),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({)+ ARGS0(}) FINISH(tool_calls)* " },
	{ "arguments as an object, and none",
	  { DELTA("\"role\":\"assistant\"," CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
		  "\"arguments\":{\"x\":\"\\n\"}}},{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\"}}")),
	    DELTA(CALLS(CALL("2", "\"id\":\"c\",", "h", ""))), STOP("tool_calls") },
	  "START(c1,m) TOOL0(a,f) ARGS0({\\\"x\\\":\\\"\\\\n\\\"}) TOOL1(b,g) TOOL2(c,h)* ARGS1({}) ARGS2({}) "
	  "FINISH(tool_calls) " },
	{ "a custom tool without input has none",
	  { DELTA("\"role\":\"assistant\"," CALLS("{\"index\":0,\"id\":\"a\",\"custom\":{\"name\":\"f\"}}")),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ FINISH(tool_calls)* " },
	{ "a signature alone, after the call",
	  { DELTA("\"role\":\"assistant\"," CALLS(CALL("0", "\"id\":\"a\",", "f", "{}"))),
	    DELTA(CALLS("{\"index\":0,\"extra_content\":{\"g\":1}}")), STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({})+ TOOL0(,{\"g\":1})* FINISH(tool_calls)* " },
	{ "calls of a further choice",
	  { HEAD "\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\"," CALLS(CALL("0", "\"id\":\"a\",", "f", "")) "}}]}",
	    HEAD "\"choices\":[{\"index\":1,\"delta\":{" CALLS(CALL("0", "\"id\":\"b\",", "g", "")) "}}]}",
	    HEAD "\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}" },
	  "START(c1,m)* TOOL#10(a,f)+ TOOL#11(b,g) ARGS#10({}) ARGS#11({}) FINISH#1(tool_calls) " },
	{ "the terminator ends a choice that was forgotten",
	  { HEAD "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}},"
		 "{\"index\":1,\"delta\":{\"role\":\"assistant\",\"content\":\"b\"}}]}",
	    STOP("stop"), "[DONE]" },
	  "START(c1,m)* TEXT(a)+ TEXT#1(b)+ FINISH(stop)* FINISH#1(stop) " },
	{ "reasoning beside the completion (xAI), and counts with a fraction",
	  { FIRST, STOP("stop"),
	    USED("\"prompt_tokens\":100,\"completion_tokens\":10,\"total_tokens\":140,"
		 "\"completion_tokens_details\":{\"reasoning_tokens\":30}"),
	    USED("\"prompt_tokens\":101.0,\"completion_tokens\":41") },
	  "START(c1,m)* FINISH(stop)* USAGE(100,40,0,0,30) USAGE(101,41,0,0,30) " },
	{ "reasoning among the completion", { FIRST, STOP("stop"),
	    USED("\"prompt_tokens\":100,\"completion_tokens\":10,\"total_tokens\":110,"
		 "\"completion_tokens_details\":{\"reasoning_tokens\":8}") },
	  "START(c1,m)* FINISH(stop)* USAGE(100,10,0,0,8)* " },
	{ "a later 0 erases nothing", { FIRST,
	    USED("\"prompt_tokens\":9,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":4}"),
	    STOP("stop"), USED("\"prompt_tokens\":0,\"completion_tokens\":5") },
	  "START(c1,m)* USAGE(9,3,4,0,0)* FINISH(stop)* USAGE(9,5,4,0,0) " },
	{ "counts that are no numbers", { FIRST, STOP("stop"),
	    USED("\"prompt_tokens\":\"many\",\"completion_tokens\":3"), USED("\"total_tokens\":3"), USED("") },
	  "START(c1,m)* FINISH(stop)* " },
	{ "Qwen's, DeepSeek's and LiteLLM's names", { FIRST, STOP("stop"),
	    USED("\"prompt_tokens\":9,\"completion_tokens\":1,\"prompt_tokens_details\":"
		 "{\"cached_tokens\":2,\"cache_creation_input_tokens\":3}"),
	    USED("\"prompt_tokens\":9,\"completion_tokens\":1,\"prompt_cache_hit_tokens\":4,"
		 "\"prompt_cache_miss_tokens\":5"),
	    USED("\"prompt_tokens\":9,\"completion_tokens\":1,\"cache_read_input_tokens\":5,"
		 "\"cache_creation_input_tokens\":1") },
	  "START(c1,m)* FINISH(stop)* USAGE(9,1,2,3,0) USAGE(9,1,4,3,0) USAGE(9,1,5,1,0) " },
	{ "stop after a forced call stays stop where the provider numbers its calls",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		  "{\"name\":\"f\",\"arguments\":\"{}\"}}]"),
	    STOP("stop") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0({})+ FINISH(stop)* " },
	{ "a custom tool's input",
	  { DELTA("\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"custom\","
		  "\"custom\":{\"name\":\"f\",\"input\":\"x\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(a,f)+ ARGS0(x)+ FINISH(tool_calls)* " },
	{ "a role on every chunk is cut out from the second on",
	  { FIRST, DELTA("\"role\":\"assistant\",\"content\":\"a\""), STOP("stop") },
	  "START(c1,m)* TEXT(a)* FINISH(stop)* " },
	{ "no role at all", { DELTA("\"content\":\"a\""), DELTA("\"content\":\"b\""), STOP("stop") },
	  "START(c1,m) TEXT(a) TEXT(b)* FINISH(stop)* " },
	{ "a role that is not ours to give out", { DELTA("\"role\":\"model\",\"content\":\"a\""), STOP("stop") },
	  "START(c1,m) TEXT(a) FINISH(stop)* " },
	{ "finish_reason \"\" is null",
	  { FIRST, HEAD "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}",
	    STOP("stop") },
	  "START(c1,m)* TEXT(a) FINISH(stop)* " },
	{ "a second finish reason is none", { FIRST, STOP("stop"), STOP("stop") },
	  "START(c1,m)* FINISH(stop)* " },
	{ "Mistral's model_length", { FIRST, STOP("model_length") }, "START(c1,m)* FINISH(length) " },
	{ "OpenRouter's details of reasoning, beside a text and alone",
	  { FIRST,
	    DELTA("\"reasoning\":\"a\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
		  "\"text\":\"a\"}]"),
	    DELTA("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"b\"},"
		  "{\"type\":\"reasoning.summary\",\"summary\":\"c\"},"
		  "{\"type\":\"reasoning.encrypted\",\"data\":\"d\"},7]"),
	    STOP("stop") },
	  "START(c1,m)* THINK(a)* OTHER()DETAILS+ THINK(b)* THINK(c)+ OTHER()DETAILS+ FINISH(stop)* " },
	{ "details alone, and of a chunk that clients can't take",
	  { FIRST, DELTA("\"reasoning_details\":[{\"data\":\"d\"}]"),
	    HEAD "\"choices\":[{\"delta\":{\"reasoning_details\":[{\"data\":\"d\"}]}}]}",
	    DELTA("\"reasoning_details\":[]"), DELTA("\"reasoning_details\":\"d\""), STOP("stop") },
	  "START(c1,m)* OTHER()DETAILS* OTHER()DETAILS OTHER()* OTHER()* FINISH(stop)* " },
	{ "images that the model made (OpenRouter)",
	  { FIRST,
	    DELTA("\"content\":\"\",\"images\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
		  "\"data:image/png;base64,QUJD\"}},7,{\"type\":\"text\"}]"),
	    STOP("stop") },
	  "START(c1,m)* MEDIA({\"type\":\"image_url\",\"image_url\":{\"url\":"
	  "\"data:image/png;base64,QUJD\"}})* FINISH(stop)* " },
	{ "what a call wants back with it",
	  { FIRST,
	    DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"extra_content\":{\"a\":[1]},"
		  "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"),
	    STOP("tool_calls") },
	  "START(c1,m)* TOOL0(c,f{\"a\":[1]})* ARGS0({})+ FINISH(tool_calls)* " },
	{ "Mistral's lists of parts",
	  { DELTA("\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
		  "[{\"type\":\"text\",\"text\":\"h\"}]},{\"type\":\"text\",\"text\":\"a\"},"
		  "{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"reference\",\"reference_ids\":[1]}]"),
	    STOP("stop") },
	  "START(c1,m) THINK(h) TEXT(a) TEXT(b) FINISH(stop)* " },
	{ "usage with the finish (Mistral)",
	  { FIRST, HEAD "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
			"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}" },
	  "START(c1,m)* FINISH(stop)* USAGE(1,2,0,0,0)+ " },
	{ "the tokens of audio and pictures, and the class",
	  { HEAD "\"service_tier\":\"auto\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
		 "\"images\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA\"}}]}}]}",
	    STOP("stop"),
	    HEAD "\"service_tier\":\"priority\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,"
		 "\"completion_tokens\":8,\"total_tokens\":17,"
		 "\"prompt_tokens_details\":{\"audio_tokens\":5,\"cached_tokens\":1,\"text_tokens\":4},"
		 "\"completion_tokens_details\":{\"audio_tokens\":2,\"image_tokens\":3,\"reasoning_tokens\":1,"
		 "\"accepted_prediction_tokens\":0,\"rejected_prediction_tokens\":0}}}" },
	  "START(c1,m)* MEDIA({\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA\"}})+ "
	  "FINISH(stop)* USAGE(9,8,1,0,1;5,2,3,1;priority)* " },
	{ "the class of the first chunk alone, and the cost (OpenRouter)",
	  { HEAD "\"service_tier\":\"flex\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
	    STOP("stop"), USED("\"prompt_tokens\":9,\"completion_tokens\":8,\"cost\":0.00014") },
	  "START(c1,m) TEXT(a) FINISH(stop)* USAGE(9,8,0,0,0;140000;flex)* " },
	{ "the cost in ticks (xAI), and what is no cost",
	  { FIRST, STOP("stop"),
	    USED("\"prompt_tokens\":9,\"completion_tokens\":8,\"cost\":\"free\",\"cost_in_usd_ticks\":37756000") },
	  "START(c1,m)* FINISH(stop)* USAGE(9,8,0,0,0;3775600)* " },
	{ "usage without choices (vLLM)",
	  { FIRST, STOP("stop"),
	    HEAD "\"choices\":null,\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
	    HEAD "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}" },
	  "START(c1,m)* FINISH(stop)* USAGE(1,2,0,0,0) USAGE(3,4,0,0,0) " },
	{ "an error of null is not passed on",
	  { FIRST, HEAD "\"error\":null,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
	    STOP("stop") },
	  "START(c1,m)* TEXT(a) FINISH(stop)* " },
	{ "missing index, object, created, model",
	  { "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}",
	    "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}" },
	  "START(,) TEXT(a) TEXT(b) FINISH(stop) " },
	{ "Azure's first chunk",
	  { "{\"id\":\"\",\"object\":\"\",\"created\":0,\"model\":\"\",\"choices\":[],"
	    "\"prompt_filter_results\":[]}",
	    FIRST, DELTA("\"content\":\"a\""), STOP("stop") },
	  "START(,)* OTHER()* TEXT(a)* FINISH(stop)* " },
	{ "several choices",
	  { HEAD "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}",
	    HEAD "\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\",\"content\":\"b\"}}]}",
	    HEAD "\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"},"
		 "{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}" },
	  "START(c1,m)* TEXT(a)+ TEXT#1(b)* FINISH#1(stop)* FINISH(length)+ " },
	{ "objects without choices mean nothing", { "{}", "{\"ping\":1}", FIRST, STOP("stop") },
	  "START(c1,m)* FINISH(stop)* " },
	{ "nothing is read behind the terminator", { FIRST, STOP("stop"), " [DONE]\n", "nonsense" },
	  "START(c1,m)* FINISH(stop)* " },
	{ "keys written with escapes",
	  { HEAD "\"ch\\u006fices\":[{\"index\":0,\"delta\":{\"r\\u006fle\":\"assistant\","
		 "\"c\\u006fntent\":\"a\"}}]}",
	    STOP("stop") },
	  "START(c1,m)* TEXT(a)+ FINISH(stop)* " },
};
/* clang-format on */

static void chunks_become_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct heard t;

		heard_open(&t);
		check_stream(&t.in, &streams[i]);
		heard_close(&t);
	}
}

static void a_stream_is_not_finished_while_a_choice_is_open(void **state)
{
	struct heard         t;
	const struct decode *d = &t.in.decode;

	(void)state;
	heard_open(&t);
	decode_good(&t.in, FIRST);
	assert_false(d->finished);
	decode_good(&t.in, STOP("stop"));
	assert_true(d->finished);
	decode_good(&t.in,
		    HEAD "\"choices\":[{\"index\":127,\"delta\":{\"role\":\"assistant\"}}]}");
	assert_false(d->finished);
	heard_close(&t);
	heard_open(&t);
	decode_good(&t.in, FIRST);
	decode_good(&t.in, "[DONE]");
	assert_true(d->done_mark);
	assert_false(d->finished);
	heard_close(&t);
}

/* Usage that stands elsewhere than OpenAI has it. */
static void usage_aside_is_told_when_nothing_can_follow(void **state)
{
	/* clang-format off */
	static const char *const moonshot = HEAD "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"
		"\"stop\",\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"cached_tokens\":4}}]}";
	static const char *const groq = HEAD "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
		"\"x_groq\":{\"id\":\"r\",\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}}";
	static const struct {
		const char *chunks[3];
		const char *want;
	} rows[] = {
		{ { FIRST, moonshot }, "START(c1,m)* FINISH(stop)* USAGE(9,2,4,0,0) " },
		{ { FIRST, groq }, "START(c1,m)* FINISH(stop)* USAGE(9,2,0,0,0) " },
		{ { FIRST, groq, USED("\"prompt_tokens\":9,\"completion_tokens\":2") },
		  "START(c1,m)* FINISH(stop)* USAGE(9,2,0,0,0)* " },
		{ { FIRST, HEAD "\"x_groq\":{\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}}" },
		  "START(c1,m)* " },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct heard t;

		heard_open(&t);
		for (size_t k = 0; k < ARRAY_LEN(rows[i].chunks) && rows[i].chunks[k]; k++)
			decode_good(&t.in, rows[i].chunks[k]);
		dialect_openai.over(&t.in.decode, true);
		expect_text("usage aside", buf_view(&t.in.out), rows[i].want);
		heard_close(&t);
	}
}

/* What is cut out of a chunk that is handed on as it came, or put in again. */
static struct {
	struct str role, id, created;
} seen;

static void on_places(void *arg, const struct event *ev)
{
	(void)arg;
	if (ev->raw_role.n > 0)
		seen.role = ev->raw_role;
	if (ev->raw_id.n > 0)
		seen.id = ev->raw_id;
	if (ev->raw_created.n > 0)
		seen.created = ev->raw_created;
}

static void the_places_of_id_and_time_are_told_with_what_the_provider_sent(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		bool        whole;
		const char *want;
	} cases[] = {
		{ FIRST, false, NULL },
		{ "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}],\"model\":\"m\","
		  "\"object\":\"chat.completion.chunk\",\"created\":1,\"id\" : \"\" }", false, "\"\"" },
		{ "{\"id\": \"x\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
		  "[{\"index\":0,\"message\":{\"id\":\"y\"},\"finish_reason\":\"stop\"}]}", true, "\"x\"" },
		/* Nothing of it is handed on as it came. */
		{ "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}],\"id\":\"x\"}", false, "" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct decoding x;
		struct str      text = str_of(cases[i].text);

		decoding_init(&x, &dialect_openai, on_places, NULL);
		seen.id = seen.created = STR_NONE;
		assert_int_equal(
			cases[i].whole
				? dialect_openai.decode_whole(&x.decode, text, &x.err)
				: dialect_openai.decode_event(&x.decode, STR_NONE, text, &x.err),
			ERR_OK);
		assert_int_equal(seen.created.n > 0, seen.id.n > 0);
		if (seen.created.n > 0)
			assert_true(memmem(seen.created.p - 12, 12, "\"created\":", 10));
		if (cases[i].want)
			assert_true(str_is(seen.id, cases[i].want));
		else
			assert_true(seen.id.n > 2 && seen.id.p > cases[i].text);
		decoding_finish(&x);
	}
}

static void a_repeated_role_is_cut_with_one_comma(void **state)
{
	static const struct {
		const char *delta;
		const char *cut;
	} cases[] = {
		{ "\"role\":\"assistant\",\"content\":\"a\"", "\"role\":\"assistant\"," },
		{ "\"content\":\"a\",\"role\":\"assistant\"", ",\"role\":\"assistant\"" },
		{ "\"content\":\"a\",\"role\":\"assistant\",\"x\":1", ",\"role\":\"assistant\"" },
		{ "\"role\":\"assistant\"", "\"role\":\"assistant\"" },
		{ "\"content\":\"a\"", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct decoding x;
		char            text[512];

		decoding_init(&x, &dialect_openai, on_places, NULL);
		decode_good(&x, FIRST);
		snprintf(text, sizeof text,
			 "%s\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}",
			 HEAD, cases[i].delta);
		seen.role = STR_NONE;
		assert_int_equal(
			dialect_openai.decode_event(&x.decode, STR_NONE, str_of(text), &x.err),
			ERR_OK);
		expect_text(cases[i].delta, seen.role, cases[i].cut);
		decoding_finish(&x);
	}
}

static void usage_can_be_cut_out_of_a_chunk(void **state)
{
	static const struct {
		const char *chunk;
		const char *cut;
		bool        only;
	} cases[] = {
		{ HEAD "\"choices\":[],\"usage\":{\"prompt_tokens\":1}}",
		  ",\"usage\":{\"prompt_tokens\":1}", true },
		{ HEAD "\"choices\":[] , \"usage\" : null }", " , \"usage\" : null", false },
		{ "{ \"usage\":null , \"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,"
		  "\"model\":\"m\",\"choices\":[]}",
		  "\"usage\":null , ", false },
		{ HEAD "\"choices\":[]}", "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct heard t;

		heard_open(&t);
		decode_good(&t.in, cases[i].chunk);
		expect_text(cases[i].chunk, t.cut, cases[i].cut);
		assert_int_equal(t.only_usage, cases[i].only);
		heard_close(&t);
	}
}

/* clang-format off */
#define DENIED      { ERR_UPSTREAM_DENIED, 403, "upstream_error", "upstream_denied" }
#define REFUSED_KEY { ERR_UPSTREAM_AUTH, 403, "upstream_error", "upstream_auth_failed" }
#define OWN_KEY(status) \
	"the provider refused the gateway's own key (status " status ");" \
	" the key of this request is not at fault"

static const struct event_error_case event_errors[] = {
	{ "an error object", "", "{\"error\":{\"message\":\"boom\",\"type\":\"server_error\",\"code\":\"x\"}}",
	  { ERR_UPSTREAM_ERROR, 502, "server_error", "x" }, "boom" },
	{ "OpenRouter's, with choices",
	  "", HEAD "\"error\":{\"code\":429,\"message\":\"slow down\"},\"choices\":[{\"index\":0,"
		   "\"delta\":{},\"finish_reason\":\"error\"}]}",
	  { ERR_UPSTREAM_RATE_LIMIT, 429, "requests", "rate_limit_exceeded" }, "slow down" },
	{ "Ollama's, a text", "error", "{\"error\":\"model failed\"}", FAILED, "model failed" },
	{ "older vLLM's, flat", "",
	  "{\"object\":\"error\",\"message\":\"too long\",\"type\":\"BadRequestError\",\"param\":null,"
	  "\"code\":400}",
	  { ERR_UPSTREAM_REJECTED, 400, "BadRequestError", "upstream_rejected" }, "too long" },
	{ "older llama.cpp's, a field of its own", "error",
	  "{\"code\":500,\"message\":\"ctx\",\"type\":\"server_error\"}",
	  { ERR_UPSTREAM_ERROR, 502, "server_error", "upstream_error" }, "ctx" },
	{ "Gemini's, in a list", "",
	  "[{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}]",
	  { ERR_UPSTREAM_UNAVAILABLE, 503, "upstream_error", "UNAVAILABLE" }, "busy" },
	{ "a refused key says nothing about the key", "",
	  "{\"error\":{\"message\":\"Incorrect key sk-abcdefgh\",\"code\":401}}", REFUSED_KEY,
	  OWN_KEY("401") },
	{ "an error event of prose", "error", "out of memory", FAILED, "out of memory" },
	{ "an error without a message", "", "{\"error\":{}}", FAILED,
	  "the provider reported an error without a message" },
	{ "finish_reason error", "", STOP("error"), FAILED,
	  "the provider ended the answer with finish_reason \"error\"" },
	{ "no JSON", "", "{\"id\":", BAD_RESPONSE, "the provider sent a stream event that is not JSON" },
	{ "no object", "", "\"hello\"", BAD_RESPONSE,
	  "the provider sent a stream event that is no JSON object" },
	{ "choices of a wrong type", "", HEAD "\"choices\":{}}", BAD_RESPONSE,
	  "the provider sent a chunk with choices that are no list" },
	{ "content of a wrong type", "", DELTA("\"content\":7"), BAD_RESPONSE,
	  "the provider sent a chunk with content that is neither text nor a list of parts" },
	{ "a choice of a wrong type", "", HEAD "\"choices\":[7]}", BAD_RESPONSE,
	  "the provider sent a chunk with a choice that is no object" },
	{ "an index out of range", "", HEAD "\"choices\":[{\"index\":128,\"delta\":{}}]}",
	  BAD_RESPONSE, "the provider sent a chunk with an impossible choice index" },
	{ "tool arguments of a wrong type", "",
	  DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":7}}]"),
	  BAD_RESPONSE, "the provider sent a chunk with tool call arguments that are no string" },
	{ "a name of a wrong type", "",
	  DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":7}}]"),
	  BAD_RESPONSE, "the provider sent a chunk with a tool call whose id or name is no string" },
	{ "an id of a wrong type", "", DELTA("\"tool_calls\":[{\"index\":0,\"id\":7}]"),
	  BAD_RESPONSE, "the provider sent a chunk with a tool call whose id or name is no string" },
	{ "reasoning of a wrong type", "", DELTA("\"reasoning_content\":{}"), BAD_RESPONSE,
	  "the provider sent a chunk with reasoning or a refusal that is no string" },
	{ "the error of a choice (OpenRouter)", "",
	  HEAD "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\","
	       "\"error\":{\"code\":429,\"message\":\"upstream is busy\"}}]}",
	  { ERR_UPSTREAM_RATE_LIMIT, 429, "requests", "rate_limit_exceeded" }, "upstream is busy" },
	{ "usage of a wrong type", "", HEAD "\"choices\":[],\"usage\":[]}", BAD_RESPONSE,
	  "the provider sent a chunk with usage that is no object" },
};
/* clang-format on */

static void errors_in_a_stream_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(event_errors); i++) {
		struct heard t;

		heard_open(&t);
		check_event_error(&t.in, &event_errors[i]);
		assert_int_equal(t.in.out.len, 0); /* a broken chunk gives nothing of itself */
		heard_close(&t);
	}
}

/* --- plain answers --- */

/* clang-format off */
static const struct whole_case wholes[] = {
	{ "as OpenAI sends it",
	  "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
	  "\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":\"length\"}],"
	  "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
	  ERR_OK,
	  "START(c,m) MESSAGE({\"role\":\"assistant\",\"content\":\"Hi\"})* USAGE(1,2,0,0,0)+ "
	  "FINISH(length)+ " },
	{ "what prices need",
	  "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"service_tier\":\"default\","
	  "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"images\":[{},{}]},"
	  "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":8,\"cost\":1.5e-05,"
	  "\"prompt_tokens_details\":{\"audio_tokens\":5},"
	  "\"completion_tokens_details\":{\"audio_tokens\":2,\"image_tokens\":3}}}",
	  ERR_OK,
	  "START(c,m) MESSAGE({\"role\":\"assistant\",\"content\":\"Hi\",\"images\":[{},{}]})* "
	  "USAGE(9,8,0,0,0;5,2,3,2;15000;standard)+ FINISH(stop)+ " },
	{ "blank lines in front, members missing",
	  "\n\n \r\n{\"choices\":[{\"message\":{\"content\":\"Hi\",\"tool_calls\":[{\"type\":\"new\"}]}}]}",
	  ERR_OK,
	  "START(,) MESSAGE({\"content\":\"Hi\",\"tool_calls\":[{\"type\":\"new\"}]}) FINISH(tool_calls) " },
	{ "calls with an object, without arguments, and with one id",
	  "{\"choices\":[{\"message\":{\"tool_calls\":["
	  "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{\"x\": 1}}},"
	  "{\"function\":{\"name\":\"g\"},\"id\":\"a\"},"
	  "{\"function\":{\"arguments\":\"\",\"name\":\"h\"},\"id\":\"b\"},"
	  "{\"id\":\"c\",\"custom\":{\"name\":\"i\",\"input\":\"\"}}],\"content\":[\"Hi\"]}}]}",
	  ERR_OK,
	  "START(,) MESSAGE({\"tool_calls\":["
	  "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\": 1}\"}},"
	  "{\"function\":{\"arguments\":\"{}\",\"name\":\"g\"},\"id\":\"a_parley_2\"},"
	  "{\"function\":{\"arguments\":\"{}\",\"name\":\"h\"},\"id\":\"b\"},"
	  "{\"id\":\"c\",\"custom\":{\"name\":\"i\",\"input\":\"\"}}],\"content\":\"Hi\"}) FINISH(tool_calls) " },
	{ "usage beside its place, and in other words",
	  "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
	  "\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":9,"
	  "\"completion_tokens\":1,\"cached_tokens\":4}}]}",
	  ERR_OK, "START(c,m) MESSAGE({\"content\":\"Hi\"})* USAGE(9,1,4,0,0)+ FINISH(stop)+ " },
	{ "a call without a name", "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"a\"}]}}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent a tool call without the name of a function" },
	{ "arguments of a wrong type",
	  "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\","
	  "\"arguments\":[1]}}]}}]}",
	  ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent arguments of a call that are neither a string nor an object" },
	{ "content of a wrong type", "{\"choices\":[{\"message\":{\"content\":7}}]}",
	  ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer with content, reasoning or a refusal that is no string" },
	{ "tool_calls of a wrong type", "{\"choices\":[{\"message\":{\"tool_calls\":{}}}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer with tool_calls that are no list" },
	{ "usage of a wrong type", "{\"usage\":[],\"choices\":[{\"message\":{}}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer with usage that is no object" },
	{ "the error of a choice",
	  "{\"choices\":[{\"finish_reason\":\"error\",\"error\":{\"code\":429,\"message\":\"upstream is busy\"},"
	  "\"message\":{\"content\":\"\"}}]}",
	  ERR_UPSTREAM_RATE_LIMIT, "upstream is busy" },
	{ "an error with status 200", "{\"error\":{\"code\":502,\"message\":\"bad gateway\"}}",
	  ERR_UPSTREAM_ERROR, "bad gateway" },
	{ "a null error is none",
	  "{\"error\":null,\"choices\":[{\"message\":{},\"finish_reason\":\"stop\"}]}", ERR_OK,
	  "START(,) MESSAGE({}) FINISH(stop) " },
	{ "empty choices", "{\"choices\":[]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer with empty choices" },
	{ "no choices", "{}", ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer without choices" },
	{ "no message", "{\"choices\":[{\"text\":\"a\"}]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent a choice without a message" },
	{ "HTML", "<html><body>hi</body></html>", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is not JSON" },
	{ "nothing", "", ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer that is not JSON" },
	{ "a list", "[]", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is no JSON object" },
	{ "an error in a list", "[{\"error\":{\"code\":404,\"message\":\"no such model\"}}]",
	  ERR_UPSTREAM_REJECTED, "no such model" },
};
/* clang-format on */

static void whole_answers_become_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		struct heard t;

		heard_open(&t);
		check_whole(&t.in, &wholes[i]);
		heard_close(&t);
	}
}

/* --- error answers --- */

/* clang-format off */
#define REJECTED_AS(status) { ERR_UPSTREAM_REJECTED, status, "invalid_request_error", "upstream_rejected" }
#define ANSWERED(status)    "the provider answered with status " status
#define NO_CALL(status) \
	"the provider does not let the gateway's account make this call (status " status ")"

static const struct {
	int         status;
	const char *body;
	struct told told;
	const char *path;
	const char *text;
} statuses[] = {
	{ 400, "{\"error\":{\"message\":\"too many tokens\",\"type\":\"invalid_request_error\","
	       "\"param\":\"messages[1].content\",\"code\":\"context_length_exceeded\"}}",
	  { ERR_UPSTREAM_REJECTED, 400, "invalid_request_error", "context_length_exceeded" },
	  "messages[1].content", "too many tokens" },
	{ 404, "{\"error\":\"model 'x' not found\"}", REJECTED_AS(404), "", "model 'x' not found" },
	{ 413, "<html>", REJECTED_AS(413), "", ANSWERED("413") },
	{ 422, "{\"detail\":\"bad field\"}", REJECTED_AS(422), "", "bad field" },
	{ 422, "{\"object\":\"error\",\"message\":\"bad\",\"type\":\"T\"}",
	  { ERR_UPSTREAM_REJECTED, 422, "T", "upstream_rejected" }, "", "bad" },
	{ 429, "{\"error\":{\"message\":\"slow\",\"type\":\"insufficient_quota\","
	       "\"code\":\"insufficient_quota\"}}",
	  { ERR_UPSTREAM_RATE_LIMIT, 429, "insufficient_quota", "insufficient_quota" }, "",
	  "slow" },
	{ 429, "{\"error\":{\"message\":\"cap\",\"type\":\"rate_limit_error\","
	       "\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
	  { ERR_UPSTREAM_RATE_LIMIT, 429, "rate_limit_error", "enforced_spend_limit_reached" }, "",
	  "cap" },
	{ 400, "{\"error\":{\"type\":\"invalid_request_error\","
	       "\"message\":\"Your credit balance is too low\"}}",
	  DENIED, "", NO_CALL("400") ": Your credit balance is too low" },
	{ 400, "{\"error\":{\"type\":\"invalid_request_error\","
	       "\"message\":\"You have reached your specified workspace API usage limits\"}}",
	  DENIED, "",
	  NO_CALL("400") ": You have reached your specified workspace API usage limits" },
	{ 400, "{\"error\":{\"type\":\"invalid_request_error\","
	       "\"message\":\"messages: Your credit balance is too low\"}}",
	  REJECTED_AS(400), "", "messages: Your credit balance is too low" },
	{ 401, "{\"error\":{\"message\":\"bad key sk-1234567890\"}}", REFUSED_KEY, "", OWN_KEY("401") },
	{ 403, "", DENIED, "", NO_CALL("403") },
	{ 403, "{\"error\":{\"message\":\"no\",\"code\":\"unsupported_country_region_territory\"}}",
	  DENIED, "", NO_CALL("403") ": no" },
	{ 403, "{\"error\":{\"message\":\"no\",\"code\":\"model_not_found\"}}", DENIED, "",
	  NO_CALL("403") ": no" },
	{ 403, "{\"error\":{\"message\":\"no\",\"type\":\"authentication_error\"}}", REFUSED_KEY,
	  "", OWN_KEY("403") },
	{ 403, "{\"error\":{\"code\":403,\"message\":\"flagged\","
	       "\"metadata\":{\"reasons\":[\"x\"]}}}",
	  REJECTED_AS(403), "", "flagged" },
	{ 401, "{\"error\":{\"code\":\"PermissionDenied\",\"message\":\"no\"}}", DENIED, "",
	  NO_CALL("401") ": no" },
	{ 500, "{\"error\":{\"message\":\"see https://x.internal/y for 10.0.0.7\","
	       "\"code\":\"E1\"}}",
	  FAILED, "", "see [url] for [host]" },
	{ 503, "", { ERR_UPSTREAM_UNAVAILABLE, 503, "upstream_error", "upstream_unavailable" }, "",
	  ANSWERED("503") },
	{ 504, "", FAILED_AS(504), "", ANSWERED("504") },
	{ 529, "", { ERR_UPSTREAM_UNAVAILABLE, 503, "upstream_error", "upstream_unavailable" }, "",
	  ANSWERED("529") },
	{ 400, "{\"error\":{\"message\":\"no\",\"code\":\"400\"}}", REJECTED_AS(400), "", "no" },
	{ 400, "{\"error\":\"{\\\"error\\\":{\\\"code\\\":400,\\\"type\\\":\\\"exceed_context_size_error\\\","
	       "\\\"message\\\":\\\"too long\\\"}}\"}",
	  { ERR_UPSTREAM_REJECTED, 400, "exceed_context_size_error", "context_length_exceeded" }, "",
	  "too long" },
	{ 302, "", FAILED, "", ANSWERED("302") },
	{ 402, "[]", FAILED, "", ANSWERED("402") },
	{ 400, "{\"error\":{\"message\":7,\"type\":[],\"param\":{},\"code\":\"a b\"}}",
	  REJECTED_AS(400), "", ANSWERED("400") },
};
/* clang-format on */

static void statuses_become_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		struct err e = status_error(&dialect_openai, statuses[i].status, statuses[i].body);

		check_error(statuses[i].body, &e, &statuses[i].told, statuses[i].text);
		assert_string_equal(e.path, statuses[i].path);
		assert_int_equal(e.upstream_status, statuses[i].status);
	}
}

static void messages_of_providers_are_scrubbed(void **state)
{
	/* clang-format off */
	static const struct {
		const char *in;
		const char *want;
	} cases[] = {
		{ "plain words, with: punctuation (and 'quotes').", NULL },
		{ "model gpt-4.1-mini does not support messages.0.content", NULL },
		{ "maximum context length is 8192 tokens, e.g. 1.5", NULL },
		{ "see https://platform.openai.com/account.", "see [url]" },
		{ "host api.internal.corp refused", "host [host] refused" },
		{ "connect 10.0.0.1:8000: refused", "connect [host]: refused" },
		{ "at localhost:11434/v1/chat", "at [host]/v1/chat" },
		{ "at vllm-7:8000.", "at [host]." },
		{ "bind [::1] failed", "bind [[host]] failed" },
		{ "from fe80::1ff:fe23", "from [host]" },
		{ "Incorrect API key provided: sk-proj-abc123.", "Incorrect API key provided: [key]." },
		{ "key=0123456789abcdef0123456789abcdef", "key=[key]" },
		{ "Incorrect API key: parley_st_0001_a_b", "Incorrect API key: [key]" },
		{ "no result for functions.Bash:0, functions.get_time:117.", NULL },
		{ "at functions.corp:443, functions.a:8080", "at [host], [host]" },
		{ "no result for toolu_01D7FLrfh4GYq7yT1ULFeyMV", NULL },
		{ "mail admin@example.com", "mail admin@[host]" },
		{ "line\none\ttwo\x01", "line one two " },
		{ "h\xC3\xA4", NULL },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[200];

		scrub_message(NULL, str_of(cases[i].in), got, sizeof got);
		expect_text(cases[i].in, str_of(got), cases[i].want ? cases[i].want : cases[i].in);
	}
	char small[6];
	scrub_message(NULL, STR("abcd\xC3\xA4xyz"), small, sizeof small);
	assert_string_equal(small, "abcd");
	scrub_word(NULL, STR("a b"), small, sizeof small);
	assert_string_equal(small, "");
	scrub_word(NULL, (struct str){ NULL, 0 }, small, sizeof small);
	assert_string_equal(small, "");
}

/* --- requests --- */

static void expect_request(const char *why, const struct provider_options *o,
			   const struct prompt *p, const char *want)
{
	struct buf out;
	struct err e = { 0 };

	buf_init(&out, 1 << 20);
	if (dialect_openai.encode(o, p, &out, &e) != ERR_OK)
		fail_msg("%s: %s", why, e.text);
	expect_text(why, buf_view(&out), want);
	buf_finish(&out);
}

static void requests_keep_every_byte_of_the_clients_members(void **state)
{
	const struct str        messages[] = { STR("{\"role\":\"system\",\"content\":\"s\"}"),
					       STR("{\"role\":\"user\", \"content\":\"\\u00e4\"}") };
	const struct str        members[] = { STR("\"temperature\":0.10"), STR("\"seed\":1e400") };
	struct provider_options o = { .stream_usage = true };
	struct prompt           p = {
			  .model = STR("org/\"m\""),
			  .messages = messages,
			  .message_count = 2,
			  .members = members,
			  .member_count = 2,
			  .max_tokens = STR("7"),
			  .max_tokens_key = "max_completion_tokens",
			  .forward = { STR("\"store\":true"), STR("\"metadata\":{}") },
	};

	(void)state;
#define START_OF_IT                                                                           \
	"{\"model\":\"org/\\\"m\\\"\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"}," \
	"{\"role\":\"user\", \"content\":\"\\u00e4\"}],\"temperature\":0.10,\"seed\":1e400"
	expect_request("plain", &o, &p, START_OF_IT ",\"max_completion_tokens\":7}");

	o.forward_store = true;
	o.max_tokens_field = "max_tokens";
	expect_request("the provider's own name, and store forwarded", &o, &p,
		       START_OF_IT ",\"store\":true,\"metadata\":{},\"max_tokens\":7}");

	o = (struct provider_options){ .stream_usage = true };
	p.max_tokens_key = NULL;
	expect_request("a native request", &o, &p, START_OF_IT ",\"max_tokens\":7}");
#undef START_OF_IT
}

static void system_messages_become_one_where_the_server_is_not_openais(void **state)
{
	const struct str messages[] = {
		STR("{\"content\":\"a\",\"role\":\"system\"}"),
		STR("{\"role\":\"user\",\"content\":\"u\"}"),
		STR("{\"role\":\"developer\",\"content\":[{\"type\":\"text\",\"text\":\"b\\n\"}]}"),
	};
#define KEPT                                                                                   \
	"{\"model\":\"m\",\"messages\":[{\"content\":\"a\",\"role\":\"system\"},{\"role\":"    \
	"\"user\",\"content\":\"u\"},{\"role\":\"developer\",\"content\":[{\"type\":\"text\"," \
	"\"text\":\"b\\n\"}]}]}"
#define ONE                                                                                           \
	"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"a\\n\\nb\\n\"},{\"role\":" \
	"\"user\",\"content\":\"u\"}]}"
	static const struct {
		const char *why, *word;
		bool        vendor, as_sent;
		const char *want;
	} cases[] = {
		{ "translated", NULL, false, false, ONE },
		{ "chat completions", NULL, false, true, KEPT },
		{ "OpenAI itself", NULL, true, false, KEPT },
		{ "keep", "keep", false, false, KEPT },
		{ "one", "one", true, true, ONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct warnings               w;
		const struct provider_options o = { .vendor = cases[i].vendor,
						    .system_messages = cases[i].word };
		const struct prompt           p = { .model = STR("m"),
						    .messages = messages,
						    .message_count = ARRAY_LEN(messages),
						    .as_sent = cases[i].as_sent,
						    .warnings = &w };

		warnings_init(&w);
		expect_request(cases[i].why, &o, &p, cases[i].want);
		assert_int_equal(w.count, strcmp(cases[i].want, ONE) == 0);
		warnings_finish(&w);
	}
#undef KEPT
#undef ONE
}

static void mistral_itself_has_a_word_of_its_own_for_a_forced_call(void **state)
{
	const struct str messages[] = { STR("{\"role\":\"user\",\"content\":\"u\"}") };
	const struct str members[] = {
		STR("\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]"),
		STR("\"tool_choice\":\"required\"")
	};
	const struct prompt p = { .model = STR("m"),
				  .messages = messages,
				  .message_count = 1,
				  .members = members,
				  .member_count = 2 };

	(void)state;
	for (int vendor = 0; vendor < 2; vendor++) {
		const struct provider_options o = { .vendor = vendor };
		struct buf                    out;
		struct err                    e;

		buf_init(&out, KIB);
		assert_int_equal(dialect_mistral.encode(&o, &p, &out, &e), ERR_OK);
		assert_int_equal(memmem(out.data, out.len, "\"any\"", 5) != NULL, vendor);
		assert_int_equal(memmem(out.data, out.len, "\"required\"", 10) != NULL, !vendor);
		buf_finish(&out);
	}
}

static void a_vendors_own_host_is_known(void **state)
{
	static const struct {
		const char           *url;
		const struct dialect *dialect;
		bool                  own;
	} cases[] = {
		{ "https://api.openai.com/v1", &dialect_openai, true },
		{ "https://API.OpenAI.com", &dialect_openai, true },
		{ "https://eu.api.openai.com:443/v1", &dialect_openai, true },
		{ "https://r.openai.azure.com/openai/v1", &dialect_openai, true },
		{ "https://r.services.ai.azure.com/openai/v1", &dialect_openai, true },
		{ "https://api.openai.com.evil.example/v1", &dialect_openai, false },
		{ "https://notapi.openai.com/v1", &dialect_openai, false },
		{ "http://127.0.0.1/api.openai.com", &dialect_openai, false },
		{ "https://.openai.azure.com/", &dialect_openai, false },
		{ "https://api.mistral.ai/v1", &dialect_openai, false },
		{ "https://api.mistral.ai/v1", &dialect_mistral, true },
		{ "https://x.api.mistral.ai/v1", &dialect_mistral, false },
		{ "https://api.openai.com/v1", &dialect_ollama, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct provider_options o = { .base_url = cases[i].url };

		if (endpoint_is_vendor(&o, cases[i].dialect) != cases[i].own)
			fail_msg("%s", cases[i].url);
	}
}

static void streams_ask_for_usage_without_losing_the_clients_options(void **state)
{
	static const struct {
		const char *why;
		const char *options;
		bool        want_usage;
		bool        provider_can;
		const char *want;
	} cases[] = {
		{ "none given", "", true, true, ",\"stream_options\":{\"include_usage\":true}" },
		{ "empty", "{}", true, true, ",\"stream_options\":{\"include_usage\":true}" },
		{ "another one kept", "{\"include_obfuscation\" : false}", true, true,
		  ",\"stream_options\":{\"include_obfuscation\":false,\"include_usage\":true}" },
		{ "false replaced", "{\"include_usage\":false,\"x\":[1, 2]}", true, true,
		  ",\"stream_options\":{\"x\":[1, 2],\"include_usage\":true}" },
		{ "not wanted", "{\"include_usage\": false}", false, true,
		  ",\"stream_options\":{\"include_usage\": false}" },
		{ "the provider can't", "", true, false, "" },
		{ "the provider can't, the client insists", "{\"a\":1}", true, false,
		  ",\"stream_options\":{\"a\":1}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct str        message = STR("{}");
		struct provider_options o = { .stream_usage = cases[i].provider_can };
		struct prompt           p = {
				  .model = STR("m"),
				  .messages = &message,
				  .message_count = 1,
				  .stream = true,
				  .stream_options = str_of(cases[i].options),
				  .want_usage = cases[i].want_usage,
		};
		char want[256];

		snprintf(want, sizeof want, "{\"model\":\"m\",\"messages\":[{}],\"stream\":true%s}",
			 cases[i].want);
		expect_request(cases[i].why, &o, &p, want);
	}
}

static void a_request_above_the_buffers_maximum_is_refused(void **state)
{
	(void)state;
	expect_too_large(32, &dialect_openai);
}

static void want_of_memory_is_not_the_clients_fault(void **state)
{
	static const struct provider_options o = { .name = "p" };
	/* Never read: there is no room for so much. */
	struct str    member = { "x", (size_t)1 << 60 };
	struct prompt p = { .model = STR("m"), .members = &member, .member_count = 1 };

	(void)state;
	assert_int_equal(encode_within(SIZE_MAX / 2, &dialect_openai, &o, &p), ERR_OVERLOADED);
	assert_int_equal(encode_within(1000, &dialect_openai, &o, &p), ERR_REQUEST_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(want_of_memory_is_not_the_clients_fault),
		cmocka_unit_test(chunks_become_events),
		cmocka_unit_test(a_stream_is_not_finished_while_a_choice_is_open),
		cmocka_unit_test(usage_aside_is_told_when_nothing_can_follow),
		cmocka_unit_test(usage_can_be_cut_out_of_a_chunk),
		cmocka_unit_test(a_repeated_role_is_cut_with_one_comma),
		cmocka_unit_test(the_places_of_id_and_time_are_told_with_what_the_provider_sent),
		cmocka_unit_test(errors_in_a_stream_are_told_apart),
		cmocka_unit_test(whole_answers_become_events),
		cmocka_unit_test(statuses_become_errors),
		cmocka_unit_test(messages_of_providers_are_scrubbed),
		cmocka_unit_test(requests_keep_every_byte_of_the_clients_members),
		cmocka_unit_test(system_messages_become_one_where_the_server_is_not_openais),
		cmocka_unit_test(mistral_itself_has_a_word_of_its_own_for_a_forced_call),
		cmocka_unit_test(a_vendors_own_host_is_known),
		cmocka_unit_test(streams_ask_for_usage_without_losing_the_clients_options),
		cmocka_unit_test(a_request_above_the_buffers_maximum_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
