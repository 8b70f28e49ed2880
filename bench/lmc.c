/* What LMC, and streams of other families, cost inside the process: an encoder's events, translations,
 * prompts; results as JSON.
 * With a word: only what has it in its name. */
#include "base/arena.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoder.h"
#include "shape/family.h"
#include "shape/transcript.h"
#include "lmc/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A figure is the median of so many repetitions, each at least so long.  Things that are compared
 * take turns, so that a machine that changes its speed does so for all of them. */
enum { REPEATS = 15, REPEAT_US = 2000, SIDES = 2 };

static const char *wanted = "";

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_lmc: failed: %s\n", what);
	exit(1);
}

/* begin: whether this row is wanted; if so it is begun behind the others of its list. */
static bool begin(bool *some, const char *front, const char *name)
{
	if (!strstr(front, wanted) && !strstr(name, wanted))
		return false;
	printf("%s\n  {", *some ? "," : "");
	*some = true;
	return true;
}

/* --- time --- */

typedef void (*work_fn)(void *arg);

struct work {
	work_fn run;
	void   *arg;
};

static double thread_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double time_of(struct work w, unsigned rounds)
{
	double start = thread_us();

	for (unsigned i = 0; i < rounds; i++)
		w.run(w.arg);
	return (thread_us() - start) / rounds;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double *v)
{
	qsort(v, REPEATS, sizeof *v, compare);
	return v[REPEATS / 2];
}

static unsigned enough(struct work w)
{
	unsigned rounds = 1;

	while (time_of(w, rounds) * rounds < REPEAT_US)
		rounds *= 2;
	return rounds;
}

/* measure: microseconds of one run of each side; *ret_more: by how much the second is longer, as
 * the median of the differences. */
static void measure(const struct work w[SIDES], double ret[SIDES], double *ret_more)
{
	double   took[SIDES][REPEATS];
	double   more[REPEATS];
	unsigned rounds[SIDES];

	for (int side = 0; side < SIDES; side++)
		rounds[side] = enough(w[side]);
	for (int i = 0; i < REPEATS; i++) {
		for (int k = 0; k < SIDES; k++) {
			int side = (i + k) % SIDES;

			took[side][i] = time_of(w[side], rounds[side]);
		}
		more[i] = took[1][i] - took[0][i];
	}
	*ret_more = median(more);
	for (int side = 0; side < SIDES; side++)
		ret[side] = median(took[side]);
}

/* --- what is said --- */

static const char prose[] =
	"A lighthouse keeps ships off the rocks. Its lamp stands high, its lens throws the light far "
	"out, and every tower has a rhythm of its own, so that a sailor knows which one he sees.\n\n"
	"Lamps burned oil once; a keeper carried it up the stairs, trimmed the wick and wound the "
	"clockwork that turned the lens. Today a small lamp and a motor do the same for years.\n\n";

static const char wide[] =
	"灯塔让船只远离礁石。它的灯高高在上，透镜把光投向远方，每座塔都有自己的节奏。"
	"Маяк хранит корабли; его луч виден издалека. 🗼🌊 光は遠くまで届く。\n";

static const char code[] = "import math\n\nfor n in range(1, 20):\n"
			   "    print(f\"{n}: {math.sqrt(n):.3f}\\t{n ** 2}\")  # roots, squares\n";

/* Memory of all that is measured; nothing is freed before the end. */
static struct arena all;

/* finished: what b holds, for as long as the program runs. */
static struct str finished(struct buf *b)
{
	struct str copy = arena_str(&all, buf_view(b));

	need(copy.p, "memory");
	buf_finish(b);
	return copy;
}

/* repeated: a text of at least n bytes. */
static struct str repeated(const char *front, const char *text, const char *back, size_t n)
{
	struct buf b;

	buf_init(&b, MIB);
	need(buf_text(&b, front), "memory");
	while (b.len < n)
		need(buf_text(&b, text), "memory");
	need(buf_text(&b, back), "memory");
	return finished(&b);
}

/* fill: form, with text for each tilde. */
static void fill(const char *form, struct str text, struct buf *out)
{
	for (; *form; form++)
		need(*form == '~' ? buf_str(out, text) : buf_add(out, form, 1), "memory");
}

/* whole_characters: the first n bytes, or a few more. */
static struct str whole_characters(struct str s, size_t n)
{
	while (n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n++;
	return (struct str){ s.p, n < s.n ? n : s.n };
}

/* ascii: s escaped as by a provider that sends ASCII alone. */
static void ascii(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n;) {
		struct str    at = { s.p + i, s.n - i };
		struct str    one = whole_characters(at, 1);
		unsigned char c = (unsigned char)one.p[0];
		unsigned      v = one.n == 1 ? c : c & (0xffu >> (one.n + 1));
		bool          ok = true;

		for (size_t k = 1; k < one.n; k++)
			v = v << 6 | ((unsigned char)one.p[k] & 63u);
		if (v < 0x80)
			ok = buf_json_escape(out, one);
		else if (v < 0x10000)
			ok = buf_fmt(out, "\\u%04x", v);
		else
			ok = buf_fmt(out, "\\u%04x\\u%04x", 0xd800 + ((v - 0x10000) >> 10),
				     0xdc00 + ((v - 0x10000) & 0x3ff));
		need(ok, "memory");
		i += one.n;
	}
}

/* --- events: an answer of OpenAI's, as it comes and as LMC --- */

enum { STREAM_BYTES = 6000 };

struct stream {
	const char         *name;
	struct event       *events;
	size_t              count;
	const struct shape *shape;
};

#define CHUNK_FRONT                                                                            \
	"{\"id\":\"chatcmpl-9f86d081884c7d659a2feaa0\",\"object\":\"chat.completion.chunk\","  \
	"\"created\":1700000000,\"model\":\"bench\",\"system_fingerprint\":\"fp_44709d6fcb\"," \
	"\"choices\":[{\"index\":0,\"delta\":{"
#define DELTA_ROLE "\"role\":\"~\",\"content\":\"\""
#define DELTA_TEXT "\"content\":\"~\""
#define DELTA_NAME                                                              \
	"\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"~\",\"arguments\":\"\"}}]"
#define DELTA_ARGS "\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"~\"}}]"
#define CHUNK_BACK "},\"logprobs\":null,\"finish_reason\":null}]}"

/* chunk: a provider's chunk with this delta. */
static struct str chunk(const char *delta, struct str text)
{
	struct buf b;

	buf_init(&b, MIB);
	need(buf_text(&b, CHUNK_FRONT), "memory");
	fill(delta, text, &b);
	need(buf_text(&b, CHUNK_BACK), "memory");
	return finished(&b);
}

static void add_event(struct stream *s, struct event ev)
{
	s->events[s->count++] = ev;
}

/* make_stream: text in pieces; as the arguments of a call where args is set. */
static struct stream *make_stream(const char *name, struct str text, size_t piece, bool args,
				  bool only_ascii)
{
	struct stream *s = arena_alloc(&all, sizeof *s);
	struct buf     escaped;

	need(s, "memory");
	s->name = name;
	s->events = arena_alloc(&all, (text.n / piece + 8) * sizeof *s->events);
	need(s->events, "memory");
	add_event(s, (struct event){ .kind = EVENT_START,
				     .id = STR("chatcmpl-9f86"),
				     .text = STR("bench"),
				     .raw = chunk(DELTA_ROLE, STR("assistant")) });
	if (args)
		add_event(s, (struct event){ .kind = EVENT_TOOL_START,
					     .id = STR("call_1"),
					     .name = STR("execute"),
					     .raw = chunk(DELTA_NAME, STR("execute")) });
	buf_init(&escaped, MIB);
	while (text.n > 0) {
		struct str one = whole_characters(text, piece);

		text = (struct str){ text.p + one.n, text.n - one.n };
		if (only_ascii)
			ascii(one, &escaped);
		else
			need(buf_json_escape(&escaped, one), "memory");
		one = finished(&escaped);
		add_event(s, (struct event){ .kind = args ? EVENT_TOOL_ARGS : EVENT_TEXT,
					     .text = one,
					     .raw = chunk(args ? DELTA_ARGS : DELTA_TEXT, one) });
	}
	add_event(s, (struct event){ .kind = EVENT_FINISH,
				     .text = STR("stop"),
				     .raw = chunk("", STR_NONE) });
	add_event(s, (struct event){ .kind = EVENT_END });
	return s;
}

static void run_stream(void *arg)
{
	static struct buf    out = { .max = 16 * MIB }; /* kept, as a run keeps its own */
	const struct stream *s = arg;
	struct encoder_about about = { .fences = true, .model = STR("bench"), .run = { 1, 2 } };
	struct encoder      *n = s->shape->encoder(&about);

	need(n, "memory");
	for (size_t i = 0; i < s->count; i++) {
		need(n->ops->event(n, &s->events[i], i, &out), s->name);
		buf_clear(&out);
	}
	need(n->ops->done(n, s->count, &out), s->name);
	buf_clear(&out);
	encoder_destroy(n);
}

/* What is compared with OpenAI's chunks, LMC first. */
static const struct {
	const char          *name;
	const struct family *family;
	const char          *shape; /* NULL: the family's first */
} others[] = {
	{ "lmc", &family_chat, SHAPE_LMC },
	{ "responses", &family_responses, NULL },
	{ "messages", &family_messages, NULL },
};

static void measure_stream(const struct stream *s, bool *some)
{
	struct stream shapes[SIDES] = { *s, *s };
	struct work   w[SIDES] = { { run_stream, &shapes[0] }, { run_stream, &shapes[1] } };
	double        us[SIDES];
	double        more = 0;
	double        n = (double)s->count;

	if (!begin(some, "streams", s->name))
		return;
	printf("\"name\": \"%s\", \"events\": %zu", s->name, s->count);
	shapes[0].shape = family_completions.shapes;
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		shapes[1].shape = others[i].shape
					  ? family_shape(others[i].family, str_of(others[i].shape))
					  : others[i].family->shapes;
		measure(w, us, &more);
		if (i == 0)
			printf(", \"openai_us\": %.4f", us[0] / n);
		printf(", \"%s_us\": %.4f, \"%s%sadded_us\": %.4f", others[i].name, us[1] / n,
		       i > 0 ? others[i].name : "", i > 0 ? "_" : "", more / n);
	}
	printf("}");
}

/* in_execute: code as the arguments of a call. */
static struct str in_execute(struct str text)
{
	struct buf b;

	buf_init(&b, MIB);
	need(buf_text(&b, "{\"language\": \"python\", \"code\": \"") && buf_json_escape(&b, text) &&
		     buf_text(&b, "\"}"),
	     "memory");
	return finished(&b);
}

static void measure_streams(void)
{
	struct str words = repeated("", prose, "", STREAM_BYTES);
	struct str program = repeated("", code, "", STREAM_BYTES);
	struct str fenced = repeated("So:\n\n```python\n", code, "```\n\nRun it.", STREAM_BYTES);
	struct str many = repeated("", "Use `x`:\n```\nx = 1\n```\nand see.\n", "", STREAM_BYTES);
	struct str signs = repeated("", wide, "", STREAM_BYTES);

	bool some = false;

	printf(" \"streams\": [");
	measure_stream(make_stream("prose", words, 10, false, false), &some);
	measure_stream(make_stream("prose, a byte each", words, 1, false, false), &some);
	measure_stream(make_stream("fenced code", fenced, 10, false, false), &some);
	measure_stream(make_stream("many short fences", many, 10, false, false), &some);
	measure_stream(make_stream("a call of execute", in_execute(program), 10, true, false),
		       &some);
	measure_stream(make_stream("wide characters", signs, 10, false, false), &some);
	measure_stream(make_stream("wide characters, escaped", signs, 10, false, true), &some);
	printf("\n ],\n");
}

/* --- translations --- */

enum { LIST_BYTES = 20 * 1024 };

enum form { LMC_MESSAGES, LMC_CHUNKS, OPENAI_MESSAGES, OPENAI_CHUNKS, FORM__COUNT };

static const char *const form_names[FORM__COUNT] = {
	[LMC_MESSAGES] = "LMC messages",
	[LMC_CHUNKS] = "LMC chunks",
	[OPENAI_MESSAGES] = "OpenAI messages",
	[OPENAI_CHUNKS] = "OpenAI chunks",
};

/* A turn or so, printed again and again until the list is long enough, with text for each tilde. */
struct corpus {
	enum form   form;
	const char *name;
	const char *turn;
	size_t      text; /* bytes of each text, unescaped */
};

#define USER   "{\"role\":\"user\",\"content\":\"~\"}"
#define ANSWER "{\"role\":\"assistant\",\"content\":\"~\"}"
#define MARKED "{\"role\":\"assistant\",\"content\":\"`~`\"}"
#define FENCED "{\"role\":\"assistant\",\"content\":\"```\\n~\\n```\"}"
#define CALL                                                                                    \
	"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"call_1\",\"type\":" \
	"\"function\",\"function\":{\"name\":\"execute\",\"arguments\":"                        \
	"\"{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"~\\\"}\"}}]}"
#define TOOL "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"~\"}"
#define PICTURE                                                                         \
	"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"~\"},{\"type\":" \
	"\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0KGgo=\"}}]}"
#define DELTA      CHUNK_FRONT DELTA_TEXT CHUNK_BACK
#define TINY       "{\"choices\":[{\"delta\":{\"content\":\"~\"}}]}"

#define LMC_USER   "{\"role\":\"user\",\"type\":\"message\",\"content\":\"~\"}"
#define LMC_ANSWER "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"~\"}"
#define LMC_CODE \
	"{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"python\",\"content\":\"~\"}"
#define LMC_OUTPUT \
	"{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"~\"}"
#define LMC_FLAG(f) "{\"role\":\"assistant\",\"type\":\"message\",\"" f "\":true}"

/* clang-format off */
static const struct corpus corpora[] = {
	{ OPENAI_MESSAGES, "a conversation, 400 bytes each",
	  USER "," CALL "," TOOL "," ANSWER, 400 },
	{ OPENAI_MESSAGES, "prose, 400 bytes each", USER "," ANSWER, 400 },
	{ OPENAI_MESSAGES, "texts with small pictures", PICTURE, 40 },
	{ OPENAI_MESSAGES, "tiny answers", ANSWER, 2 },
	{ OPENAI_MESSAGES, "tiny answers with backticks", MARKED, 2 },
	{ OPENAI_MESSAGES, "tiny fenced answers", FENCED, 2 },
	{ OPENAI_MESSAGES, "tiny calls and outputs", CALL "," TOOL, 2 },
	{ LMC_MESSAGES, "a conversation, 400 bytes each",
	  LMC_USER "," LMC_CODE "," LMC_OUTPUT "," LMC_ANSWER, 400 },
	{ LMC_MESSAGES, "prose, 400 bytes each", LMC_USER "," LMC_ANSWER, 400 },
	{ LMC_MESSAGES, "tiny messages", LMC_USER "," LMC_ANSWER, 2 },
	{ LMC_MESSAGES, "tiny code and outputs", LMC_CODE "," LMC_OUTPUT, 2 },
	{ OPENAI_CHUNKS, "prose, ten bytes each", DELTA, 10 },
	{ OPENAI_CHUNKS, "two bytes each and little else", TINY, 2 },
	{ LMC_CHUNKS, "prose, ten bytes each", LMC_ANSWER, 10 },
	{ LMC_CHUNKS, "start, two bytes, end",
	  LMC_FLAG("start") "," LMC_ANSWER "," LMC_FLAG("end"), 2 },
};
/* clang-format on */

/* A list is prose, which the calls take for code. */
static struct str list_of(const char *turn, size_t text)
{
	struct buf escaped;
	struct buf list;

	buf_init(&escaped, MIB);
	buf_init(&list, MIB);
	struct str plain = whole_characters(repeated("", prose, "", text), text);
	need(buf_json_escape(&escaped, plain), "memory");
	while (list.len < LIST_BYTES) {
		need(list.len == 0 || buf_text(&list, ","), "memory");
		fill(turn, buf_view(&escaped), &list);
	}
	buf_finish(&escaped);
	return finished(&list);
}

struct request {
	struct str      body;
	struct json_doc doc; /* kept, as a loop keeps its own */
};

static void run_scan(void *arg)
{
	struct request *r = arg;
	struct err      e;

	need(json_scan(&r->doc, r->body.p, r->body.n, &json_limits_request, &e) == ERR_OK, "scan");
}

static void run_translation(void *arg)
{
	const struct request        *r = arg;
	const struct translate_about about = { STR("chatcmpl-1"), STR("bench"), 1700000000 };
	struct buf                   out;
	struct err                   e;

	buf_init(&out, LIMIT_TRANSLATION);
	if (translate_messages(&r->doc, &about, &out, &e) != ERR_OK)
		need(false, e.text);
	buf_finish(&out);
}

static void measure_corpus(const struct corpus *c, bool *some)
{
	if (!begin(some, form_names[c->form], c->name))
		return;

	bool           lmc = c->form == LMC_MESSAGES || c->form == LMC_CHUNKS;
	bool           chunks = c->form == LMC_CHUNKS || c->form == OPENAI_CHUNKS;
	const char    *key = chunks ? "chunks" : "messages";
	struct str     list = list_of(c->turn, c->text);
	struct request r = { 0 };
	struct work    w[SIDES] = { { run_scan, &r }, { run_translation, &r } };
	struct buf     body;
	double         us[SIDES];
	double         more = 0;

	buf_init(&body, MIB);
	need(buf_fmt(&body, "{\"from\":\"%s\",\"to\":\"%s\",\"%s\":[%.*s]}", lmc ? "lmc" : "openai",
		     lmc ? "openai" : "lmc", key, STR_ARG(list)),
	     "memory");
	r.body = finished(&body);
	run_scan(&r);

	size_t count = r.doc.tok[json_get(&r.doc, 0, key)].count;
	double kb = (double)list.n / KIB;
	measure(w, us, &more);
	printf("\"form\": \"%s\", \"corpus\": \"%s\", \"bytes\": %zu, \"count\": %zu, "
	       "\"scan_us_per_kb\": %.3f, \"translate_us_per_kb\": %.3f, \"translate_us_each\": %.4f}",
	       form_names[c->form], c->name, list.n, count, us[0] / kb, us[1] / kb,
	       us[1] / (double)count);
	json_doc_finish(&r.doc);
}

static void measure_translations(void)
{
	bool some = false;

	printf(" \"translations\": [");
	for (size_t i = 0; i < ARRAY_LEN(corpora); i++)
		measure_corpus(&corpora[i], &some);
	printf("\n ],\n");
}

/* --- prompts: a conversation as it is stored, for a provider --- */

enum { TURNS = 5, TURN_MESSAGES = 4, TURN_TEXT = 1000 };

struct conversation {
	struct str messages[TURNS * TURN_MESSAGES];
	size_t     bytes;
	bool       lmc;
};

static void run_render(void *arg)
{
	const struct conversation *c = arg;
	struct str                *made = NULL;
	size_t                     count = 0;
	struct warnings            warnings;
	struct arena               arena;
	struct err                 e;

	arena_init(&arena, LIMIT_ARENA);
	warnings_init(&warnings);
	struct transcript_options o = { .answers_calls = c->lmc,
					.warnings = &warnings,
					.arena = &arena };
	need(transcript_render(c->messages, ARRAY_LEN(c->messages), &o, &made, &count, &e) ==
		     ERR_OK,
	     "render");
	need(count == ARRAY_LEN(c->messages), "as many messages");
	warnings_finish(&warnings);
	arena_finish(&arena);
}

/* run_check: what an LMC message has to pass when it comes. */
static void run_check(void *arg)
{
	const struct conversation *c = arg;
	struct json_doc            d = { 0 };
	struct err                 e;

	for (size_t i = 0; i < ARRAY_LEN(c->messages); i++) {
		struct str m = c->messages[i];

		need(json_scan(&d, m.p, m.n, &json_limits_request, &e) == ERR_OK, "scan");
		need(!c->lmc || transcript_check(&d, 0, "messages[0]", false, &e) == ERR_OK,
		     "check");
	}
	json_doc_finish(&d);
}

static void converse(const char *const turn[TURN_MESSAGES], struct conversation *ret)
{
	struct str text = whole_characters(repeated("", prose, "", TURN_TEXT), TURN_TEXT);
	struct buf b;

	for (size_t i = 0; i < ARRAY_LEN(ret->messages); i++) {
		struct buf escaped;

		buf_init(&escaped, MIB);
		buf_init(&b, MIB);
		need(buf_json_escape(&escaped, text), "memory");
		fill(turn[i % TURN_MESSAGES], buf_view(&escaped), &b);
		buf_finish(&escaped);
		ret->bytes += b.len;
		ret->messages[i] = finished(&b);
	}
}

static void measure_prompt(const char *name, work_fn run, struct conversation both[SIDES],
			   bool *some)
{
	struct work w[SIDES] = { { run, &both[0] }, { run, &both[1] } };
	double      us[SIDES];
	double      more = 0;
	double      kb = (double)both[1].bytes / KIB;

	if (!begin(some, "prompts", name))
		return;
	measure(w, us, &more);
	printf("\"name\": \"%s\", \"bytes\": %zu, \"openai_us\": %.2f, \"lmc_us\": %.2f, "
	       "\"added_us_per_kb\": %.3f}",
	       name, both[1].bytes, us[0], us[1], more / kb);
}

static void measure_prompts(void)
{
	static const char *const openai[TURN_MESSAGES] = { USER, CALL, TOOL, ANSWER };
	static const char *const lmc[TURN_MESSAGES] = { LMC_USER, LMC_CODE, LMC_OUTPUT,
							LMC_ANSWER };
	struct conversation      both[SIDES] = { { .lmc = false }, { .lmc = true } };
	bool                     some = false;

	converse(openai, &both[0]);
	converse(lmc, &both[1]);
	printf(" \"prompts\": [");
	measure_prompt("checked as they come", run_check, both, &some);
	measure_prompt("rendered for a provider", run_render, both, &some);
	printf("\n ]\n");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		wanted = argv[1];
	arena_init(&all, 64 * MIB);
	printf("{\n");
	measure_streams();
	measure_translations();
	measure_prompts();
	printf("}\n");
	arena_finish(&all);
	return 0;
}
