/* What is measured: each through the store's public interface, as a request's handler calls it. */
#include "scale_ops.h"

#include "base/clock.h"
#include "base/limits.h"
#include "scale_fill.h"
#include "store/search.h"
#include "store/turn.h"

#include <stdio.h>

enum { PAGE = 20, AT_ONCE = 64, ARENA = 32 * MIB };

/* --- a turn --- */

/* A turn with its texts, and the read that each request begins with. */
struct turn {
	struct turn_begin    begin;
	struct turn_end      end;
	struct store_message message;
	char                 question[TEXT_MAX];
	char                 answer[TEXT_MAX];
};

static void make_turn(struct db *db, struct turn *t)
{
	t->message = (struct store_message){ id_new(), text_message(&db->dice, "user", 180, false,
								    t->question) };
	t->begin = (struct turn_begin){
		.now_ms = clock_wall_ms(),
		.run = id_new(),
		.model = STR("echo"),
		.provider = STR("echo"),
		.shape = STR("native"),
		.messages = &t->message,
		.message_count = 1,
		.seq_reserved = 1024,
	};
	t->end = (struct turn_end){
		.run = t->begin.run,
		.status = RUN_COMPLETED,
		.answer = text_message(&db->dice, "assistant", 420, false, t->answer),
		.finish_reason = STR("stop"),
		.completed_ms = clock_wall_ms(),
		.last_seq = 4,
		.attempts = 1,
		.usage = { .known = true, .in = 100, .out = 200 },
	};
}

static void next_turn(struct db *db, struct turn *t)
{
	struct branch_read b = { .conversation = db_random(db) };

	arena_init(&b.arena, ARENA);
	DO(db, branch_read, &b);
	make_turn(db, t);
	t->begin.conversation = b.conversation;
	t->begin.parent = b.leaf;
	t->begin.expected_leaf = b.expected_leaf;
	arena_finish(&b.arena);
}

static void run_turn(struct db *db, struct turn *t)
{
	db_begin(db);
	DO(db, turn_begin, &t->begin);
	DO(db, turn_end, &t->end);
	db_end(db);
}

static void append(struct db *db)
{
	struct turn t;

	next_turn(db, &t);
	run_turn(db, &t);
}

static void append_new(struct db *db)
{
	struct turn t;
	char        user[FILL_METADATA_MAX];
	char        metadata[2 * FILL_METADATA_MAX];

	make_turn(db, &t);
	t.begin.conversation = id_new();
	t.begin.new_conversation = true;
	fill_user(db, &db->dice, user);
	snprintf(metadata, sizeof metadata, "{\"user\":\"%s\",\"topic\":\"topic-%u\"}", user,
		 dice_below(&db->dice, FILL_TOPICS));
	t.begin.metadata = str_of(metadata);
	run_turn(db, &t);
}

static bool is_among(const struct turn *all, size_t n, struct id conversation)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].begin.conversation.key == conversation.key)
			return true;
	return false;
}

static void append_many(struct db *db)
{
	static struct turn all[AT_ONCE];

	for (size_t i = 0; i < AT_ONCE; i++)
		do
			next_turn(db, &all[i]);
		while (is_among(all, i, all[i].begin.conversation));

	size_t done = db->loop.done;
	bool   taken = true;
	db_begin(db);
	for (size_t i = 0; i < AT_ONCE; i++)
		taken = SUBMIT(db, turn_begin, &all[i].begin) && taken;
	db_wait(db, done + AT_ONCE);
	for (size_t i = 0; i < AT_ONCE; i++)
		taken = SUBMIT(db, turn_end, &all[i].end) && taken;
	db_wait(db, done + 2 * AT_ONCE);
	db_end(db);
	for (size_t i = 0; i < AT_ONCE; i++)
		if (!taken || all[i].begin.job.err.code != ERR_OK ||
		    all[i].end.job.err.code != ERR_OK)
			fail("many turns at once", &all[i].begin.job.err);
}

/* --- a conversation --- */

static void read_branch(struct db *db)
{
	struct branch_read j = { .conversation = db_random(db) };

	arena_init(&j.arena, ARENA);
	TIMED(db, branch_read, &j);
	arena_finish(&j.arena);
}

static void read_conversation(struct db *db)
{
	struct conversation_read j = { .conversation = db_random(db) };

	arena_init(&j.arena, ARENA);
	TIMED(db, conversation_read, &j);
	arena_finish(&j.arena);
}

static void read_items(struct db *db, bool descending)
{
	struct items_read j = {
		.conversation = db_random(db),
		.descending = descending,
		.limit = PAGE,
		.page_bytes = LIMIT_ITEMS_PAGE,
	};

	arena_init(&j.arena, ARENA);
	TIMED(db, items_read, &j);
	arena_finish(&j.arena);
}

static void items_newest(struct db *db)
{
	read_items(db, true);
}

static void items_oldest(struct db *db)
{
	read_items(db, false);
}

static void change(struct db *db, struct conversation_write *j)
{
	j->now_ms = clock_wall_ms();
	arena_init(&j->arena, MIB);
	TIMED(db, conversation_write, j);
	arena_finish(&j->arena);
}

static void update(struct db *db)
{
	char                      metadata[2 * FILL_METADATA_MAX];
	char                      user[FILL_METADATA_MAX];
	struct conversation_write j = { .change = CONVERSATION_UPDATE,
					.conversation = db_random(db) };

	fill_user(db, &db->dice, user);
	snprintf(metadata, sizeof metadata, "{\"user\":\"%s\",\"topic\":\"topic-%u\"}", user,
		 dice_below(&db->dice, FILL_TOPICS));
	j.title_set = j.metadata_set = true;
	j.title = STR("A new name for it");
	j.metadata = str_of(metadata);
	change(db, &j);
}

/* Of those without keys: these are asked for. */
static void delete (struct db *db)
{
	struct conversation_write j = { .change = CONVERSATION_DELETE };
	uint32_t                  at;

	do
		at = dice_below(&db->dice, fill_first_key(db));
	while (id_none(db->ids[at]));
	j.conversation = db->ids[at];
	db->ids[at] = (struct id){ 0 };
	change(db, &j);
}

/* --- lists --- */

static void list(struct db *db, struct conversations_read *j)
{
	j->descending = true;
	j->limit = PAGE;
	arena_init(&j->arena, ARENA);
	TIMED(db, conversations_read, j);
	arena_finish(&j->arena);
}

static void list_newest(struct db *db)
{
	list(db, &(struct conversations_read){ .descending = true });
}

static void list_after(struct db *db)
{
	list(db, &(struct conversations_read){ .after = db_random(db) });
}

static void list_user(struct db *db)
{
	char       user[FILL_METADATA_MAX];
	char       filter[2 * FILL_METADATA_MAX];
	struct str value = fill_user(db, &db->dice, user);

	snprintf(filter, sizeof filter, "{\"user\":\"%s\"}", user);
	list(db, &(struct conversations_read){ .labels.key = STR("user"),
					       .labels.value = value,
					       .labels.filter = str_of(filter) });
}

static void list_topic(struct db *db)
{
	char     topic[FILL_METADATA_MAX];
	char     filter[2 * FILL_METADATA_MAX];
	uint32_t n = dice_below(&db->dice, FILL_TOPICS);

	snprintf(topic, sizeof topic, "topic-%u", n);
	snprintf(filter, sizeof filter, "{\"topic\":\"topic-%u\"}", n);
	list(db, &(struct conversations_read){ .labels.key = STR("topic"),
					       .labels.value = str_of(topic),
					       .labels.filter = str_of(filter) });
}

/* Two that many have, and one in five of the rarer one's conversations has both. */
static void list_two(struct db *db)
{
	char     topic[FILL_METADATA_MAX];
	char     filter[2 * FILL_METADATA_MAX];
	uint32_t n = 1 + dice_below(&db->dice, FILL_TOPICS - 1);

	snprintf(topic, sizeof topic, "topic-%u", n);
	snprintf(filter, sizeof filter, "{\"topic\":\"topic-%u\",\"env\":\"test\"}", n);
	list(db, &(struct conversations_read){ .labels.key = STR("topic"),
					       .labels.value = str_of(topic),
					       .labels.filter = str_of(filter) });
}

/* The worst there is: each conversation that has the rarer one is looked at, and none is found. */
static void list_none(struct db *db)
{
	list(db, &(struct conversations_read){ .labels.key = STR("topic"),
					       .labels.value = STR("topic-0"),
					       .labels.filter = STR("{\"topic\":\"topic-0\","
								    "\"env\":\"test\"}") });
}

/* --- runs --- */

static void list_runs(struct db *db, struct runs_read *j)
{
	j->limit = PAGE;
	arena_init(&j->arena, ARENA);
	TIMED(db, runs_read, j);
	arena_finish(&j->arena);
}

static void runs_of_one(struct db *db)
{
	list_runs(db, &(struct runs_read){ .conversation = db_random(db), .status = -1 });
}

static void runs_newest(struct db *db)
{
	list_runs(db, &(struct runs_read){ .status = -1 });
}

static void runs_failed(struct db *db)
{
	list_runs(db, &(struct runs_read){ .status = RUN_FAILED });
}

static struct id newest_run(struct db *db, struct id conversation)
{
	struct runs_read j = { .conversation = conversation, .status = -1, .limit = 1 };

	arena_init(&j.arena, MIB);
	DO(db, runs_read, &j);
	struct id run = j.run_count > 0 ? j.runs[0].run : (struct id){ 0 };
	arena_finish(&j.arena);
	return run;
}

static void read_run(struct db *db)
{
	struct run_read j = { .run = newest_run(db, db_random(db)) };

	arena_init(&j.arena, MIB);
	TIMED(db, run_read, &j);
	arena_finish(&j.arena);
}

/* Of a conversation with keys: it is young enough to have events. */
static uint32_t recent(struct db *db)
{
	uint32_t first = fill_first_key(db);

	return first + dice_below(&db->dice, db->id_count - first);
}

static void read_events(struct db *db)
{
	struct events_read j = { .run = newest_run(db, db->ids[recent(db)]), .page_bytes = MIB };

	arena_init(&j.arena, ARENA);
	TIMED(db, events_read, &j);
	arena_finish(&j.arena);
}

static void read_key(struct db *db)
{
	char               key[FILL_KEY_MAX];
	struct answer_find j = { .key = { fill_key(recent(db), key), fill_digest() } };

	buf_init(&j.bytes, LIMIT_STORE_ROW);
	TIMED(db, answer_find, &j);
	if (!j.found || !j.same)
		fail("a key is missing", NULL);
	buf_finish(&j.bytes);
}

/* --- search --- */

static void search(struct db *db, const char *query)
{
	struct search_read j = { .query = str_of(query), .role = -1, .limit = PAGE };

	arena_init(&j.arena, ARENA);
	TIMED(db, search_read, &j);
	arena_finish(&j.arena);
}

/* A word whose rank is about that. */
static const char *some_word(struct db *db, unsigned rank)
{
	return text_word(rank + dice_below(&db->dice, rank / 4 + 8)).p;
}

static void search_name(struct db *db)
{
	char query[32];

	snprintf(query, sizeof query, "job_%05x", dice_below(&db->dice, 1 << 20));
	search(db, query);
}

static void search_rare(struct db *db)
{
	search(db, some_word(db, 30000));
}

static void search_usual(struct db *db)
{
	search(db, some_word(db, 1000));
}

static void search_common(struct db *db)
{
	search(db, some_word(db, 0));
}

static void search_two(struct db *db, unsigned first, unsigned second, bool phrase)
{
	char query[64];

	snprintf(query, sizeof query, phrase ? "\"%s %s\"" : "%s %s", some_word(db, first),
		 some_word(db, second));
	search(db, query);
}

static void search_two_common(struct db *db)
{
	search_two(db, 0, 16, false);
}

static void search_two_usual(struct db *db)
{
	search_two(db, 1000, 2000, false);
}

static void search_phrase(struct db *db)
{
	search_two(db, 0, 16, true);
}

static void search_phrase_usual(struct db *db)
{
	search_two(db, 200, 400, true);
}

static void search_wide(struct db *db)
{
	char query[8];

	text_wide(dice_below(&db->dice, 200), query);
	text_wide(dice_below(&db->dice, 200), query + 3);
	search(db, query);
}

/* An operation more is a row more. */
const struct op ops[] = {
	{ "append: a turn, begin and end", 2, 1, true, append },
	{ "append: a turn of a new conversation", 2, 1, true, append_new },
	{ "append: 64 turns at once", 2, 20, true, append_many },
	{ "branch", 2, 1, false, read_branch },
	{ "conversation", 2, 1, false, read_conversation },
	{ "items, newest 20", 2, 1, false, items_newest },
	{ "items, oldest 20", 2, 1, false, items_oldest },
	{ "list, newest 20", 2, 1, false, list_newest },
	{ "list, 20 from anywhere", 2, 1, false, list_after },
	{ "list by metadata, a rare pair", 2, 1, false, list_user },
	{ "list by metadata, a pair of 1 %", 2, 1, false, list_topic },
	{ "list by metadata, two common pairs", 2, 1, false, list_two },
	{ "list by metadata, two that never meet", 0, 20, false, list_none },
	{ "runs of a conversation", 2, 1, false, runs_of_one },
	{ "runs, newest 20", 2, 1, false, runs_newest },
	{ "runs that failed, newest 20", 2, 1, false, runs_failed },
	{ "a run", 2, 1, false, read_run },
	{ "a run's events", 2, 1, false, read_events },
	{ "a key", 2, 1, false, read_key },
	{ "search, a name that few messages have", 10, 4, false, search_name },
	{ "search, a word of one message in 8,000", 10, 4, false, search_rare },
	{ "search, a word of one message in 300", 10, 4, false, search_usual },
	{ "search, a word of most messages", 10, 4, false, search_common },
	{ "search, two common words", 10, 4, false, search_two_common },
	{ "search, two words of one in 300 and 600", 10, 4, false, search_two_usual },
	{ "search, a phrase of common words", 10, 4, false, search_phrase },
	{ "search, a phrase of words of one in 70 and 140", 10, 4, false, search_phrase_usual },
	{ "search, two Chinese characters", 10, 4, false, search_wide },
	{ "change of title and metadata", 2, 2, true, update },
	{ "deletion of a conversation", 2, 4, true, delete },
};
const size_t ops_count = ARRAY_LEN(ops);
