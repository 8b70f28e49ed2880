/* Archives: lines both ways, what has to be right between them, new ids, and ChatGPT's exports. */
#include "archive/archive.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BODY   "9b1c4e7a2d8f3b60"
#define CONV   "conv_00064217c0a1f000" BODY
#define RUN    "run_00064217c0a1f001" BODY
#define ANSWER "msg_00064217c0a1f001" BODY
#define FIRST  "msg_00064217c0a1f002" BODY
#define LOOSE  "msg_00064217c0a1f003" BODY

#define L_CONV                                                                              \
	"{\"type\":\"conversation\",\"version\":1,\"id\":\"" CONV "\",\"created_at_ms\":5," \
	"\"revision\":3,\"title\":\"a\\\"b\",\"metadata\":{\"k\":\"v\"},\"leaf\":\"" RUN    \
	"\",\"tip\":\"" LOOSE "\"}\n"
#define L_RUN                                                                                \
	"{\"type\":\"run\",\"id\":\"" RUN "\",\"status\":\"completed\",\"created_at_ms\":6," \
	"\"first_token_at_ms\":7,\"completed_at_ms\":8,\"attempts\":1,\"model\":\"echo\","   \
	"\"provider\":\"echo\",\"shape\":\"native\",\"instruction\":\"\",\"metadata\":{},"   \
	"\"finish_reason\":\"stop\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2,"      \
	"\"cached_read_tokens\":3,\"cached_write_tokens\":4,\"reasoning_tokens\":5,"         \
	"\"estimated\":true},\"error\":{\"code\":\"x\"}}\n"
#define L_FIRST                                                                               \
	"{\"type\":\"message\",\"id\":\"" FIRST "\",\"run\":\"" RUN "\",\"created_at_ms\":6," \
	"\"message\":{\"role\":\"user\" ,\"content\":\"\\u00e4\\n\", \"x\":1.50}}\n"
#define L_ANSWER                                                                              \
	"{\"type\":\"message\",\"id\":\"" ANSWER "\",\"parent\":\"" FIRST "\",\"run\":\"" RUN \
	"\",\"created_at_ms\":8,\"removed\":true}\n"
#define L_LOOSE                                                           \
	"{\"type\":\"message\",\"id\":\"" LOOSE "\",\"parent\":\"" ANSWER \
	"\",\"created_at_ms\":9,\"message\":{\"role\":\"computer\",\"type\":\"console\"}}\n"
#define WHOLE L_CONV L_RUN L_FIRST L_ANSWER L_LOOSE

enum { NOW = 1700000000 };
#define NOW_MS (1000 * (int64_t)NOW)

static void lines_are_printed_as_they_were_read(void **state)
{
	static const char *const lines[] = { L_CONV, L_RUN, L_FIRST, L_ANSWER, L_LOOSE };
	struct json_doc          doc = { 0 };
	struct archive_line      line;
	struct arena             arena;
	struct buf               out;
	struct err               e;

	(void)state;
	buf_init(&out, MIB);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		arena_init(&arena, MIB);
		buf_clear(&out);
		assert_int_equal(archive_line_parse(str_of(lines[i]), "", &doc, &arena, &line, &e),
				 ERR_OK);
		assert_true(archive_line_print(&out, &line));
		assert_int_equal(out.len, strlen(lines[i]));
		assert_memory_equal(out.data, lines[i], out.len);
		arena_finish(&arena);
	}
	buf_finish(&out);
	json_doc_finish(&doc);
}

static void a_body_does_not_break_its_line(void **state)
{
	struct archive_line line = {
		.kind = ARCHIVE_MESSAGE,
		.as.message = { .id = { 1, 1 }, .body = STR("{\"role\":\r\n\"user\"}") },
	};
	struct buf out;

	(void)state;
	buf_init(&out, MIB);
	assert_true(archive_line_print(&out, &line));
	assert_ptr_equal(memchr(out.data, '\n', out.len), out.data + out.len - 1);
	assert_null(memchr(out.data, '\r', out.len));
	buf_finish(&out);
}

static enum errc walk(const char *text, struct archive_walk *w, struct err *e)
{
	archive_walk_init(w, str_of(text), NOW_MS);
	return archive_walk_next(w, e);
}

static void a_conversation_is_read_whole(void **state)
{
	struct archive_walk w;
	struct err          e;

	(void)state;
	assert_int_equal(walk("\n" WHOLE "  \r\n" L_CONV, &w, &e), ERR_OK);
	assert_int_equal(archive_walk_next(&w, &e), ERR_INVALID_VALUE);
	assert_string_equal(e.path, "lines[8].leaf");
	archive_walk_finish(&w);

	assert_int_equal(walk("\xef\xbb\xbf" WHOLE "\n\n", &w, &e), ERR_OK);
	assert_true(w.found);
	assert_int_equal(w.count, 4);
	assert_int_equal(w.messages, 3);
	assert_int_equal(w.leaf, 0);
	assert_int_equal(w.tip, 3);
	assert_int_equal(w.entries[0].last, 1);
	assert_int_equal(w.entries[0].answer, 2);
	assert_int_equal(w.entries[1].parent, ARCHIVE_NONE);
	assert_int_equal(w.entries[2].parent, 1);
	assert_null(w.entries[2].text.p);
	assert_int_equal(w.entries[3].parent, 2);
	assert_int_equal(w.entries[3].run, ARCHIVE_NONE);
	assert_int_equal(archive_walk_next(&w, &e), ERR_OK);
	assert_false(w.found);
	archive_walk_finish(&w);
}

static void what_is_wrong_is_named_by_its_line(void **state)
{
	static const struct {
		const char *why;
		const char *text;
		const char *path;
	} cases[] = {
		{ "no conversation", L_RUN, "lines[1].type" },
		{ "an answer in front", L_CONV L_RUN L_ANSWER, "lines[3].parent" },
		{ "a parent that follows", L_CONV L_LOOSE, "lines[2].parent" },
		{ "no run", L_CONV L_FIRST, "lines[2].run" },
		{ "a run twice", L_CONV L_RUN L_RUN, "lines[3].id" },
		{ "a message twice", L_CONV L_RUN L_FIRST L_FIRST, "lines[4].parent" },
		{ "behind the answer", L_CONV L_RUN L_FIRST L_ANSWER L_FIRST, "lines[5].run" },
		{ "no tip", L_CONV L_RUN L_FIRST L_ANSWER, "lines[1].tip" },
		{ "a second conversation", WHOLE L_CONV L_LOOSE, "lines[7].parent" },
		{ "no JSON", L_CONV "\n{\"type\":\"run\",}\n", "lines[3]" },
		{ "two values", L_CONV "{} {}\n", "lines[2]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct archive_walk w;
		struct err          e;
		enum errc           rc = walk(cases[i].text, &w, &e);

		while (rc == ERR_OK && w.found)
			rc = archive_walk_next(&w, &e);
		if (rc == ERR_OK || strcmp(e.path, cases[i].path) != 0)
			fail_msg("%s: %d %s %s", cases[i].why, rc, e.path, e.text);
		archive_walk_finish(&w);
	}
}

static void new_ids_are_as_old_and_in_the_same_order(void **state)
{
	struct archive_walk w;
	struct err          e;

	(void)state;
	assert_int_equal(walk(WHOLE, &w, &e), ERR_OK);
	assert_true(archive_walk_is_past(&w));
	w.now_ms = 0x00064217c0a1f000 >> 20;
	assert_true(archive_walk_is_past(&w));
	w.now_ms--;
	assert_false(archive_walk_is_past(&w));
	w.now_ms = NOW_MS;
	w.entries[3].created_ms = 2 * NOW_MS;
	archive_walk_renew(&w, 0);
	assert_int_equal(w.conversation_as.key >> 20, 5);
	assert_int_equal(w.entries[0].as.key >> 20, 6);
	assert_true(w.entries[1].as.key > w.entries[0].as.key);
	assert_memory_equal(&w.entries[2].as, &w.entries[0].as, sizeof w.entries[0].as);
	assert_int_equal(w.entries[3].as.key >> 20, NOW_MS - 1000);
	archive_walk_finish(&w);
}

static void a_long_instruction_is_read(void **state)
{
	enum { LONG = 4 * MIB };
	struct archive_walk w;
	struct buf          text;
	struct err          e;

	(void)state;
	buf_init(&text, 2 * LONG);
	assert_true(buf_text(&text, "{\"type\":\"conversation\",\"version\":1,\"id\":\"" CONV
				    "\",\"created_at_ms\":1,\"instruction\":\"\\n"));
	for (int i = 0; i < LONG / 8; i++)
		assert_true(buf_text(&text, "be brief"));
	assert_true(buf_text(&text, "\"}"));
	archive_walk_init(&w, buf_view(&text), NOW_MS);
	assert_int_equal(archive_walk_next(&w, &e), ERR_OK);
	assert_int_equal(w.conversation.instruction.n, LONG + 1);
	archive_walk_finish(&w);
	buf_finish(&text);
}

/* Conversations of very different lengths share one table. */
static void many_entries_are_found_and_forgotten(void **state)
{
	enum { MANY = 20000 };
	struct archive_walk w;
	struct buf          text;
	struct err          e;

	(void)state;
	buf_init(&text, 64 * MIB);
	for (int round = 0; round < 3; round++) {
		int n = round == 1 ? MANY : 3;

		assert_true(buf_text(&text,
				     "{\"type\":\"conversation\",\"version\":1,\"id\":\"" CONV
				     "\",\"created_at_ms\":1}\n"));
		for (int i = 1; i <= n; i++)
			assert_true(buf_fmt(&text,
					    "{\"type\":\"message\",\"id\":\"msg_%016x" BODY "\"",
					    (unsigned)i) &&
				    (i < 2 || buf_fmt(&text, ",\"parent\":\"msg_%016x" BODY "\"",
						      (unsigned)i / 2)) &&
				    buf_text(&text, ",\"created_at_ms\":1,\"message\":"
						    "{\"role\":\"user\"}}\n"));
	}
	archive_walk_init(&w, buf_view(&text), NOW_MS);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(archive_walk_next(&w, &e), ERR_OK);
		assert_int_equal(w.count, round == 1 ? MANY : 3);
		for (uint32_t i = 1; i < w.count; i++)
			assert_int_equal(w.entries[i].parent, (i + 1) / 2 - 1);
	}
	archive_walk_finish(&w);
	buf_finish(&text);
}

/* --- ChatGPT --- */

static void read_fixture(struct buf *ret)
{
	FILE  *f = fopen(FIXTURES "/chatgpt/conversations.json", "rb");
	char   piece[4096];
	size_t n;

	assert_non_null(f);
	buf_init(ret, MIB);
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		assert_true(buf_add(ret, piece, n));
	fclose(f);
}

static void an_export_becomes_an_archive(void **state)
{
	struct chatgpt_losses losses;
	struct archive_walk   w;
	struct chatgpt        c;
	struct buf            text, out;
	struct err            e;
	bool                  more = true;

	(void)state;
	read_fixture(&text);
	buf_init(&out, MIB);
	chatgpt_init(&c, buf_view(&text), 1000 * NOW_MS);
	assert_int_equal(chatgpt_next(&c, &out, &losses, &more, &e), ERR_OK);
	assert_true(more);
	assert_int_equal(losses.media, 2);
	assert_int_equal(losses.content, 1);
	assert_int_equal(chatgpt_next(&c, &out, &losses, &more, &e), ERR_OK);
	assert_true(more && losses.media == 0 && losses.content == 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(chatgpt_next(&c, &out, &losses, &more, &e), ERR_OK);
		assert_false(more);
	}
	chatgpt_finish(&c);
	buf_finish(&text);

	archive_walk_init(&w, buf_view(&out), 1000 * NOW_MS);
	assert_int_equal(archive_walk_next(&w, &e), ERR_OK);
	assert_int_equal(w.messages, 10);
	assert_true(archive_walk_is_past(&w));
	assert_int_equal(w.conversation.created_ms, 1700000000123);
	assert_int_equal(w.conversation.id.key >> 20, 1700000000123);
	/* u-1 has two children; the one that leads to current_node stands first in the file */
	assert_int_equal(w.entries[2].parent, 1);
	assert_int_equal(w.tip, w.count - 2);
	assert_int_equal(w.entries[w.count - 1].parent, 1);
	for (uint32_t i = 1; i < w.count; i++)
		assert_true(w.entries[i].id.key > w.entries[i - 1].id.key);
	assert_int_equal(archive_walk_next(&w, &e), ERR_OK);
	assert_true(w.found && w.messages == 0);
	archive_walk_finish(&w);
	buf_finish(&out);
}

static void arrays_are_cut_where_their_elements_end(void **state)
{
	static const struct {
		const char *text;
		int         count; /* -1: an error */
	} cases[] = {
		{ "[]", 0 },
		{ "\xef\xbb\xbf [ ] ", 0 },
		{ "[{\"mapping\":{}}]", 1 },
		{ "[{\"mapping\":{}} , {\"title\":\"]},\\\"[{\",\"mapping\":{}}\n]", 2 },
		{ "", -1 },
		{ "{}", -1 },
		{ "[", -1 },
		{ "[,]", -1 },
		{ "[{\"mapping\":{}},]", -1 },
		{ "[{\"mapping\":{}}", -1 },
		{ "[{\"mapping\":{}}]]", -1 },
		{ "[{\"mapping\":{}}}", -1 },
		{ "[\"\\", -1 },
		{ "[{\"mapping\":{\"a\":{},\"a\":{}}}]", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct chatgpt_losses losses;
		struct chatgpt        c;
		struct buf            out;
		struct err            e;
		bool                  more = true;
		enum errc             rc = ERR_OK;
		int                   n = -1;

		buf_init(&out, MIB);
		chatgpt_init(&c, str_of(cases[i].text), NOW_MS);
		for (; rc == ERR_OK && more; n++)
			rc = chatgpt_next(&c, &out, &losses, &more, &e);
		if ((rc == ERR_OK ? n : -1) != cases[i].count)
			fail_msg("%s: %d conversations, %d %s", cases[i].text, n, rc, e.text);
		chatgpt_finish(&c);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_printed_as_they_were_read),
		cmocka_unit_test(a_body_does_not_break_its_line),
		cmocka_unit_test(a_conversation_is_read_whole),
		cmocka_unit_test(what_is_wrong_is_named_by_its_line),
		cmocka_unit_test(new_ids_are_as_old_and_in_the_same_order),
		cmocka_unit_test(a_long_instruction_is_read),
		cmocka_unit_test(many_entries_are_found_and_forgotten),
		cmocka_unit_test(an_export_becomes_an_archive),
		cmocka_unit_test(arrays_are_cut_where_their_elements_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
