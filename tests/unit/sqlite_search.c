/* Search: words, what is typed, text of messages, and an index that may be killed, lost or swapped. */
#include "engine_help.h"
#include "store/search.h"
#include "store/turn.h"
#include "store/words/search_cursor.h"
#include "store/sqlite/search/search_feed.h"
#include "store/words/search_query.h"
#include "store/sqlite/search/search_rank.h"
#include "store/words/search_text.h"
#include "store/words/search_token.h"

#include <fcntl.h>

/* --- words --- */

struct bench {
	sqlite3            *db;
	struct search_words words;
};

static struct bench bench_open(void)
{
	struct bench b;

	assert_int_equal(sqlite3_open(":memory:", &b.db), SQLITE_OK);
	assert_int_equal(search_token_register(b.db), SQLITE_OK);
	assert_int_equal(search_rank_register(b.db), SQLITE_OK);
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
					    "SELECT rowid, score(entry, 10) FROM entry "
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

/* --- a store --- */

static struct search_read search_for(const char *query, int64_t owner)
{
	struct search_read j = { .query = str_of(query), .owner = owner, .role = -1, .limit = 100 };

	arena_init(&j.arena, 4 * MIB);
	return j;
}

/* Once all that was stored has been indexed. */
static void ask(struct fixture *f, struct search_read *j)
{
	for (int i = 0; i < 20000; i++) {
		arena_finish(&j->arena);
		DO(f, search_read, j);
		if (j->job.err.code != ERR_STORAGE && (j->complete || j->job.err.code != ERR_OK))
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	fail_msg("the index never became complete");
}

static size_t found(struct fixture *f, const char *query, int64_t owner)
{
	struct search_read j = search_for(query, owner);

	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_OK);
	size_t n = j.hit_count;
	arena_finish(&j.arena);
	return n;
}

/* A turn of a new conversation; body is a plain text without quotes. */
static struct turn_begin say(struct fixture *f, int64_t owner, const char *text, const char *reply)
{
	static char          body[2][512];
	struct store_message m;

	snprintf(body[0], sizeof body[0], "{\"role\":\"user\",\"content\":\"%s\"}", text);
	snprintf(body[1], sizeof body[1], "{\"role\":\"assistant\",\"content\":\"%s\"}", reply);
	struct turn_begin t = first_turn(&m, body[0]);
	t.owner = owner;
	whole_turn(f, &t, body[1]);
	return t;
}

static int64_t index_int(const struct fixture *f, const char *sql)
{
	char          name[128];
	sqlite3      *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t       v = -1; /* it may just be taken away */

	snprintf(name, sizeof name, "%s.search", f->path);
	if (sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    search_token_register(db) == SQLITE_OK &&
	    sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.word USING fts5vocab (main, entry, row)",
			 NULL, NULL, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

static void only_the_owners_messages_are_found(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin a = say(f, 1, "green tea from 東京", "a cup of tea");
	struct turn_begin b = say(f, 2, "green tea too", "nothing");

	assert_int_equal(found(f, "tea", 1), 2);
	assert_int_equal(found(f, "tea", 2), 1);
	assert_int_equal(found(f, "tea", 3), 0);
	assert_int_equal(found(f, "東京", 1), 1);
	assert_int_equal(found(f, "京東", 1), 0);
	assert_int_equal(found(f, "o2", 1), 0);
	assert_int_equal(found(f, "tea -cup", 1), 1);

	struct search_read j = search_for("tea", 1);
	j.conversation = a.conversation;
	j.role = SEARCH_ROLE_ASSISTANT;
	ask(f, &j);
	assert_int_equal(j.hit_count, 1);
	assert_memory_equal(&j.hits[0].message, &a.run, sizeof a.run);
	assert_memory_equal(&j.hits[0].conversation, &a.conversation, sizeof a.conversation);
	assert_int_equal(j.hits[0].role, SEARCH_ROLE_ASSISTANT);
	assert_int_equal(j.hits[0].segment_count, 2);
	assert_true(str_is(j.hits[0].segments[0].text, "a cup of "));
	assert_true(str_is(j.hits[0].segments[1].text, "tea") && j.hits[0].segments[1].match);
	j.conversation = b.conversation;
	ask(f, &j);
	assert_int_equal(j.hit_count, 0);
	arena_finish(&j.arena);
}

/* Well before the indexer would do it of itself.  The machine may be too busy for it once. */
static void a_search_waits_for_the_index(void **state)
{
	struct fixture *f = *state;
	int             at_once = 0;

	open_store(f);
	for (size_t i = 1; i <= 5; i++) {
		struct search_read j = search_for("tea", 1);

		say(f, 1, "green tea", "nothing");
		assert_int_equal(DO(f, search_read, &j), ERR_OK);
		at_once += j.complete && j.hit_count == i;
		arena_finish(&j.arena);
	}
	assert_true(at_once > 0);
	assert_int_equal(found(f, "tea", 1), 5);
}

static void messages_of_every_writer_are_found(void **state)
{
	struct fixture *f = *state;
	/* clang-format off */
	struct store_message     m[2] = {
		    { id_new(), STR("{\"role\":\"user\",\"content\":\"loose one\"}") },
		    { id_new(), STR("{\"role\":\"user\",\"content\":\"loose two\"}") } };
	struct conversation_write c = { .change = CONVERSATION_CREATE, .owner = 1,
		                        .conversation = id_new(), .title_set = true,
		                        .title = STR("A title"), .messages = m, .message_count = 2 };

	arena_init(&c.arena, MIB);
	open_store(f);
	assert_int_equal(DO(f, conversation_write, &c), ERR_OK);
	assert_int_equal(found(f, "loose", 1), 2);

	/* A turn that failed: what was asked is there all the same. */
	struct store_message asked;
	struct turn_begin    t = first_turn(&asked, "{\"role\":\"user\",\"content\":\"asked\"}");
	t.owner = 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end end = end_of(t.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(found(f, "asked", 1), 1);

	/* And one that the process did not live to end. */
	struct turn_begin cut = first_turn(&asked, "{\"role\":\"user\",\"content\":\"cut off\"}");
	cut.owner = 1;
	assert_int_equal(DO(f, turn_begin, &cut), ERR_OK);
	close_store(f);
	open_store(f);
	assert_int_equal(found(f, "\"cut off\"", 1), 1);

	struct search_read j = search_for("two", 1);
	ask(f, &j);
	assert_true(str_is(j.hits[0].title, "A title"));
	arena_finish(&j.arena);
	arena_finish(&c.arena);
}

static void pages_repeat_and_lose_nothing(void **state)
{
	enum { N = 45 };
	struct fixture *f = *state;
	int64_t         seen[N + 1];
	size_t          count = 0;
	char            next[SEARCH_CURSOR + 1] = "";
	int64_t         score = INT64_MAX;

	open_store(f);
	for (int i = 0; i < N; i++)
		say(f, 1, i % 3 ? "word and other things" : "word word word", "-");
	do {
		struct search_read j = search_for("word", 1);

		j.limit = 7;
		j.after = str_of(next[0] ? next : NULL);
		ask(f, &j);
		assert_int_equal(j.job.err.code, ERR_OK);
		for (size_t i = 0; i < j.hit_count; i++) {
			assert_true(count < N);
			for (size_t k = 0; k < count; k++)
				assert_true(seen[k] != j.hits[i].message.key);
			seen[count++] = j.hits[i].message.key;
			assert_true(j.hits[i].score <= score);
			score = j.hits[i].score;
		}
		if (count == 7)
			say(f, 1, "word word word", "-"); /* which the pages that follow don't show */
		str_copy(next, sizeof next, j.next);
		arena_finish(&j.arena);
	} while (next[0]);
	/* clang-format on */
	assert_int_equal(count, N);
}

static void windows_follow_each_other(void **state)
{
	enum { N = LIMIT_SEARCH_WINDOW + 150 };
	struct fixture      *f = *state;
	struct store_message m[200];
	char                 next[SEARCH_CURSOR + 1] = "";
	size_t               count = 0;
	int64_t              sum = 0;
	int64_t              want = 0;

	open_store(f);
	for (int done = 0; done < N;) {
		int               n = N - done < 200 ? N - done : 200;
		struct turn_begin t = first_turn(m, "");

		for (int i = 0; i < n; i++) {
			m[i] = (struct store_message){
				id_new(), STR("{\"role\":\"user\",\"content\":\"word\"}")
			};
			want += m[i].id.key % 1000003;
		}
		t.message_count = (size_t)n;
		t.owner = 1;
		whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"-\"}");
		done += n;
	}
	do {
		struct search_read j = search_for("word", 1);

		j.after = str_of(next[0] ? next : NULL);
		ask(f, &j);
		assert_int_equal(j.job.err.code, ERR_OK);
		for (size_t i = 0; i < j.hit_count; i++)
			sum += j.hits[i].message.key % 1000003;
		count += j.hit_count;
		str_copy(next, sizeof next, j.next);
		arena_finish(&j.arena);
	} while (next[0]);
	assert_int_equal(count, N);
	assert_int_equal(sum, want);
}

static void a_cursor_belongs_to_its_search(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	say(f, 1, "word", "word");
	struct search_read j = search_for("word", 1);
	j.limit = 1;
	ask(f, &j);
	char next[SEARCH_CURSOR + 1];
	str_copy(next, sizeof next, j.next);
	assert_int_equal(strlen(next), SEARCH_CURSOR);

	j.after = str_of(next);
	j.role = SEARCH_ROLE_USER;
	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_INVALID_VALUE);
	assert_string_equal(j.job.err.path, "after");
	j.role = -1;
	j.owner = 2;
	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_INVALID_VALUE);
	j.owner = 1;
	ask(f, &j);
	assert_int_equal(j.hit_count, 1);
	arena_finish(&j.arena);
}

static void wait_for(const struct fixture *f, bool index, const char *sql)
{
	for (int i = 0; i < 20000; i++) {
		if ((index ? index_int(f, sql) : outside_int(f, sql)) == 1)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	fail_msg("never: %s", sql);
}

/* A turn that no batch has room for. */
static void a_long_turn_takes_several_batches(void **state)
{
	enum { N = 2 * LIMIT_SEARCH_BATCH_TEXT / LIMIT_SEARCH_TEXT };
	static struct store_message m[N];
	struct fixture             *f = *state;
	struct turn_begin           t = first_turn(m, "");
	struct buf                  body;

	buf_init(&body, MIB);
	assert_true(buf_text(&body, "{\"role\":\"user\",\"content\":\"word"));
	while (body.len < LIMIT_SEARCH_TEXT)
		assert_true(buf_text(&body, " filler"));
	assert_true(buf_text(&body, "\"}"));
	_Static_assert(N + 1 == 65, "the statement below has the number");
	open_store(f);
	for (size_t i = 0; i < N; i++)
		m[i] = (struct store_message){ id_new(), buf_view(&body) };
	t.message_count = N;
	t.owner = 1;
	whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"word\"}");
	wait_for(f, true, "SELECT count(*) = 65 FROM doc");
	buf_finish(&body);
}

static void what_is_removed_is_forgotten(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin a = say(f, 1, "first secret", "second secret");
	struct turn_begin b = say(f, 1, "third secret", "kept");
	assert_int_equal(found(f, "secret", 1), 3);

	struct conversation_write w = { .change = CONVERSATION_REMOVE_MESSAGE,
					.owner = 1,
					.conversation = a.conversation,
					.message = a.run };
	struct search_read        j = search_for("secret", 1);
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	assert_int_equal(DO(f, search_read, &j), ERR_OK);
	assert_int_equal(j.hit_count, 2); /* at once, whatever the index has */
	w.change = CONVERSATION_DELETE;
	w.conversation = b.conversation;
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&j.arena);
	assert_int_equal(DO(f, search_read, &j), ERR_OK);
	assert_int_equal(j.hit_count, 1);
	arena_finish(&j.arena);
	arena_finish(&w.arena);

	wait_for(f, true, "SELECT count(*) = 1 FROM doc");
	wait_for(f, false, "SELECT count(*) = 0 FROM search_queue WHERE text IS NOT NULL");
	wait_for(f, false, "SELECT count(*) = 1 FROM search_queue");
	close_store(f);
	assert_int_equal(index_int(f, "SELECT count FROM state"), 1);
	open_store(f);
	assert_int_equal(found(f, "secret", 1), 1);
	assert_int_equal(found(f, "kept", 1), 0);
}

/* --- the file --- */

static void index_name(const struct fixture *f, char name[128])
{
	snprintf(name, 128, "%s.search", f->path);
}

static void copy(const char *from, const char *to)
{
	char   bytes[65536];
	FILE  *in = fopen(from, "rb");
	FILE  *out = fopen(to, "wb");
	size_t n;

	assert_true(in && out);
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		assert_int_equal(fwrite(bytes, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void talk(struct fixture *f)
{
	for (int i = 0; i < 10; i++)
		say(f, 1, "word of a question", "word of an answer");
}

static void assert_all_once(struct fixture *f, size_t n)
{
	assert_int_equal(found(f, "word", 1), n);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), n);
	assert_int_equal(index_int(f, "SELECT count FROM state"), n);
	/* No row is in FTS5's table twice. */
	assert_int_equal(index_int(f, "SELECT cnt FROM word WHERE term = 'word'"), n);
}

static void a_lost_damaged_or_foreign_index_is_made_anew(void **state)
{
	static const char *const harm[] = { "missing",  "empty",        "text",
					    "database", "older format", "of another database" };
	struct fixture          *f = *state;
	char                     name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	for (size_t i = 0; i < ARRAY_LEN(harm); i++) {
		struct fixture x = { 0 };

		close_store(f);
		str_copy(x.path, sizeof x.path, str_of(name));
		if (i <= 3)
			assert_int_equal(unlink(name), 0);
		if (i == 1 || i == 2) {
			FILE *out = fopen(name, "w");

			assert_non_null(out);
			for (int n = 0; i == 2 && n < 5000; n++)
				fputs("this is no index\n", out);
			assert_int_equal(fclose(out), 0);
		}
		if (i == 3)
			outside(&x, "CREATE TABLE state (id INTEGER)");
		if (i == 4)
			outside(&x, "PRAGMA user_version = 0");
		if (i == 5)
			outside(&x, "UPDATE state SET instance = zeroblob(16)");
		open_store(f);
		assert_all_once(f, 20);
	}
	struct stat st;
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void damage_is_noticed_while_serving(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	close_store(f);
	/* All but the first pages: what it is still can be read. */
	int fd = open(name, O_WRONLY);
	assert_true(fd >= 0);
	off_t size = lseek(fd, 0, SEEK_END);
	for (off_t at = 4 * 8192; at < size; at++)
		assert_int_equal(pwrite(fd, "\xff", 1, at), 1);
	close(fd);
	open_store(f);
	say(f, 1, "word", "word");
	assert_all_once(f, 22);

	/* Taken away under its feet. */
	assert_int_equal(unlink(name), 0);
	say(f, 1, "word", "word");
	wait_for(f, true, "SELECT count(*) = 24 FROM doc");
	assert_all_once(f, 24);
}

static void either_file_may_be_put_back_from_a_copy(void **state)
{
	struct fixture *f = *state;
	char            name[128];
	char            old[2][128];

	index_name(f, name);
	snprintf(old[0], sizeof old[0], "%s/old", f->dir);
	snprintf(old[1], sizeof old[1], "%s/old.search", f->dir);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	close_store(f);
	copy(f->path, old[0]);
	copy(name, old[1]);
	open_store(f);
	talk(f);
	struct turn_begin t = say(f, 1, "word", "word");
	assert_all_once(f, 42);
	struct conversation_write w = { .change = CONVERSATION_DELETE,
					.owner = 1,
					.conversation = t.conversation };
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	wait_for(f, false, "SELECT count(*) = 1 FROM search_queue");
	wait_for(f, false, "SELECT count(*) = 0 FROM search_queue WHERE text IS NOT NULL");
	close_store(f);

	copy(old[1], name);
	open_store(f);
	assert_all_once(f, 40);
	close_store(f);

	copy(old[0], f->path);
	open_store(f);
	assert_all_once(f, 20);
	unlink(old[0]);
	unlink(old[1]);
}

static void a_database_from_before_is_indexed(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	close_store(f);
	/* What later migrations made is in their way when they come again. */
	outside(f,
		"DROP TRIGGER search_title_added; DROP TRIGGER search_title_changed;"
		"DROP TRIGGER search_title_removed;"
		"DROP TABLE session_ended;"
		"DROP TABLE search_queue; DROP TABLE search_source;"
		"ALTER TABLE run DROP COLUMN attempt_log; ALTER TABLE run DROP COLUMN executions;"
		"DROP TABLE api_key; DROP TABLE api_key_change;"
		"DROP TABLE budget; DROP TABLE reservation; DROP TABLE usage_day;"
		"ALTER TABLE run DROP COLUMN native_reason; ALTER TABLE run DROP COLUMN cost_nano;"
		"ALTER TABLE run DROP COLUMN bill_key; ALTER TABLE run DROP COLUMN bill_model;"
		"ALTER TABLE run DROP COLUMN bill_in; ALTER TABLE run DROP COLUMN bill_price_in;"
		"ALTER TABLE run DROP COLUMN bill_price_out; ALTER TABLE run DROP COLUMN bill_dropped;"
		"DELETE FROM schema_migration WHERE number >= "
		"(SELECT number FROM schema_migration WHERE name LIKE '%search%')");
	assert_int_equal(unlink(name), 0);
	open_store(f);
	talk(f);
	assert_all_once(f, 40);
}

/* Killed at every point of the indexer's work: with a batch read and not put in, put in and not
 * cleared, in the middle of a conversation or of the making, with the removal noted and not done. */
static void an_index_that_was_cut_off_goes_on(void **state)
{
	struct fixture     *f = *state;
	struct search_batch b;
	char                name[128];
	bool                anew;
	int64_t             waiting;

	index_name(f, name);
	assert_true(search_batch_init(&b));
	open_store(f);
	for (int i = 0; i < 3; i++)
		talk(f);
	assert_all_once(f, 60);
	close_store(f);
	for (int cut = 0; cut < 6; cut++) {
		struct search_feed   feed;
		struct search_index  x;
		struct search_source source;

		/* All of it stands in the queue once more, and in the middle of it an old index. */
		outside(f,
			"DELETE FROM search_queue WHERE seq < (SELECT max(seq) FROM search_queue);"
			"INSERT INTO search_queue (kind, id) SELECT 1 + 2 * (id % 2), "
			"iif(id % 2, conversation, id) FROM run;"
			"INSERT INTO search_queue (kind, id, runs) SELECT 5, count(*), "
			"group_concat(id, ' ') FROM run");
		assert_int_equal(search_feed_open(&feed, f->path, 1000, &f->err), ERR_OK);
		assert_int_equal(search_feed_source(&feed, &source), SQLITE_OK);
		if (cut % 2)
			search_index_remove(name);
		assert_int_equal(search_index_open(&x, name, 1000, &source, &anew), SQLITE_OK);
		for (int step = 0; step < cut; step++) {
			assert_int_equal(search_feed_fill(&feed, &x, step % 2, &b, &waiting),
					 SQLITE_OK);
			if (b.count > 7) { /* as if more did not fit */
				b.count = 7;
				b.mark = x.mark;
			}
			if (step + 1 < cut)
				assert_int_equal(search_index_apply(&x, &b, false), SQLITE_OK);
		}
		search_index_close(&x);
		search_feed_close(&feed);
		open_store(f);
		assert_all_once(f, 60);
		close_store(f);
	}
	search_batch_finish(&b);
}

static void trouble_with_the_index_hurts_no_turn(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	assert_int_equal(mkdir(name, 0700), 0);
	open_store(f);
	talk(f);
	struct search_read j = search_for("word", 1);
	for (int i = 0; i < 20000 && DO(f, search_read, &j) == ERR_OK; i++)
		arena_finish(&j.arena);
	assert_int_equal(j.job.err.code, ERR_STORAGE);
	assert_true(j.job.err.retry_after_ms > 0);
	arena_finish(&j.arena);
	assert_int_equal(rmdir(name), 0);
	assert_all_once(f, 20);
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
		cmocka_unit_test_setup_teardown(only_the_owners_messages_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_long_turn_takes_several_batches, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_search_waits_for_the_index, set_up, tear_down),
		cmocka_unit_test_setup_teardown(messages_of_every_writer_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(pages_repeat_and_lose_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(windows_follow_each_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cursor_belongs_to_its_search, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_removed_is_forgotten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lost_damaged_or_foreign_index_is_made_anew,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_is_noticed_while_serving, set_up, tear_down),
		cmocka_unit_test_setup_teardown(either_file_may_be_put_back_from_a_copy, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_database_from_before_is_indexed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_index_that_was_cut_off_goes_on, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(trouble_with_the_index_hurts_no_turn, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
