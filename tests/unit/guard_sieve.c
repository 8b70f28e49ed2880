/* Texts in every cut: what a hook sees, and what may leave before it has seen the rest. */
#include "guard/sieve.h"

#include "base/limits.h"
#include "guard/texts.h"
#include "json/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WINDOW = 16, OVERLAP = 8 };

/* A sieve with a hook that forbids a word, and what has left so far. */
struct rig {
	struct sieve *sieve;
	const char   *word;
	struct buf    left;
	bool          blocked;
	size_t        checks;
};

static void rig_make(struct rig *r, const char *word, bool whole)
{
	*r = (struct rig){ .word = word };
	r->sieve = sieve_create(&(struct sieve_options){
		.window = WINDOW, .overlap = OVERLAP, .whole = whole, .max = MIB });
	assert_non_null(r->sieve);
	buf_init(&r->left, MIB);
}

static void rig_drop(struct rig *r)
{
	sieve_destroy(r->sieve);
	buf_finish(&r->left);
}

static void rig_leave(struct rig *r)
{
	struct event ev;
	bool         failed;

	while (sieve_next(r->sieve, &ev, &failed))
		assert_true(buf_str(&r->left, ev.text));
	assert_false(failed);
}

static void rig_check(struct rig *r)
{
	struct buf texts;
	size_t     count;

	while (!r->blocked && sieve_due(r->sieve)) {
		buf_init(&texts, MIB);
		bool ok = sieve_take(r->sieve, &texts, &count);
		r->checks++;
		r->blocked = ok && texts.len > 0 &&
			     memmem(texts.data, texts.len, r->word, strlen(r->word));
		buf_finish(&texts);
		assert_true(ok);
		if (!r->blocked)
			assert_true(count == 0 ||
				    sieve_pass(r->sieve, NULL, &(struct sieve_passed){ 0 }));
		else
			sieve_drop(r->sieve);
		rig_leave(r);
	}
}

static void rig_put(struct rig *r, enum event_kind kind, const char *text, size_t n)
{
	if (r->blocked)
		return;
	assert_true(sieve_put(r->sieve, &(struct event){ .kind = kind, .text = { text, n } }));
	rig_leave(r);
	rig_check(r);
}

static void rig_close(struct rig *r)
{
	if (r->blocked)
		return;
	sieve_close(r->sieve);
	rig_check(r);
	rig_leave(r);
}

/* piece_end: the end of a piece of `most` bytes, not within a unit. */
static size_t piece_end(struct str text, size_t at, size_t most)
{
	size_t n = 0;

	while (at + n < text.n && n < most) {
		unsigned char c = (unsigned char)text.p[at + n];

		n += c == '\\'   ? (text.p[at + n + 1] == 'u' ? 6u : 2u)
		     : c >= 0xf0 ? 4u
		     : c >= 0xe0 ? 3u
		     : c >= 0xc0 ? 2u
				 : 1u;
	}
	return at + n;
}

static void say(struct rig *r, const char *text, size_t first, size_t most)
{
	struct str all = str_of(text);
	size_t     at = 0;

	for (size_t n = first; at < all.n; n = most) {
		size_t to = piece_end(all, at, n);

		rig_put(r, EVENT_TEXT, all.p + at, to - at);
		at = to;
	}
	rig_close(r);
}

static const char *const texts[] = {
	"some tea is made of leaves, and some is not; who knows",
	"\\u8336\\n\\ud83c\\udf75 and \\\"so\\\" on\\\\ with \\ud83d\\udd11 at the end",
	"\u8336\u306f\u3046\u307e\u3044\u3002\u305d\u3057\u3066\u5b89\u3044\u3002\u307f\u3093\u306a\u597d\u304d\u3060",
	"aVeryLongWordWithoutAnyEndAtAllWhichNoWindowHoldsAndNoHookHasSeenWholeBefore end",
	"x",
	"",
};

static void test_what_is_allowed_leaves_as_it_was(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(texts); t++)
		for (size_t first = 1; first <= strlen(texts[t]) + 1; first++)
			for (size_t most = 1; most < 12; most += 3) {
				struct rig r;

				rig_make(&r, "\x01", most == 4);
				say(&r, texts[t], first, most);
				assert_true(str_is(buf_view(&r.left), texts[t]));
				assert_false(sieve_any(r.sieve));
				rig_drop(&r);
			}
}

/* The word's letters stand nowhere else, so none of them may be seen. */
static void test_no_letter_of_a_forbidden_word_leaves(void **state)
{
	static const char *const words[] = { "ZQXJ", "Z Q", "ZQXJVKZQ" };
	static const char *const before[] = { "", "a ", "some tea is made of ", "\u8336\u306f" };
	char                     text[256];

	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		for (size_t b = 0; b < ARRAY_LEN(before); b++)
			for (size_t pad = 0; pad < 40; pad++)
				for (size_t most = 1; most < 20; most += 3) {
					struct rig r;
					size_t     n = 0;

					for (; n < pad; n++)
						text[n] = n % 5 == 4 ? ' ' : 'o';
					snprintf(text + n, sizeof text - n, "%s%s and more of it",
						 before[b], words[w]);
					rig_make(&r, words[w], false);
					say(&r, text, 1 + pad % 3, most);
					assert_true(r.blocked);
					for (size_t i = 0; i < r.left.len; i++)
						assert_null(strchr("ZQXJVK", r.left.data[i]));
					rig_drop(&r);
				}
}

/* pass_changed: a check of one text, in whose place another one stands. */
static void pass_changed(struct rig *r, const char *to)
{
	struct buf list;
	size_t     count;
	struct str text = str_of(to);

	buf_init(&list, MIB);
	bool ok = sieve_due(r->sieve) && sieve_take(r->sieve, &list, &count) && count == 1;
	buf_finish(&list);
	assert_true(ok);
	assert_true(sieve_pass(r->sieve, &text, &(struct sieve_passed){ 0 }));
	rig_leave(r);
}

static void test_a_text_of_another_length_stands_in_its_place(void **state)
{
	static const char *const changed[] = { "", "x", "one two three four five six seven eight" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(changed); i++)
		for (size_t most = 1; most < 9; most++) {
			struct rig r;
			struct str all = STR("tea, my pin is 4711, yes");

			rig_make(&r, "\x01", true);
			for (size_t at = 0; at < all.n; at += most)
				rig_put(&r, EVENT_TEXT, all.p + at,
					at + most < all.n ? most : all.n - at);
			sieve_close(r.sieve);
			pass_changed(&r, changed[i]);
			assert_true(str_is(buf_view(&r.left), changed[i]));
			assert_false(sieve_any(r.sieve));
			rig_drop(&r);
		}
}

static void test_a_changed_window_keeps_its_end(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, "\x01", false);
	assert_true(
		sieve_put(r.sieve, &(struct event){ .kind = EVENT_TEXT,
						    .text = STR("pin 4711 and some more words") }));
	pass_changed(&r, "pin #### and some more words");
	assert_true(str_is(buf_view(&r.left), "pin #### and some "));
	assert_true(
		sieve_put(r.sieve, &(struct event){ .kind = EVENT_TEXT, .text = STR(", yes") }));
	rig_close(&r);
	assert_true(str_is(buf_view(&r.left), "pin #### and some more words, yes"));
	rig_drop(&r);
}

/* Of a text that has begun again, the end that has left is sent with the rest. */
static void test_a_text_that_begins_again_is_not_another_one(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, "ZQXJ", false);
	rig_put(&r, EVENT_TEXT, "some words and ZQ", 17);
	rig_put(&r, EVENT_REASONING, "a thought of more than a window, and so on", 42);
	assert_false(r.blocked);
	rig_put(&r, EVENT_TEXT, "XJ and so on and on and on", 26);
	rig_close(&r);
	assert_true(r.blocked);
	assert_null(memmem(r.left.data, r.left.len, "XJ", 2));
	rig_drop(&r);
}

static void test_arguments_are_checked_whole(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, "ZQXJ", false);
	rig_put(&r, EVENT_TOOL_START, "", 0);
	for (size_t i = 0; i < 20; i++)
		rig_put(&r, EVENT_TOOL_ARGS, "0123456789", 10);
	assert_int_equal(r.checks, 0);
	assert_true(sieve_any(r.sieve)); /* the call's beginning, too */
	rig_put(&r, EVENT_BLOCK_END, "", 0);
	assert_int_equal(r.checks, 1);
	assert_int_equal(r.left.len, 200);
	rig_drop(&r);
}

static void test_a_bound_is_a_bound(void **state)
{
	struct rig r;
	char       text[1000];

	(void)state;
	memset(text, 'a', sizeof text);
	rig_make(&r, "ZQXJ", true);
	size_t n = 0;
	while (n < 5000 && sieve_put(r.sieve, &(struct event){ .kind = EVENT_TEXT,
							       .text = { text, sizeof text } }))
		n++;
	assert_int_in_range(n, 900, 1049);
	rig_drop(&r);
}

/* --- texts --- */

static void put_choice(struct rig *r, enum event_kind kind, uint32_t choice, const char *text)
{
	assert_true(sieve_put(
		r->sieve, &(struct event){ .kind = kind, .choice = choice, .text = str_of(text) }));
}

/* --- two checks at a time --- */

enum { PAIR_ALLOWS, PAIR_BLOCKS, PAIR_CHANGES };

/* A sieve with a hook that is slow: it has two questions, where there are two, before it answers the first. */
struct pair {
	struct rig rig;
	int        what;
	struct buf asked[SIEVE_CHECKS]; /* one text each */
	size_t     count, most;
};

static void pair_make(struct pair *p, const char *word, int what)
{
	*p = (struct pair){ .what = what };
	rig_make(&p->rig, word, false);
}

static void pair_forget(struct pair *p)
{
	for (size_t i = 0; i < p->count; i++)
		buf_finish(&p->asked[i]);
	p->count = 0;
}

static void pair_drop(struct pair *p)
{
	pair_forget(p);
	rig_drop(&p->rig);
}

static void pair_ask(struct pair *p)
{
	while (!p->rig.blocked && sieve_due(p->rig.sieve)) {
		size_t count;

		buf_init(&p->asked[p->count], MIB);
		assert_true(sieve_take(p->rig.sieve, &p->asked[p->count], &count));
		if (count == 0)
			break;
		assert_int_equal(count, 1);
		p->most = ++p->count > p->most ? p->count : p->most;
	}
}

/* pair_changed: the text of a question with another word in place of the forbidden one. */
static void pair_changed(const struct pair *p, struct buf *out)
{
	struct str  text = { p->asked[0].data + 1, p->asked[0].len - 2 };
	const char *word = p->rig.word;
	const char *at = memmem(text.p, text.n, word, strlen(word));
	size_t      before = at ? (size_t)(at - text.p) : text.n;

	assert_true(buf_add(out, text.p, before));
	if (at)
		assert_true(buf_text(out, "tea or coffee") &&
			    buf_add(out, at + strlen(word), text.n - before - strlen(word)));
}

static void pair_answer(struct pair *p)
{
	struct sieve_passed passed;
	struct buf          text;

	buf_init(&text, MIB);
	pair_changed(p, &text);
	struct str now = buf_view(&text);
	if (p->what == PAIR_BLOCKS &&
	    memmem(p->asked[0].data, p->asked[0].len, p->rig.word, strlen(p->rig.word))) {
		p->rig.blocked = true;
		sieve_drop(p->rig.sieve);
		pair_forget(p);
	} else {
		assert_true(
			sieve_pass(p->rig.sieve, p->what == PAIR_CHANGES ? &now : NULL, &passed));
		buf_finish(&p->asked[0]);
		p->asked[0] = p->asked[1];
		p->count--;
		if (passed.next_void)
			pair_forget(p);
	}
	buf_finish(&text);
	rig_leave(&p->rig);
}

static void pair_say(struct pair *p, struct str all, size_t most)
{
	for (size_t at = 0; at < all.n && !p->rig.blocked;) {
		size_t to = piece_end(all, at, most);

		assert_true(sieve_put(
			p->rig.sieve,
			&(struct event){ .kind = EVENT_TEXT, .text = { all.p + at, to - at } }));
		at = to;
		pair_ask(p);
		if (p->count == SIEVE_CHECKS)
			pair_answer(p);
	}
	if (!p->rig.blocked)
		sieve_close(p->rig.sieve);
	for (pair_ask(p); p->count > 0; pair_ask(p))
		pair_answer(p);
}

static void test_two_checks_are_as_strict_as_one(void **state)
{
	static const char *const words[] = { "ZQXJ", "Z Q", "ZQXJVKZQ" };
	char                     text[256], expected[256];

	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		for (size_t pad = 0; pad < 90; pad++)
			for (size_t most = 1; most < 20; most += 3)
				for (int what = PAIR_ALLOWS; what <= PAIR_CHANGES; what++) {
					struct pair p;
					size_t      n = 0;

					for (; n < pad; n++)
						text[n] = n % 5 == 4 ? ' ' : 'o';
					snprintf(
						text + n, sizeof text - n,
						" %s and so much more of it that two are asked about",
						words[w]);
					memcpy(expected, text, n);
					snprintf(
						expected + n, sizeof expected - n,
						" tea or coffee and so much more of it that two are asked about");
					pair_make(&p, words[w], what);
					pair_say(&p, str_of(text), most);
					assert_int_equal(p.rig.blocked, what == PAIR_BLOCKS);
					if (what == PAIR_ALLOWS)
						assert_true(str_is(buf_view(&p.rig.left), text));
					if (what == PAIR_CHANGES)
						assert_true(
							str_is(buf_view(&p.rig.left), expected));
					for (size_t i = 0;
					     what != PAIR_ALLOWS && i < p.rig.left.len; i++)
						assert_null(strchr("ZQXJVK", p.rig.left.data[i]));
					assert_true(pad < 60 || p.rig.blocked || p.most == 2);
					assert_false(sieve_any(p.rig.sieve));
					pair_drop(&p);
				}
}

/* A text that is void is asked about again, with all that belongs to it. */
static void test_a_void_check_is_made_again(void **state)
{
	struct rig r;
	struct buf one, two, again;
	size_t     count;

	(void)state;
	rig_make(&r, "nothing", false);
	buf_init(&one, KIB);
	buf_init(&two, KIB);
	buf_init(&again, KIB);
	put_choice(&r, EVENT_TEXT, 0, "some words and more of them, ");
	assert_true(sieve_due(r.sieve) && sieve_take(r.sieve, &one, &count));
	put_choice(&r, EVENT_TEXT, 0, "and again some more of them ");
	assert_true(sieve_due(r.sieve) && sieve_take(r.sieve, &two, &count));
	assert_false(sieve_due(r.sieve));
	sieve_untake(r.sieve);
	assert_true(sieve_due(r.sieve) && sieve_take(r.sieve, &again, &count));
	bool same = buf_view(&two).n > 0 && str_eq(buf_view(&two), buf_view(&again));
	buf_finish(&one);
	buf_finish(&two);
	buf_finish(&again);
	rig_drop(&r);
	assert_true(same);
}

#define LONG "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD"

static void test_each_string_of_a_value_is_a_text(void **state)
{
	static const struct {
		const char *json, *texts;
	} rows[] = {
		{ "\"a\"", "\"a\"" },
		{ "{\"role\":\"user\",\"content\":\"b c\"}", "\"b c\"" },
		{ "{\"role\":\"not a word\"}", "\"not a word\"" },
		{ "{\"x\":[{\"y\":[\"deep\"]}],\"id\":\"call_1\"}", "\"deep\"" },
		{ "{\"id\":\"an id with words\"}", "\"an id with words\"" },
		{ "{\"url\":\"data:image/png;base64,QUJD\"}", "" },
		{ "{\"url\":\"data:text/plain,a secret\"}", "\"data:text/plain,a secret\"" },
		{ "{\"data\":\"a secret\"}", "\"a secret\"" },
		{ "{\"data\":\"QUJD\"}", "\"QUJD\"" },
		{ "{\"data\":\"" LONG "\"}", "\"" LONG "\"" },
		{ "{\"type\":\"base64\",\"data\":\"" LONG "\"}", "" },
		{ "{\"type\":\"base64\",\"data\":\"QUJD\"}", "\"QUJD\"" },
		{ "{\"type\":\"secret\"}", "\"secret\"" },
		{ "{\"url\":\"data:a secret;base64,QUJD\"}", "\"data:a secret;base64,QUJD\"" },
		{ "{\"url\":\"data:image/png;base64,\"}", "\"data:image/png;base64,\"" },
		{ "{\"url\":\"data:image/png;a=b;base64,QUJD\"}", "" },
		{ "{\"text\":\"data:image/png;base64,QUJD\"}", "\"data:image/png;base64,QUJD\"" },
		{ "{\"content\":\"aLongWordThatMayBeASecretAndHasNoOtherCharactersThanBase64WouldHave0123\"}",
		  "\"aLongWordThatMayBeASecretAndHasNoOtherCharactersThanBase64WouldHave0123\"" },
		{ "{\"format\":\"base64.png\",\"content\":\"" LONG "\"}", "" },
		{ "{\"format\":\"python\",\"content\":\"QUJD\"}", "\"python\",\"QUJD\"" },
		{ "[1,null,true,\"\"]", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json_doc d = { 0 };
		struct buf      wrapped, out;
		struct err      e;
		size_t          count = 0;
		unsigned char  *kinds = NULL;

		buf_init(&wrapped, KIB);
		buf_init(&out, KIB);
		bool ok = buf_text(&wrapped, "{\"m\":") && buf_text(&wrapped, rows[i].json) &&
			  buf_text(&wrapped, "}") &&
			  json_scan(&d, wrapped.data, wrapped.len, &json_limits_request, &e) ==
				  ERR_OK &&
			  (kinds = texts_find(&d)) &&
			  texts_gather(&d, kinds, TEXTS_TEXT, 0, &out, &count);
		free(kinds);
		bool same = ok && str_is(buf_view(&out), rows[i].texts);
		json_doc_finish(&d);
		buf_finish(&wrapped);
		buf_finish(&out);
		assert_true(same);
	}
}

static void test_a_cut_is_at_a_words_beginning(void **state)
{
	static const struct {
		const char *text;
		size_t      overlap, cut;
	} rows[] = {
		{ "one two three", 0, 8 },
		{ "one two three", 5, 8 },
		{ "one two three", 6, 7 },
		{ "one two three", 9, 4 },
		{ "one two three", 13, 0 },
		{ "one two three", 99, 0 },
		{ "onetwothree", 3, 0 },
		{ "one\\ntwo", 3, 5 },
		{ "one\\u0020two", 3, 9 },
		{ "\u8336\u306f\u3046", 1, 6 },
		{ "na\u00efve so", 2, 7 },
		{ "na\u00efve so", 4, 0 },
		{ "\\ud83c\\udf75\\ud83c\\udf75", 1, 12 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(texts_cut(str_of(rows[i].text), rows[i].overlap), rows[i].cut);
}

/* What has left goes before the next checks until so much was seen with it that no match crosses the seam. */
static void test_a_seam_is_seen_more_than_once(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, "ab cd ef", false);
	rig_put(&r, EVENT_TEXT, "a long text before ab c", 23);
	rig_put(&r, EVENT_REASONING, "so let me think of it", 21);
	rig_check(&r);
	assert_non_null(memmem(r.left.data, r.left.len, "ab c", 4));
	put_choice(&r, EVENT_TEXT, 0, "d");
	put_choice(&r, EVENT_TEXT, 1, "another choice makes a check due");
	rig_check(&r);
	assert_false(r.blocked);
	put_choice(&r, EVENT_TEXT, 0, " ef and so on and on and on");
	rig_check(&r);
	assert_true(r.blocked);
	assert_null(memmem(r.left.data, r.left.len, " ef", 3));
	rig_drop(&r);
}

static void test_no_piece_overtakes_another_kind(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, "nothing", true);
	put_choice(&r, EVENT_TEXT, 0, "one ");
	put_choice(&r, EVENT_TEXT, 1, "(beside) ");
	put_choice(&r, EVENT_TEXT, 0, "more ");
	put_choice(&r, EVENT_REASONING, 0, "hm ");
	put_choice(&r, EVENT_TEXT, 0, "two");
	rig_close(&r);
	assert_true(str_is(buf_view(&r.left), "one more (beside) hm two"));
	rig_drop(&r);
}

/* A hook may escape what it has let out in other ways than the provider. */
static void test_escapes_are_no_changes(void **state)
{
	static const struct {
		const char *text, *other;
		size_t      common;
	} rows[] = {
		{ "\\u00e4b so", "\u00e4b", 7 },
		{ "\u00e4b so", "\\u00e4b", 3 },
		{ "\\n\\/", "\\u000a/x", 4 },
		{ "\U0001f375", "\\ud83c\\udf75", 4 },
		{ "\\u0041bc", "Abd", 7 },
		{ "x", "", 0 },
		{ "\\t", "\\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(texts_common(str_of(rows[i].text), str_of(rows[i].other)),
				 rows[i].common);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_allowed_leaves_as_it_was),
		cmocka_unit_test(test_no_letter_of_a_forbidden_word_leaves),
		cmocka_unit_test(test_a_text_of_another_length_stands_in_its_place),
		cmocka_unit_test(test_a_changed_window_keeps_its_end),
		cmocka_unit_test(test_a_text_that_begins_again_is_not_another_one),
		cmocka_unit_test(test_arguments_are_checked_whole),
		cmocka_unit_test(test_a_bound_is_a_bound),
		cmocka_unit_test(test_each_string_of_a_value_is_a_text),
		cmocka_unit_test(test_a_cut_is_at_a_words_beginning),
		cmocka_unit_test(test_a_seam_is_seen_more_than_once),
		cmocka_unit_test(test_no_piece_overtakes_another_kind),
		cmocka_unit_test(test_escapes_are_no_changes),
		cmocka_unit_test(test_two_checks_are_as_strict_as_one),
		cmocka_unit_test(test_a_void_check_is_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
