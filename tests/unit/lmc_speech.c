/* One turn as segments: its order, its calls, reviews, what is given at once, and any cut of it. */
#include "lmc/speech.h"
#include "lmc_spooled.h"

enum what { NOTHING, TEXT, NAME, ARGS };

struct step {
	enum what   what;
	uint32_t    index;
	const char *text; /* halves of pairs in three bytes each, as lmc/text.h has it */
};

/* clang-format off */
#define T(s)       { TEXT, 0, s }
#define N(i, s)    { NAME, i, s }
#define A(i, s)    { ARGS, i, s }
/* clang-format on */

#define MSG(s)       LMC("assistant", "message", PLAIN(s))
#define CODE(f, s)   LMC("assistant", "code", FORMAT(f, s))
#define CALL(f, s)   LMC("assistant", "tool_call", FORMAT(f, s))
#define REVIEW(f, s) LMC("assistant", "review", FORMAT(f, s))

/* A turn with all that hears of it. */
struct rig {
	struct warnings w;
	struct buf      messages;
	struct buf      chunks;
	struct spool    spool;
	struct speech  *turn;
};

static void rig_make(struct rig *r, bool fences, size_t max)
{
	warnings_init(&r->w);
	buf_init(&r->messages, 64 * MIB);
	buf_init(&r->chunks, 64 * MIB);
	spool_init(&r->spool, &r->messages, &r->chunks);
	r->turn = speech_create(&(struct speech_options){ .fences = fences,
							  .sink = &spool_sink,
							  .arg = &r->spool,
							  .warnings = &r->w,
							  .max = max });
	assert_non_null(r->turn);
}

static void rig_drop(struct rig *r)
{
	speech_destroy(r->turn);
	spool_finish(&r->spool);
	buf_finish(&r->messages);
	buf_finish(&r->chunks);
	warnings_finish(&r->w);
}

static bool take(struct speech *t, enum what what, uint32_t index, struct str text)
{
	switch (what) {
	case TEXT: return speech_text(t, text);
	case NAME: return speech_name(t, index, text);
	case ARGS: return speech_args(t, index, text);
	case NOTHING: break;
	}
	return true;
}

/* clang-format off */
static const struct row {
	const char *why;
	bool        plain; /* without fences */
	struct step steps[10];
	const char *want;
	const char *warned; /* index (the step's) and code of each */
} rows[] = {
	/* Text. */
	{ "nothing", 0, { T("") }, "", "" },
	{ "text", 0, { T("Hel"), T("lo\n") }, MSG("Hello\\n"), "" },
	{ "white space alone is no segment (F9)", 0, { T(" \n"), T("\t") }, "", "" },
	{ "text and a fence", 0, { T("a\n``"), T("`sh\nls\n```\n\nb") },
	  MSG("a") "," CODE("sh", "ls") "," MSG("b"), "" },
	{ "without fences it is one message", 1, { T("a\n```sh\nls\n"), T("```\nb \n") },
	  MSG("a\\n```sh\\nls\\n```\\nb \\n"), "" },
	{ "white space in front is kept if something follows (F9)", 1,
	  { T(" "), T("\n"), T("\ta") },
	  MSG(" \\n\\ta"), "" },
	{ "white space alone without fences", 1, { T(" "), T("\r\n") }, "", "" },
	{ "a pair cut into halves", 0, { T("a\xed\xa0\xbd"), T("\xed\xb8\x80z") },
	  MSG("a\xf0\x9f\x98\x80z"), "" },
	{ "halves that never meet stay (G4)", 1,
	  { T("\xed\xb8\x80\xed\xa0\xbd"), T("a\xed\xa0\xbd") },
	  MSG("\\ude00\\ud83da\\ud83d"), "" },
	/* The order (K2). */
	{ "text, a call, text", 0,
	  { T("a"), N(0, "python"), A(0, "1"), T("b"), A(0, "2"), T("c") },
	  MSG("a") "," CODE("python", "12") "," MSG("bc"), "" },
	{ "early text is complete when the call begins: a fence stays open to there", 0,
	  { T("```sh\nls"), N(0, "python"), T("\n```\nx") },
	  CODE("sh", "ls") "," CODE("python", "") "," CODE("python", "x"), "" },
	{ "late text begins at the start of a line, as a text of its own", 0,
	  { T("a"), N(0, "python"), T("```sh\nls\n```") },
	  MSG("a") "," CODE("python", "") "," CODE("sh", "ls"), "" },
	{ "late text without fences", 1, { N(0, "python"), T(" "), T("```\nx") },
	  CODE("python", "") "," MSG(" ```\\nx"), "" },
	{ "early and late text without fences are two messages", 1,
	  { T("a"), N(0, "python"), T("b") }, MSG("a") "," CODE("python", "") "," MSG("b"), "" },
	/* Calls (K3). */
	{ "ascending order of index however they come", 0,
	  { A(7, "c"), N(7, "python"), N(3, "python"), A(0, "a"), A(3, "b"), N(0, "python") },
	  CALL("", "a") "," CODE("python", "b") "," CALL("", "c"),
	  "3:unknown_function 0:unknown_function" },
	{ "deltas of three calls mixed", 0,
	  { N(2, "python"), N(0, "python"), N(1, "python"), A(1, "b"), A(2, "c"), A(0, "a"),
	    A(2, "C"),
	    A(1, "B"), A(0, "A") },
	  CODE("python", "aA") "," CODE("python", "bB") "," CODE("python", "cC"), "" },
	{ "a name in pieces", 0, { N(0, "pyt"), N(0, "hon"), A(0, ""), N(0, ""), A(0, "1") },
	  CODE("python", "1"), "" },
	{ "an empty piece of the arguments does not end the name", 0,
	  { N(0, "pyt"), A(0, ""), N(0, "hon"), A(0, "1") }, CODE("python", "1"), "" },
	{ "pieces of a name behind the arguments do not count", 0,
	  { N(0, "python"), A(0, "1"), N(0, "3"), N(1, "python"), A(1, "2"), N(1, "3") },
	  CODE("python", "1") "," CODE("python", "2"), "" },
	{ "a held call's pair cut into halves", 0,
	  { N(1, "python"), A(1, "\xed\xa0\xbd"), A(1, "\xed\xb8\x80") },
	  CODE("python", "\xf0\x9f\x98\x80"), "" },
	{ "a call's pair cut into halves while it arrives", 0,
	  { N(0, "python"), A(0, "a\xed\xa0\xbd"), A(0, "\xed\xb8\x80") },
	  CODE("python", "a\xf0\x9f\x98\x80"), "" },
	{ "a call that is only named gives its message (T1)", 0, { N(0, "python"), N(4, "f") },
	  CODE("python", "") "," CALL("f", ""), "1:unknown_function" },
	{ "the largest index", 0, { N(UINT32_MAX, "python"), N(0, "python"), A(UINT32_MAX, "z") },
	  CODE("python", "") "," CODE("python", "z"), "" },
	/* Functions (T). */
	{ "python's arguments are code, whatever they look like (T2)", 0,
	  { N(0, "python"), A(0, "{\"code\":\"1\"}") }, CODE("python", "{\\\"code\\\":\\\"1\\\"}"),
	    "" },
	{ "execute (T3)", 0,
	  { N(0, "execute"), A(0, "{\"language\":\"R\",\"co"), A(0, "de\":\"a\\n"), A(0, "b\"}") },
	  CODE("r", "a\\nb"), "" },
	{ "execute that is held", 0,
	  { N(1, "execute"), A(1, "{\"code\":\"a\\n"), A(1, "b\"}") }, CODE("python", "a\\nb"),
	    "" },
	{ "arguments that end early (T5)", 0, { N(0, "execute"), A(0, "{\"code\":\"a") },
	  CODE("python", "a"), "0:arguments_incomplete" },
	{ "an object without code (T5)", 0, { T("x"), N(0, "execute"), A(0, "{}") },
	  MSG("x") "," CODE("python", ""), "1:arguments_no_code" },
	{ "text behind the object (T5)", 0, { N(0, "execute"), A(0, "{\"code\":\"a\"} b") },
	  CODE("python", "a"), "0:arguments_trailing" },
	{ "no object (T7)", 0, { N(0, "execute"), A(0, " [1"), A(0, "]") }, CALL("execute", " [1]"),
	  "0:arguments_not_an_object" },
	{ "another function (T7)", 0, { N(0, "br\"owse"), A(0, "{\"a\":"), A(0, "1}") },
	  CALL("br\\\"owse", "{\\\"a\\\":1}"), "0:unknown_function" },
	{ "function names are told apart by case", 0, { N(0, "Execute"), A(0, "{}") },
	  CALL("Execute", "{}"), "0:unknown_function" },
	/* Reviews (K5). */
	{ "a review", 0, { N(0, "python"), T("<sa"), T("fe>ok</sa"), T("fe>") },
	  CODE("python", "") "," REVIEW("safe", "ok"), "" },
	{ "letter case is ignored, white space in front, the text is exact", 0,
	  { N(0, "python"), T(" \r\n<WarnING> a\n</WARNING>") },
	  CODE("python", "") "," REVIEW("warning", " a\\n"), "" },
	{ "what follows it is a text of its own", 0,
	  { N(0, "python"), T("<unsafe>x</unsafe>```sh\nls\n```\nb") },
	  CODE("python", "") "," REVIEW("unsafe", "x") "," CODE("sh", "ls") "," MSG("b"), "" },
	{ "only the matching tag closes", 0, { N(0, "python"), T("<unsafe>a</safe></warning>") },
	  CODE("python", "") "," REVIEW("unsafe", "a</safe></warning>"), "" },
	{ "an unclosed review reaches to the end", 0, { N(0, "python"), T("<safe>a</safe ><") },
	  CODE("python", "") "," REVIEW("safe", "a</safe ><"), "" },
	{ "an empty review is one (K7)", 0, { N(0, "python"), T("<safe></safe>") },
	  CODE("python", "") "," REVIEW("safe", ""), "" },
	{ "a second review is prose", 0, { N(0, "python"), T("<safe>a</safe><safe>b</safe>") },
	  CODE("python", "") "," REVIEW("safe", "a") "," MSG("<safe>b</safe>"), "" },
	{ "not at the beginning", 0, { N(0, "python"), T("so <safe>a</safe>") },
	  CODE("python", "") "," MSG("so <safe>a</safe>"), "" },
	{ "no such tag", 0, { N(0, "python"), T("<safer>a") },
	  CODE("python", "") "," MSG("<safer>a"), "" },
	{ "early text is no review", 0, { T("<safe>a</safe>"), N(0, "python") },
	  MSG("<safe>a</safe>") "," CODE("python", ""), "" },
	{ "fences inside a review are its text", 1, { N(0, "python"), T("<safe>```\nx</safe>\n") },
	  CODE("python", "") "," REVIEW("safe", "```\\nx"), "" },
};
/* clang-format on */

static void a_turn_becomes_segments(void **state)
{
	struct buf codes;

	(void)state;
	buf_init(&codes, MIB);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;

		print_message("case: %s\n", rows[i].why);
		rig_make(&r, !rows[i].plain, MIB);
		for (size_t k = 0; k < ARRAY_LEN(rows[i].steps); k++) {
			const struct step *s = &rows[i].steps[k];

			speech_at(r.turn, k);
			assert_true(take(r.turn, s->what, s->index, str_of(s->text)));
		}
		assert_true(speech_close(r.turn));
		assert_text(&r.messages, rows[i].want);
		chunks_agree(&r.messages, &r.chunks);
		codes_of(&r.w, &codes);
		assert_text(&codes, rows[i].warned);
		/* It is over. */
		assert_false(speech_text(r.turn, STR("x")));
		assert_false(speech_name(r.turn, 0, STR("x")));
		assert_false(speech_args(r.turn, 0, STR("x")));
		assert_false(speech_close(r.turn));
		rig_drop(&r);
	}
	buf_finish(&codes);
}

/* --- what is given at once --- */

static void text_and_the_first_call_are_given_while_they_arrive(void **state)
{
	/* clang-format off */
	static const struct {
		struct step step;
		const char *messages; /* behind the step */
	} script[] = {
		{ T("Hello"), "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"Hello" },
		{ T("\xed\xa0\xbd"),
		  "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"Hello" },
		{ T("\xed\xb8\x80!"), "{\"role\":\"assistant\",\"type\":\"message\","
		  "\"content\":\"Hello\xf0\x9f\x98\x80!" },
		{ N(1, "python"), MSG("Hello\xf0\x9f\x98\x80!") },
		{ A(1, "later"), MSG("Hello\xf0\x9f\x98\x80!") },
		{ N(0, "execute"), MSG("Hello\xf0\x9f\x98\x80!") },
		{ A(0, "{\"language\":\"sh\",\"code\":\"ls"),
		  MSG("Hello\xf0\x9f\x98\x80!")
		  ",{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"sh\","
		  "\"content\":\"ls" },
		{ T("late"),
		  MSG("Hello\xf0\x9f\x98\x80!")
		  ",{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"sh\","
		  "\"content\":\"ls" },
		{ A(0, " -l"),
		  MSG("Hello\xf0\x9f\x98\x80!")
		  ",{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"sh\","
		  "\"content\":\"ls -l" },
	};
	/* clang-format on */
	struct rig r;

	(void)state;
	rig_make(&r, true, MIB);
	for (size_t i = 0; i < ARRAY_LEN(script); i++) {
		const struct step *s = &script[i].step;

		assert_true(take(r.turn, s->what, s->index, str_of(s->text)));
		assert_text(&r.messages, script[i].messages);
	}
	assert_true(speech_close(r.turn));
	assert_text(&r.messages, MSG("Hello\xf0\x9f\x98\x80!") "," CODE("sh", "ls -l") "," CODE(
					 "python", "later") "," MSG("late"));
	rig_drop(&r);
}

/* --- limits and failures --- */

static void what_is_held_is_bounded_in_total(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why;
		bool        plain;
		struct step step; /* given again and again */
		bool        another; /* a new index each time */
	} cases[] = {
		{ "late text", 0, T("0123456789"), false },
		{ "a name", 0, N(0, "0123456789"), false },
		{ "the arguments of a held call", 0, A(1, "0123456789"), false },
		{ "names of many calls", 0, N(1, "0123456789"), true },
		{ "arguments of many calls", 0, A(1, "0123456789"), true },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig  r;
		struct step s = cases[i].step;
		unsigned    good = 0;

		print_message("case: %s\n", cases[i].why);
		rig_make(&r, !cases[i].plain, 2000);
		assert_true(speech_name(r.turn, 0, STR("python")));
		while (good < 1000 && take(r.turn, s.what, s.index, str_of(s.text))) {
			s.index += cases[i].another;
			good++;
		}
		/* Half of it, less the six bytes of python. */
		assert_int_equal(good, 99);
		assert_false(speech_text(r.turn, STR("x")));
		assert_false(speech_close(r.turn));
		rig_drop(&r);
	}
}

static void white_space_in_front_is_bounded_without_fences(void **state)
{
	struct rig r;
	unsigned   good = 0;

	(void)state;
	rig_make(&r, false, 2000);
	while (good < 1000 && speech_text(r.turn, STR("          ")))
		good++;
	assert_int_equal(good, 100);
	rig_drop(&r);
}

static void calls_are_bounded_in_number(void **state)
{
	struct rig r;

	(void)state;
	/* Falling indices: each goes in front of the others. */
	rig_make(&r, true, MIB);
	for (uint32_t i = 0; i < LIMIT_TOOLS; i++)
		assert_true(speech_name(r.turn, LIMIT_TOOLS - i, STR("python")));
	assert_true(speech_args(r.turn, 5, STR("five")));
	assert_false(speech_name(r.turn, 0, STR("python")));
	rig_drop(&r);
}

/* A sink that stops at the nth call. */
struct stopper {
	unsigned left;
	bool     stopped;
};

static bool stopper_count(struct stopper *s)
{
	assert_false(s->stopped);
	s->stopped = s->left-- == 0;
	return !s->stopped;
}

static bool stopper_open(void *arg, enum segment_kind kind, struct str format)
{
	(void)kind;
	(void)format;
	return stopper_count(arg);
}

static bool stopper_text(void *arg, struct str text)
{
	assert_true(text.n > 0);
	return stopper_count(arg);
}

static bool stopper_close(void *arg)
{
	return stopper_count(arg);
}

static void a_sink_that_stops_hears_nothing_more(void **state)
{
	static const struct segment_sink sink = { stopper_open, stopper_text, stopper_close };
	static const struct step         steps[] = {
			T("a\xed\xa0\xbd"),
			T("\xed\xb8\x80"),
			T("b\xed\xa0\xbd"),
			N(0, "execute"),
			A(0, "{\"code\":\"1\","),
			A(0, "\"language\":\"x\"}"),
			N(1, "python"),
			A(1, "2"),
			N(2, "f"),
			A(2, "3"),
			T("<safe>x</safe>"),
			T("y\n```\nz\xed\xa0\xbd"),
	};

	(void)state;
	for (unsigned n = 0;; n++) {
		struct stopper        s = { .left = n };
		struct speech_options o = { .fences = true, .sink = &sink, .arg = &s, .max = MIB };
		struct speech        *t = speech_create(&o);
		bool                  ok = true;

		assert_non_null(t);
		for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
			ok = take(t, steps[i].what, steps[i].index, str_of(steps[i].text)) && ok;
			assert_int_equal(ok, !s.stopped);
		}
		ok = speech_close(t) && ok;
		assert_int_equal(ok, !s.stopped);
		speech_destroy(t);
		if (ok) {
			assert_int_in_range(n, 20, 40);
			return;
		}
	}
}

/* --- any cut and any mix --- */

enum { CALLS = 4, LONGEST = 400 };

struct piece_list {
	char   text[LONGEST];
	size_t len;
	size_t given;
};

static void fill(struct piece_list *p, const char *const *words, unsigned count, unsigned most,
		 unsigned *seed)
{
	struct buf b = { .data = p->text, .cap = LONGEST, .max = LONGEST };

	for (unsigned n = chance(seed, most + 1); n > 0; n--)
		if (!text_join(&b, str_of(words[chance(seed, count)])))
			break;
	p->len = b.len;
	p->given = 0;
}

static const char *const prose_words[] = {
	"a",
	"word ",
	"\n",
	"\r\n",
	" ",
	"\t",
	"`",
	"``",
	"```",
	"````",
	"```py\n",
	"\n```\n",
	"   ",
	"\xc3\xa9",
	"\xf0\x9f\x98\x80",
	"\xed\xa0\xbd",
	"\xed\xb8\x80",
	"<safe>",
	"</SAFE>",
	"<unsafe>",
	"<",
	"\r",
	"```sh ls",
	"~~~",
};
static const char *const args_words[] = {
	"{",
	"}",
	"\"code\":",
	"\"language\":",
	"\"",
	"\"x\"",
	",",
	":",
	"[1]",
	"null",
	"\\n",
	"\\u00e9",
	"\\ud83d",
	"\\ude00",
	"\\",
	"\n",
	" ",
	"print(1)",
	"\xf0\x9f\x98\x80",
	"\xed\xa0\xbd",
	"\xed\xb8\x80",
	"\"language\":\"R x\",",
	"{\"code\":\"",
	"\"}",
	"1.5e",
	"\\d",
};
static const char *const names[] = {
	"execute", "execute", "execute", "python", "browse", "exec", "",
};

/* next_cut: how far a piece from at may reach: characters stay whole, but a pair may be cut. */
static size_t next_cut(const struct piece_list *p, size_t at, unsigned most, unsigned *seed)
{
	size_t to = at + 1 + chance(seed, most);

	if (to >= p->len)
		return p->len;
	while (to < p->len && ((unsigned char)p->text[to] & 0xc0) == 0x80)
		to++;
	return to;
}

/* give_piece: a character beyond the first plane as two pieces, as escapes would bring it. */
static bool give_piece(struct speech *t, enum what what, uint32_t index, struct str text,
		       unsigned *seed)
{
	char half[3] = { '\xed' };

	if (text.n != 4 || (unsigned char)text.p[0] < 0xf0 || chance(seed, 2) == 0)
		return take(t, what, index, text);

	unsigned c = ((unsigned)text.p[0] & 7) << 18 | ((unsigned)text.p[1] & 63) << 12 |
		     ((unsigned)text.p[2] & 63) << 6 | ((unsigned)text.p[3] & 63);
	c -= 0x10000;
	half[1] = (char)(0xa0 | (c >> 16 & 15));
	half[2] = (char)(0x80 | (c >> 10 & 63));
	if (!take(t, what, index, (struct str){ half, 3 }))
		return false;
	half[1] = (char)(0xb0 | (c >> 6 & 15));
	half[2] = (char)(0x80 | (c & 63));
	return take(t, what, index, (struct str){ half, 3 });
}

static void give_next(struct speech *t, enum what what, uint32_t index, struct piece_list *p,
		      unsigned most, unsigned *seed)
{
	size_t     to = next_cut(p, p->given, most, seed);
	struct str piece = { p->text + p->given, to - p->given };

	p->given = to;
	assert_true(give_piece(t, what, index, piece, seed));
}

struct mix {
	struct piece_list early;
	struct piece_list late;
	struct piece_list name[CALLS];
	struct piece_list args[CALLS];
	uint32_t          index[CALLS]; /* ascending */
	unsigned          calls;
};

static void mix_make(struct mix *m, unsigned *seed)
{
	fill(&m->early, prose_words, ARRAY_LEN(prose_words), 12, seed);
	m->calls = chance(seed, CALLS + 1);
	fill(&m->late, prose_words, ARRAY_LEN(prose_words), m->calls ? 12 : 0, seed);
	for (unsigned i = 0; i < m->calls; i++) {
		m->index[i] = i + (i > 0 ? m->index[i - 1] : 0) + chance(seed, 2);
		fill(&m->name[i], &names[chance(seed, ARRAY_LEN(names))], 1, 1, seed);
		fill(&m->args[i], args_words, ARRAY_LEN(args_words), 14, seed);
	}
}

static void run_whole(struct mix *m, struct speech *t)
{
	assert_true(speech_text(t, (struct str){ m->early.text, m->early.len }));
	for (unsigned i = 0; i < m->calls; i++)
		assert_true(speech_name(t, m->index[i],
					(struct str){ m->name[i].text, m->name[i].len }) &&
			    speech_args(t, m->index[i],
					(struct str){ m->args[i].text, m->args[i].len }));
	assert_true(speech_text(t, (struct str){ m->late.text, m->late.len }));
	assert_true(speech_close(t));
}

/* run_mixed: the same in small pieces, the calls and the late text mixed. */
static void run_mixed(struct mix *m, struct speech *t, unsigned most, unsigned *seed)
{
	bool     begun[CALLS] = { false };
	bool     any = false;
	unsigned open;

	while (m->early.given < m->early.len)
		give_next(t, TEXT, 0, &m->early, most, seed);
	do {
		unsigned k = chance(seed, CALLS + 1);

		if (k < m->calls) {
			if (!begun[k])
				assert_true(speech_name(t, m->index[k], STR("")));
			any = begun[k] = true;
			if (m->name[k].given < m->name[k].len)
				give_next(t, NAME, m->index[k], &m->name[k], most, seed);
			else if (m->args[k].given < m->args[k].len)
				give_next(t, ARGS, m->index[k], &m->args[k], most, seed);
		} else if (any && m->late.given < m->late.len) {
			give_next(t, TEXT, 0, &m->late, most, seed);
		}

		open = m->late.given < m->late.len;
		for (unsigned i = 0; i < m->calls; i++)
			open |= !begun[i] || m->args[i].given < m->args[i].len ||
				m->name[i].given < m->name[i].len;
	} while (open);
	assert_true(speech_close(t));
}

static void any_cut_and_any_mix_gives_the_same(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 6000; n++) {
		unsigned   seed = n;
		bool       fences = n % 4 != 0;
		struct mix m = { 0 };
		struct rig whole, mixed;
		size_t     ours = 0;

		mix_make(&m, &seed);
		rig_make(&whole, fences, MIB);
		rig_make(&mixed, fences, MIB);
		run_whole(&m, whole.turn);
		run_mixed(&m, mixed.turn, n % 3 == 0 ? 1 : 12, &seed);
		ours = whole.spool.count;
		if (!str_eq(buf_view(&whole.messages), buf_view(&mixed.messages)) ||
		    ours != mixed.spool.count || whole.w.count != mixed.w.count)
			fail_msg("seed %u\nwhole %.*s\nmixed %.*s", n, (int)whole.messages.len,
				 whole.messages.data, (int)mixed.messages.len, mixed.messages.data);
		chunks_agree(&whole.messages, &whole.chunks);
		chunks_agree(&mixed.messages, &mixed.chunks);
		rig_drop(&whole);
		rig_drop(&mixed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_becomes_segments),
		cmocka_unit_test(text_and_the_first_call_are_given_while_they_arrive),
		cmocka_unit_test(what_is_held_is_bounded_in_total),
		cmocka_unit_test(white_space_in_front_is_bounded_without_fences),
		cmocka_unit_test(calls_are_bounded_in_number),
		cmocka_unit_test(a_sink_that_stops_hears_nothing_more),
		cmocka_unit_test(any_cut_and_any_mix_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
