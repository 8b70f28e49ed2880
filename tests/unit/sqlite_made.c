/* Keys of what is made without a run: kept with it, given again, gone with it. */
#include "engine_help.h"
#include "store/file.h"
#include "store/turn.h"

static const char fingerprint[] = "a digest of thirty-two bytes...";

static struct answer_name key_named(const char *name)
{
	return (struct answer_name){ .key = str_of(name),
				     .digest = { fingerprint, sizeof fingerprint } };
}

/* --- writes with keys --- */

static bool print_change(struct store_job *job, struct buf *out)
{
	const struct conversation_write *w = container_of(job, struct conversation_write, job);

	return buf_fmt(out, "%lld %zu", (long long)w->conversation.key, w->message_count);
}

static bool print_nothing(struct store_job *job, struct buf *out)
{
	(void)job;
	(void)out;
	return false;
}

static struct conversation_write change_of(enum conversation_change change, struct id conversation,
					   const char *key)
{
	struct conversation_write w = { .change = change,
					.conversation = conversation,
					.now_ms = clock_wall_ms() };

	arena_init(&w.arena, MIB);
	buf_init(&w.made.answer, 4 * KIB);
	if (key) {
		w.made.key = key_named(key);
		w.made.print = print_change;
	}
	return w;
}

static void over(struct conversation_write *w)
{
	arena_finish(&w->arena);
	buf_finish(&w->made.answer);
}

/* Its answer, or empty. */
static struct conversation_write wrote(struct fixture *f, struct conversation_write w,
				       char answer[64], enum errc want)
{
	assert_int_equal(DO(f, conversation_write, &w), want);
	snprintf(answer, 64, "%.*s", STR_ARG(buf_view(&w.made.answer)));
	over(&w);
	return w;
}

static struct id create(struct fixture *f, const char *key, char answer[64], bool replayed)
{
	struct conversation_write w =
		wrote(f, change_of(CONVERSATION_CREATE, id_new(), key), answer, ERR_OK);

	assert_int_equal(w.made.replayed, replayed);
	return w.conversation;
}

static struct conversation_write append_of(struct id talk, const char *key,
					   struct store_message m[2])
{
	struct conversation_write w = change_of(CONVERSATION_APPEND, talk, key);

	m[0] = (struct store_message){ id_new(), STR("a") };
	m[1] = (struct store_message){ id_new(), STR("b") };
	w.messages = m;
	w.message_count = 2;
	return w;
}

static void drop(struct fixture *f, struct id talk)
{
	char answer[64];

	wrote(f, change_of(CONVERSATION_DELETE, talk, NULL), answer, ERR_OK);
}

static void take_out(struct fixture *f, struct id talk, struct id message)
{
	struct conversation_write w = change_of(CONVERSATION_REMOVE_MESSAGE, talk, NULL);
	char                      answer[64];

	w.message = message;
	wrote(f, w, answer, ERR_OK);
}

static int64_t count(struct fixture *f, const char *table)
{
	char sql[64];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
	return outside_int(f, sql);
}

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

/* --- conversations --- */

static void it_is_made_once_and_told_again(void **state)
{
	struct fixture *f = *state;
	char            first[64], again[64];

	create(f, "one", first, false);
	create(f, "one", again, true);
	assert_string_equal(first, again);
	close_store(f);
	open_store(f);
	create(f, "one", again, true);
	assert_string_equal(first, again);
	assert_int_equal(count(f, "conversation"), 1);
	create(f, "two", again, false);
	assert_string_not_equal(first, again);
	assert_int_equal(count(f, "conversation"), 2);
}

static void many_at_once_make_one(void **state)
{
	enum { MANY = 50 };
	struct fixture           *f = *state;
	struct conversation_write w[MANY];
	size_t                    from = f->loop.done;
	size_t                    replayed = 0;

	for (size_t i = 0; i < MANY; i++) {
		w[i] = change_of(CONVERSATION_CREATE, id_new(), "one");
		assert_true(SUBMIT(f, conversation_write, &w[i]));
	}
	loop_until(&f->loop, from + MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(w[i].job.err.code, ERR_OK);
		assert_true(str_eq(buf_view(&w[i].made.answer), buf_view(&w[0].made.answer)));
		replayed += w[i].made.replayed;
	}
	for (size_t i = 0; i < MANY; i++)
		over(&w[i]);
	assert_int_equal(replayed, MANY - 1);
	assert_int_equal(count(f, "conversation"), 1);
	assert_int_equal(count(f, "idempotency"), 1);
}

static void another_request_is_refused_and_another_owner_is_not(void **state)
{
	struct fixture           *f = *state;
	struct conversation_write w = change_of(CONVERSATION_CREATE, id_new(), "one");
	char                      answer[64];

	create(f, "one", answer, false);
	w.made.key.digest = STR("something else");
	wrote(f, w, answer, ERR_KEY_REUSED);
	assert_string_equal(answer, "");
	w = change_of(CONVERSATION_CREATE, id_new(), "one");
	w.owner = 5;
	w = wrote(f, w, answer, ERR_OK);
	assert_false(w.made.replayed);
	assert_int_equal(count(f, "conversation"), 2);
}

static void a_refusal_leaves_the_key_free(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	char                 answer[64];

	wrote(f, append_of(id_new(), "one", m), answer, ERR_NOT_FOUND);
	assert_int_equal(count(f, "idempotency"), 0);

	struct id                 talk = create(f, "one", answer, false);
	struct conversation_write w = append_of(talk, "two", m);
	w.conditional = true;
	w.revision_count = 1;
	w.revisions[0] = 9;
	wrote(f, w, answer, ERR_PRECONDITION_FAILED);
	assert_int_equal(count(f, "idempotency"), 1);
	w = append_of(talk, "two", m);
	w.conditional = true;
	w.revision_count = 1;
	w.revisions[0] = 1;
	wrote(f, w, answer, ERR_OK);
	/* The second try names the revision that the first one found. */
	w = append_of(talk, "two", m);
	w.conditional = true;
	w.revision_count = 1;
	w.revisions[0] = 1;
	w = wrote(f, w, answer, ERR_OK);
	assert_true(w.made.replayed);
	assert_int_equal(count(f, "message"), 2);
}

static void without_its_answer_nothing_is_made(void **state)
{
	struct fixture           *f = *state;
	struct conversation_write bad = change_of(CONVERSATION_CREATE, id_new(), "bad");
	struct conversation_write good = change_of(CONVERSATION_CREATE, id_new(), "good");
	size_t                    from = f->loop.done;

	bad.made.print = print_nothing;
	assert_true(SUBMIT(f, conversation_write, &good));
	assert_true(SUBMIT(f, conversation_write, &bad));
	loop_until(&f->loop, from + 2);
	assert_int_equal(bad.job.err.code, ERR_REQUEST_TOO_LARGE);
	assert_int_equal(good.job.err.code, ERR_OK);
	assert_false(good.made.replayed);
	assert_true(good.made.answer.len > 0);
	over(&bad);
	over(&good);
	assert_int_equal(count(f, "conversation"), 1);
	assert_int_equal(count(f, "idempotency"), 1);
}

static void a_deleted_conversation_is_not_made_again(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	char                 answer[64];
	struct id            talk = create(f, "one", answer, false);
	struct id            other = create(f, "other", answer, false);

	wrote(f, append_of(talk, "two", m), answer, ERR_OK);
	drop(f, talk);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM idempotency WHERE body IS NOT NULL"),
			 1);
	wrote(f, change_of(CONVERSATION_CREATE, id_new(), "one"), answer, ERR_GONE);
	wrote(f, append_of(talk, "two", m), answer, ERR_GONE);
	struct conversation_write w = change_of(CONVERSATION_CREATE, id_new(), "one");
	w.made.key.digest = STR("something else");
	wrote(f, w, answer, ERR_KEY_REUSED);
	create(f, "other", answer, true);
	assert_int_equal(count(f, "conversation"), 1);
	drop(f, other);
}

static void a_removed_item_is_not_told_again(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2], n[2];
	char                 answer[64];
	struct id            talk = create(f, "made", answer, false);

	wrote(f, append_of(talk, "one", m), answer, ERR_OK);
	struct id removed = m[1].id;
	wrote(f, append_of(talk, "two", m), answer, ERR_OK);
	take_out(f, talk, removed);
	wrote(f, append_of(talk, "one", n), answer, ERR_GONE);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM idempotency WHERE body IS NOT NULL"),
			 2);
	struct conversation_write w = wrote(f, append_of(talk, "two", n), answer, ERR_OK);
	assert_true(w.made.replayed);
	create(f, "made", answer, true);
}

static void a_removed_answer_is_not_told_again(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, "q");

	t.key = key_named("one");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end e = end_of(t.run, RUN_COMPLETED, "r");
	e.keyed = true;
	e.kept_answer = (struct kept_answer){ 200, STR("{\"r\":1}") };
	assert_int_equal(DO(f, turn_end, &e), ERR_OK);
	take_out(f, t.conversation, t.run);

	struct answer_find r = { .key = key_named("one") };
	buf_init(&r.bytes, MIB);
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	assert_true(r.found);
	assert_int_equal(r.answer.http, 410);
	assert_int_equal(r.answer.body.n, 0);
	buf_finish(&r.bytes);
}

static void they_expire(void **state)
{
	struct fixture *f = *state;
	char            answer[64];
	struct id       talk = create(f, "one", answer, false);

	create(f, "two", answer, false);
	drop(f, talk);
	outside(f, "UPDATE idempotency SET created_ms = created_ms - 4000000");
	close_store(f);
	f->options.answer_keep_ms = 3600 * 1000;
	open_store(f);
	for (int i = 0; i < 1000 && count(f, "idempotency") > 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 20 * 1000000 }, NULL);
	assert_int_equal(count(f, "idempotency"), 0);
	create(f, "two", answer, false);
}

/* --- files --- */

static int tear_down_files(void **state)
{
	struct fixture *f = *state;
	char            command[256];

	snprintf(command, sizeof command, "rm -rf '%s.files'", f->path);
	assert_int_equal(system(command), 0);
	return tear_down(state);
}

static bool print_file(struct store_job *job, struct buf *out)
{
	return buf_int(out, container_of(job, struct file_add, job)->file.id.key);
}

static struct file_add file_of(struct fixture *f, const char *content, const char *key)
{
	struct blob_write *w = NULL;
	struct file_add    j = {
		   .file = { .id = id_new(),
			     .created_ms = clock_wall_ms(),
			     .bytes = 3,
			     .name = STR("a.txt"),
			     .type = STR("text/plain"),
			     .purpose = STR("batch") },
		   .made = { .key = key_named(key), .print = print_file },
	};

	assert_int_equal(blob_begin(f->store->blobs, &w, &f->err), ERR_OK);
	assert_int_equal(blob_add(w, str_of(content), &f->err), ERR_OK);
	assert_int_equal(blob_place(w, &j.content, &f->err), ERR_OK);
	blob_write_destroy(w);
	buf_init(&j.made.answer, KIB);
	return j;
}

static bool there(struct fixture *f, const char *content)
{
	unsigned char sum[HASH_BYTES];

	hash_sha256(content, strlen(content), sum);
	return blob_exists(f->store->blobs, sum);
}

static void a_file_is_kept_once(void **state)
{
	struct fixture *f = *state;
	struct file_add first = file_of(f, "one", "k");
	struct file_add again = file_of(f, "one", "k");
	struct file_add other = file_of(f, "other", "k");

	other.made.key.digest = STR("something else");
	assert_int_equal(DO(f, file_add, &first), ERR_OK);
	assert_int_equal(DO(f, file_add, &again), ERR_OK);
	assert_false(first.made.replayed);
	assert_true(again.made.replayed);
	assert_true(str_eq(buf_view(&first.made.answer), buf_view(&again.made.answer)));
	assert_int_equal(DO(f, file_add, &other), ERR_KEY_REUSED);
	assert_int_equal(count(f, "file"), 1);
	assert_true(there(f, "one"));
	assert_false(there(f, "other"));

	struct file_delete gone = { .file = first.file.id };
	assert_int_equal(DO(f, file_delete, &gone), ERR_OK);
	buf_finish(&again.made.answer);
	again = file_of(f, "one", "k");
	assert_int_equal(DO(f, file_add, &again), ERR_GONE);
	assert_false(there(f, "one"));
	assert_int_equal(count(f, "file"), 0);
	buf_finish(&first.made.answer);
	buf_finish(&again.made.answer);
	buf_finish(&other.made.answer);
}

static void a_file_that_is_refused_leaves_its_key_free(void **state)
{
	struct fixture *f = *state;
	struct file_add a = file_of(f, "one", "k");
	char            path[256];
	char            hex[HASH_HEX + 1];

	/* Its content goes before its row comes. */
	hash_hex(a.content.sha256, HASH_BYTES, hex);
	snprintf(path, sizeof path, "%s.files/%.2s/%.2s/%s", f->path, hex, hex + 2, hex);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(DO(f, file_add, &a), ERR_OVERLOADED);
	assert_int_equal(count(f, "idempotency"), 0);
	buf_finish(&a.made.answer);
}

#define T(name)  cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
#define TF(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(it_is_made_once_and_told_again),
		T(many_at_once_make_one),
		T(another_request_is_refused_and_another_owner_is_not),
		T(a_refusal_leaves_the_key_free),
		T(without_its_answer_nothing_is_made),
		T(a_deleted_conversation_is_not_made_again),
		T(a_removed_item_is_not_told_again),
		T(a_removed_answer_is_not_told_again),
		T(they_expire),
		TF(a_file_is_kept_once),
		TF(a_file_that_is_refused_leaves_its_key_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
