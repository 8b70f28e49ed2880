/* Words of texts, what is typed, texts of messages, and cursors of searches. */
#include "base/limits.h"
#include "store/words/search_query.h"
#include "store/words/search_text.h"
#include "store/words/search_token.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bench {
	sqlite3            *db;
	struct search_words words;
};

static struct bench bench_open(void)
{
	struct bench b;

	assert_int_equal(sqlite3_open(":memory:", &b.db), SQLITE_OK);
	assert_int_equal(search_token_register(b.db), SQLITE_OK);
	assert_int_equal(search_words_open(&b.words, b.db), SQLITE_OK);
	return b;
}

static void bench_close(struct bench *b)
{
	search_words_close(&b->words);
	assert_int_equal(sqlite3_close(b->db), SQLITE_OK);
}

static int put_word(void *arg, struct str word, size_t start, size_t end)
{
	char *out = arg;

	assert_true(end > start);
	snprintf(out + strlen(out), 512 - strlen(out), "%s%.*s", out[0] ? "|" : "", STR_ARG(word));
	return SQLITE_OK;
}

static void texts_are_cut_into_words(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "" },
		{ "Hello, World! x_y 3.14", "hello|world|x|y|3|14" },
		{ "Stra\xc3\x9f"
		  "e CR\xc3\x88ME e\xcc\x81", "stra\xc3\x9f" "e|creme|e" },
		{ "東京タワーiPhone15を", "東|京|タ|ワ|ー|iphone15|を" },
		{ "서울에서", "서|울|에|서" },
		{ "ภาษา ไทย", "ภ|า|ษ|า|ไ|ท|ย" },
		{ "ok😀fine❤\xef\xb8\x8f", "ok|😀|fine|❤" },
		{ "الْعَرَبِيَّة العربية", "العربية|العربية" },
		{ "Привет, мир", "привет|мир" },
		{ "!?.,;:\"'()*^", "" },
	};
	/* clang-format on */
	struct bench b = bench_open();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[512] = "";

		assert_int_equal(search_words_each(&b.words, str_of(cases[i].text), put_word, got),
				 SQLITE_OK);
		assert_string_equal(got, cases[i].words);
	}
	bench_close(&b);
}

static void long_words_are_cut(void **state)
{
	char         text[1000];
	char         got[512] = "";
	struct bench b = bench_open();

	(void)state;
	memset(text, 'a', sizeof text);
	assert_int_equal(
		search_words_each(&b.words, (struct str){ text, sizeof text }, put_word, got),
		SQLITE_OK);
	assert_int_equal(strlen(got), LIMIT_SEARCH_TOKEN);
	bench_close(&b);
}

struct words {
	char   text[2048];
	size_t count;
};

static int list_word(void *arg, int flags, const char *token, int n, int start, int end)
{
	struct words *w = arg;

	(void)flags;
	snprintf(w->text + strlen(w->text), sizeof w->text - strlen(w->text), "%.*s@%d-%d ", n,
		 token, start, end);
	w->count++;
	return SQLITE_OK;
}

static int list_own_word(void *arg, struct str word, size_t start, size_t end)
{
	return list_word(arg, 0, word.p, (int)word.n, (int)start, (int)end);
}

static uint64_t dice(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* ASCII is cut by a way of its own, beside characters that are not. */
static void words_are_those_of_unicode61(void **state)
{
	static const char *const bits[] = { "é", "Ö", "e\xcc\x81", "я", " ",
					    "-", "ß", "\xc2\xa0",  "'" };
	static const char *const how[] = { "remove_diacritics", "2", "categories",
					   "L* N* Co Mn Mc" };
	const char              *given[ARRAY_LEN(how)];
	struct bench             b = bench_open();
	uint64_t                 seed = 3;
	fts5_api                *api;
	fts5_tokenizer           base;
	Fts5Tokenizer           *with;
	void                    *user;
	size_t                   count = 0;

	(void)state;
	memcpy(given, how, sizeof given);
	assert_int_equal(search_token_api(b.db, &api), SQLITE_OK);
	assert_int_equal(api->xFindTokenizer(api, "unicode61", &user, &base), SQLITE_OK);
	assert_int_equal(base.xCreate(user, given, ARRAY_LEN(given), &with), SQLITE_OK);
	for (int round = 0; round < 20000; round++) {
		struct words want = { .count = 0 };
		struct words got = { .count = 0 };
		char         text[128] = "";

		for (uint64_t n = dice(&seed) % 20; n > 0; n--) {
			char one[2] = { (char)(1 + dice(&seed) % 127), '\0' };

			snprintf(text + strlen(text), sizeof text - strlen(text), "%s",
				 dice(&seed) % 4 ? one : bits[dice(&seed) % ARRAY_LEN(bits)]);
		}
		assert_int_equal(base.xTokenize(with, &want, FTS5_TOKENIZE_DOCUMENT, text,
						(int)strlen(text), list_word),
				 SQLITE_OK);
		assert_int_equal(search_words_each(&b.words, str_of(text), list_own_word, &got),
				 SQLITE_OK);
		assert_string_equal(got.text, want.text);
		count += got.count;
	}
	assert_true(count > 20000);
	base.xDelete(with);
	bench_close(&b);
}

/* --- what is typed --- */

#define ALL ")) AND (scope : (\"o1\" AND \"r2\"))"

static void what_is_typed_becomes_an_expression(void **state)
{
	/* clang-format off */
	static const struct {
		const char *typed, *want; /* NULL: refused */
	} cases[] = {
		{ "tea pot", "(text : ((\"tea\" AND \"pot\")" ALL },
		{ "\"Tea pot\"", "(text : ((\"tea pot\")" ALL },
		{ "“tea pot” x", "(text : ((\"tea pot\" AND \"x\")" ALL },
		{ "tea-pot", "(text : ((\"tea pot\")" ALL },
		{ "東京", "(text : ((\"東 京\")" ALL },
		{ "\xe3\x80\x80" "a\xe3\x80\x80" "b", "(text : ((\"a\" AND \"b\")" ALL },
		{ "porc*", "(text : ((\"porc\" *)" ALL },
		{ "\"tea porc\"*", "(text : ((\"tea porc\" *)" ALL },
		{ "東*", "(text : ((\"東\")" ALL },
		{ "tea -cup -\"big pot\"",
		  "(text : ((\"tea\") NOT (\"cup\" OR \"big pot\")" ALL },
		{ "tea - pot", "(text : ((\"tea\" AND \"pot\")" ALL },
		{ "\"unclosed words", "(text : ((\"unclosed words\")" ALL },
		{ "a\"b\"c", "(text : ((\"a\" AND \"b\" AND \"c\")" ALL },
		{ "AND OR NOT", "(text : ((\"and\" AND \"or\" AND \"not\")" ALL },
		{ "scope:o2 NEAR(x)", "(text : ((\"scope o2\" AND \"near x\")" ALL },
		{ "", NULL },
		{ "  \"\" ** - ' ", NULL },
		{ "-tea", NULL },
		{ "te*", NULL },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", NULL },
	};
	/* clang-format on */
	struct bench        b = bench_open();
	struct search_query q;
	struct buf          out;
	struct err          e;

	(void)state;
	search_query_init(&q);
	buf_init(&out, 64 * KIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum errc rc = search_query_read(&q, &b.words, str_of(cases[i].typed), &e);

		if (!cases[i].want) {
			assert_int_equal(rc, ERR_INVALID_VALUE);
			assert_string_equal(e.path, "q");
			continue;
		}
		assert_int_equal(rc, ERR_OK);
		buf_clear(&out);
		assert_true(search_query_print(&q, STR("o1 r2"), &out));
		assert_int_equal(out.len, strlen(cases[i].want));
		assert_memory_equal(out.data, cases[i].want, out.len);
	}
	search_query_finish(&q);
	buf_finish(&out);
	bench_close(&b);
}

/* Whatever is typed: either it is refused, or FTS5 takes it, and finds nothing outside of the scope. */
static void no_typing_reaches_the_query_language(void **state)
{
	static const char *const bits[] = {
		"\"",
		"'",
		"*",
		"^",
		":",
		"(",
		")",
		"+",
		"-",
		"{",
		"}",
		",",
		" ",
		"\t",
		"AND",
		"OR",
		"NOT",
		"NEAR",
		"NEAR(",
		"scope",
		"text",
		"entry",
		"rank",
		"東",
		"é",
		"😀",
		"\xcc\x81",
		"\xe2\x80\x9c",
		"\xe2\x80\x8d",
		"\xef\xb8\x8f",
		"a",
		"abc",
		"o1",
		";",
		"--",
		"/*",
		"\\",
		"\x01",
		"ก็",
		"0x0",
		"%",
		"_",
		"\xd9\x8b",
	};
	struct bench        b = bench_open();
	struct search_query q;
	struct buf          out;
	struct err          e;
	sqlite3_stmt       *st;
	uint64_t            seed = 7;
	int                 taken = 0;

	(void)state;
	assert_int_equal(sqlite3_exec(b.db,
				      "CREATE VIRTUAL TABLE entry USING fts5(text, scope, "
				      "content='', tokenize='parley');"
				      "INSERT INTO entry (rowid, text, scope) VALUES "
				      "(1, 'a abc and or not near text scope 東 é 😀 o1', 'o2');",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(b.db,
					    "SELECT rowid FROM entry "
					    "WHERE entry MATCH ?",
					    -1, &st, NULL),
			 SQLITE_OK);
	search_query_init(&q);
	buf_init(&out, 64 * KIB);
	for (int round = 0; round < 20000; round++) {
		char typed[256] = "";

		for (uint64_t n = dice(&seed) % 12; n > 0; n--)
			snprintf(typed + strlen(typed), sizeof typed - strlen(typed), "%s",
				 bits[dice(&seed) % ARRAY_LEN(bits)]);
		if (search_query_read(&q, &b.words, str_of(typed), &e) != ERR_OK)
			continue;
		taken++;
		buf_clear(&out);
		assert_true(search_query_print(&q, STR("o1"), &out));
		assert_int_equal(sqlite3_bind_text(st, 1, out.data, (int)out.len, SQLITE_STATIC),
				 SQLITE_OK);
		if (sqlite3_step(st) != SQLITE_DONE)
			fail_msg("%s: %.*s: %s", typed, (int)out.len, out.data,
				 sqlite3_errmsg(b.db));
		assert_int_equal(sqlite3_reset(st), SQLITE_OK);
	}
	assert_true(taken > 5000);
	sqlite3_finalize(st);
	search_query_finish(&q);
	buf_finish(&out);
	bench_close(&b);
}

/* --- text of messages --- */

static void text_comes_out_of_every_kind_of_message(void **state)
{
	/* clang-format off */
	static const struct {
		const char      *body, *text;
		enum search_role role;
	} cases[] = {
		{ "{\"role\":\"user\",\"content\":\"a\\nb \\u00e9\\ud83d\\ude00\"}",
		  "a\nb é😀", SEARCH_ROLE_USER },
		{ "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
		  "\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}},"
		  "{\"type\":\"input_text\",\"text\":\"b\"}]}", "a\nb", SEARCH_ROLE_USER },
		{ "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\",\"tool_calls\":[{\"id\":"
		  "\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"city\\\":1}\"}}]}",
		  "no\nf\n{\"city\":1}", SEARCH_ROLE_ASSISTANT },
		{ "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"42\"}",
		  "42", SEARCH_ROLE_COMPUTER },
		{ "{\"role\":\"user\",\"type\":\"image\",\"format\":\"base64.png\",\"content\":\"AAAA\"}",
		  "", SEARCH_ROLE_USER },
		{ "{\"role\":\"user\",\"content\":\"q\",\"context\":{\"files\":[{\"name\":\"n.txt\","
		  "\"content\":\"inside\"},{\"uuid\":\"u\"}]}}", "q\nn.txt\ninside", SEARCH_ROLE_USER },
		{ "{\"role\":\"assistant\",\"content\":\"said\",\"lmc\":[{\"type\":\"message\","
		  "\"content\":\"said\"},{\"type\":\"console\",\"content\":\"out\"}]}",
		  "said\nout", SEARCH_ROLE_ASSISTANT },
		{ "{\"role\":\"tool\",\"content\":\"a\\u0000b\"}", "a b", SEARCH_ROLE_TOOL },
		{ "{\"role\":\"poet\",\"content\":{\"text\":\"x\"}}", "", SEARCH_ROLE_OTHER },
		{ "\"a string\"", "", SEARCH_ROLE_OTHER },
		{ "not JSON", "", SEARCH_ROLE_OTHER },
		{ "", "", SEARCH_ROLE_OTHER },
	};
	/* clang-format on */
	struct search_text t;

	(void)state;
	search_text_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(search_text_read(&t, str_of(cases[i].body)));
		assert_int_equal(t.text.len, strlen(cases[i].text));
		if (t.text.len > 0)
			assert_memory_equal(t.text.data, cases[i].text, t.text.len);
		assert_int_equal(t.role, cases[i].role);
	}
	search_text_finish(&t);
}

static void long_text_is_cut_at_a_character(void **state)
{
	static const char *const bits[] = { "é", "\\u00e9", "\\\\", "東", "\\ud83d\\ude00" };
	struct search_text       t;
	struct buf               body;

	(void)state;
	search_text_init(&t);
	buf_init(&body, 4 * MIB);
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		for (int shift = 0; shift < 12; shift++) {
			buf_clear(&body);
			assert_true(buf_text(&body, "{\"role\":\"user\",\"content\":\""));
			assert_true(buf_add(&body, "xxxxxxxxxxxx", (size_t)shift));
			for (size_t n = 0; n < LIMIT_SEARCH_TEXT; n++)
				assert_true(buf_text(&body, bits[i]));
			assert_true(buf_text(&body, "\"}"));
			assert_true(search_text_read(&t, buf_view(&body)));
			assert_true(t.text.len > 0 && t.text.len <= LIMIT_SEARCH_TEXT);
			assert_true(utf8_valid(t.text.data, t.text.len));
		}
	buf_finish(&body);
	search_text_finish(&t);
}

static void cursors_come_back_as_they_went(void **state)
{
	struct search_cursor c = { UINT64_MAX, INT64_MAX, 1, 0 };
	struct search_cursor got;
	char                 text[SEARCH_CURSOR + 1];

	(void)state;
	search_cursor_print(&c, text);
	assert_true(search_cursor_parse(str_of(text), &got));
	assert_memory_equal(&c, &got, sizeof c);
	text[20] = 'G';
	assert_false(search_cursor_parse(str_of(text), &got));
	assert_false(search_cursor_parse(STR("12"), &got));
	memset(text, 'f', SEARCH_CURSOR);
	assert_false(search_cursor_parse(str_of(text), &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_cut_into_words),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(words_are_those_of_unicode61),
		cmocka_unit_test(what_is_typed_becomes_an_expression),
		cmocka_unit_test(no_typing_reaches_the_query_language),
		cmocka_unit_test(text_comes_out_of_every_kind_of_message),
		cmocka_unit_test(long_text_is_cut_at_a_character),
		cmocka_unit_test(cursors_come_back_as_they_went),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
