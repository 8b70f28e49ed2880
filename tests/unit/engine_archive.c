/* Archives in and out of the SQLite engine. */
#include "engine_help.h"
#include "store/archive.h"
#include "store/turn.h"

#include <signal.h>
#include <sys/resource.h>

#define Q "{\"role\":\"user\",\"content\":\"q\"}"
#define A "{\"role\":\"assistant\",\"content\":\"a\"}"

/* All pages of an archive; owned.  NULL: it broke off with j's error. */
static char *archive_of(struct fixture *f, struct archive_read *j, size_t page_bytes)
{
	struct buf all;

	j->page_bytes = page_bytes;
	buf_init(&all, 64 * MIB);
	buf_init(&j->page, 64 * MIB);
	do {
		buf_clear(&j->page);
		if (DO(f, archive_read, j) != ERR_OK) {
			archive_read_finish(j);
			buf_finish(&all);
			return NULL;
		}
		assert_true(j->page.len > 0);
		assert_true(buf_str(&all, buf_view(&j->page)));
	} while (j->has_more);
	archive_read_finish(j);
	assert_true(buf_add(&all, "", 1));
	return all.data;
}

static char *export_of(struct fixture *f, struct id conversation, size_t page_bytes)
{
	struct archive_read j = { .conversation = conversation };
	char               *text = archive_of(f, &j, page_bytes);

	assert_non_null(text);
	return text;
}

static enum errc import(struct fixture *f, const char *text, struct archive_write *ret)
{
	*ret = (struct archive_write){ .text = str_of(text), .now_ms = clock_wall_ms() };
	buf_init(&ret->results, MIB);
	enum errc rc = DO(f, archive_write, ret);
	buf_finish(&ret->results);
	return rc;
}

static struct id append(struct fixture *f, struct id conversation, const char *body)
{
	struct store_message      m = { id_new(), str_of(body) };
	struct conversation_write w = { .change = CONVERSATION_APPEND,
					.conversation = conversation,
					.now_ms = clock_wall_ms(),
					.messages = &m,
					.message_count = 1 };

	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	return m.id;
}

/* Two turns, the second of which got its id before the message that it goes on from. */
static struct id make_odd_order(struct fixture *f)
{
	struct store_message m[2];
	struct turn_begin    t = first_turn(&m[0], Q);
	struct id            early = id_new();

	whole_turn(f, &t, A);
	append(f, t.conversation, Q);

	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	struct turn_begin late = next_turn(&b, &m[1], Q);
	late.run = early;
	whole_turn(f, &late, A);
	append(f, t.conversation, A);
	arena_finish(&b.arena);
	return t.conversation;
}

static void pages_of_any_size_are_the_same_archive(void **state)
{
	struct fixture      *f = *state;
	struct archive_write w;

	open_store(f);
	struct id id = make_odd_order(f);
	char     *whole = export_of(f, id, MIB);
	for (size_t bytes = 1; bytes < 2000; bytes += 117) {
		char *cut = export_of(f, id, bytes);

		assert_string_equal(cut, whole);
		free(cut);
	}
	/* What is referred to stands in front: so it can come in. */
	assert_int_equal(import(f, whole, &w), ERR_OK);
	assert_int_equal(w.message_count, 6);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 2);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 12);
	free(whole);
}

static void ids_that_are_free_are_kept(void **state)
{
	struct fixture           *f = *state;
	struct archive_write      w;
	struct conversation_write gone = { .change = CONVERSATION_DELETE };

	open_store(f);
	struct id id = make_odd_order(f);
	char     *text = export_of(f, id, MIB);
	gone.conversation = id;
	arena_init(&gone.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &gone), ERR_OK);
	arena_finish(&gone.arena);
	assert_int_equal(import(f, text, &w), ERR_OK);
	char *again = export_of(f, id, MIB);
	assert_string_equal(again, text);
	free(again);

	/* A run's id may also be known by its key alone. */
	arena_init(&gone.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &gone), ERR_OK);
	arena_finish(&gone.arena);
	char sql[256];
	char hex[17] = "";
	memcpy(hex, strstr(text, "\"run_") + 5, 16);
	snprintf(
		sql, sizeof sql,
		"INSERT INTO idempotency (id, secret, owner, key, fingerprint, created_ms, stored, "
		"outcome, http, body) VALUES (%lld, 0, 0, 'k', " SQL_ZERO_BYTE
		", 1, 0, 2, 200, NULL)",
		strtoll(hex, NULL, 16));
	outside(f, sql);
	assert_int_equal(import(f, text, &w), ERR_OK);
	struct archive_read j = { .conversation = id };
	assert_null(archive_of(f, &j, MIB));
	assert_int_equal(j.job.err.code, ERR_NOT_FOUND);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 6);
	free(text);
}

static void a_foreign_conversation_is_not_there(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct id           id = make_odd_order(f);
	struct archive_read j = { .conversation = id, .owner = 7 };
	assert_null(archive_of(f, &j, MIB));
	assert_int_equal(j.job.err.code, ERR_NOT_FOUND);
	j = (struct archive_read){ .conversation = { id.key, id.secret + 1 } };
	assert_null(archive_of(f, &j, MIB));
	assert_int_equal(j.job.err.code, ERR_NOT_FOUND);
	j = (struct archive_read){ .conversation = id, .owner = 7, .any_owner = true };
	char *text = archive_of(f, &j, MIB);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"owner\":\"0\","));
	free(text);
}

static void what_comes_while_it_is_read_is_left_out(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct id           id = make_odd_order(f);
	char               *whole = export_of(f, id, MIB);
	struct archive_read j = { .conversation = id, .page_bytes = 1 };
	struct buf          all;

	buf_init(&all, MIB);
	buf_init(&j.page, MIB);
	for (int n = 0;; n++) {
		buf_clear(&j.page);
		assert_int_equal(DO(f, archive_read, &j), ERR_OK);
		assert_true(buf_str(&all, buf_view(&j.page)));
		if (n == 2)
			append(f, id, Q);
		if (!j.has_more)
			break;
	}
	assert_int_equal(all.len, strlen(whole));
	assert_memory_equal(all.data, whole, all.len);
	archive_read_finish(&j);
	buf_finish(&all);
	free(whole);
}

static void a_conversation_with_a_gap_is_damaged(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct archive_read j = { .conversation = make_odd_order(f) };
	outside(f, "DELETE FROM message WHERE id = (SELECT min(parent) FROM run)");
	assert_null(archive_of(f, &j, MIB));
	assert_int_equal(j.job.err.code, ERR_STORAGE);
}

static void a_broken_archive_writes_nothing(void **state)
{
	struct fixture      *f = *state;
	struct archive_write w;

	open_store(f);
	char  *text = export_of(f, make_odd_order(f), MIB);
	size_t n = strlen(text);
	char  *twice = malloc(2 * n + 1);
	assert_non_null(twice);
	memcpy(twice, text, n);
	memcpy(twice + n, text, n + 1);
	memcpy(strstr(twice + n, "\"role\":\"a"), "\"rule\"", 6);
	assert_int_equal(import(f, twice, &w), ERR_MISSING_PARAMETER);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 6);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 2);
	/* The writer goes on. */
	assert_int_equal(import(f, text, &w), ERR_OK);
	free(twice);
	free(text);
}

static void a_full_disk_takes_all_or_nothing(void **state)
{
	struct fixture      *f = *state;
	struct archive_write w;
	struct buf           text;
	struct rlimit        was, small;

	if (!ENGINE_OWN_DISK)
		skip();
	open_store(f);
	buf_init(&text, 64 * MIB);
	assert_true(buf_text(&text,
			     "{\"type\":\"conversation\",\"version\":1,\"id\":"
			     "\"conv_00000000000000010000000000000001\",\"created_at_ms\":1}\n"));
	for (int i = 1; i <= 2000; i++)
		assert_true(buf_fmt(&text,
				    "{\"type\":\"message\",\"id\":\"msg_%016x%016x\","
				    "\"created_at_ms\":1,\"message\":{\"role\":\"user\","
				    "\"content\":\"%01000d\"}}\n",
				    (unsigned)i, 1u, i));
	assert_true(buf_add(&text, "", 1));

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){ MIB, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(import(f, text.data, &w), ERR_STORAGE);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 0);
	assert_int_equal(import(f, text.data, &w), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2000);
	buf_finish(&text);
}

/* --- beside a process that serves --- */

static enum errc gather(void *arg, struct str lines, size_t conversations, struct err *e)
{
	(void)conversations;
	(void)e;
	assert_true(buf_str(arg, lines));
	return ERR_OK;
}

static void another_process_reads_and_writes(void **state)
{
	struct fixture      *f = *state;
	struct buf           out;
	struct store_export  x = { .put = gather, .arg = &out };
	struct archive_write w = { .quiet = true, .owners = true, .now_ms = clock_wall_ms() };
	struct err           e;

	open_store(f);
	make_odd_order(f);
	buf_init(&out, MIB);
	assert_int_equal(engine->export(&f->options, &x, &e), ERR_OK);
	assert_int_equal(x.count, 1);
	w.text = buf_view(&out);
	assert_int_equal(at_once(f, JOB_ARCHIVE_WRITE, &w.job, &e), ERR_OK);
	assert_int_equal(w.conversation_count, 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 2);
	/* It still takes turns. */
	(void)make_odd_order(f);
	close_store(f);
	assert_int_equal(at_once(f, JOB_ARCHIVE_WRITE, &w.job, &e), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 4);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_of_any_size_are_the_same_archive, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(ids_that_are_free_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_conversation_is_not_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_comes_while_it_is_read_is_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_conversation_with_a_gap_is_damaged, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_broken_archive_writes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_disk_takes_all_or_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(another_process_reads_and_writes, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
