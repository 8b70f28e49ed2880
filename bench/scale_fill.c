/* Filling a database: so many conversations go on at once that their messages lie between each
 * other's, as they do where a day's users all talk. */
#include "scale_fill.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "msg/event_code.h"
#include "store/turn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	AT_ONCE = 1024,
	TURNS_MEAN = 5,
	TURNS_MAX = 40,
	QUESTION_MEAN = 180,
	ANSWER_MEAN = 420,
	PROGRESS_MS = 10000,
};

/* A conversation that goes on. */
struct talk {
	struct filling           *all;
	struct turn_begin         begin;
	struct turn_end           end;
	struct conversation_write label;
	struct store_message      message;
	struct dice               dice;
	uint32_t                  number;
	uint32_t                  turns_left;
	bool                      wide;
	bool                      titled;
	struct id                 conversation;
	struct id                 leaf;   /* its newest run */
	struct id                 at;     /* the message that the next turn hangs on */
	struct id                 before; /* and the one that the last turn hung on */
	struct buf                events;
	char                      question[TEXT_MAX];
	char                      answer[TEXT_MAX];
	char                      metadata[FILL_METADATA_MAX];
	char                      key[FILL_KEY_MAX];
	char                      title[64];
};

struct filling {
	struct db         *db;
	struct talk       *talks; /* owned */
	uint32_t           started;
	uint32_t           going;   /* talks that have not ended */
	uint64_t           kill_at; /* turns; 0: never */
	int64_t            deadline_us;
	int64_t            said_us;
	int64_t            from_us;
	struct fill_counts count;
};

struct str fill_digest(void)
{
	return STR("0123456789abcdef0123456789abcdef");
}

struct str fill_key(uint32_t n, char ret[FILL_KEY_MAX])
{
	int length = snprintf(ret, FILL_KEY_MAX, "%08x-order-%u", n * 2654435761u, n);

	return (struct str){ ret, (size_t)length };
}

uint32_t fill_first_key(const struct db *db)
{
	return db->conversations - db->conversations / 50;
}

struct str fill_user(const struct db *db, struct dice *d, char ret[FILL_METADATA_MAX])
{
	uint32_t users = db->conversations / 50 + 1;
	int      n = snprintf(ret, FILL_METADATA_MAX, "u%06u", dice_below(d, users));

	return (struct str){ ret, (size_t)n };
}

/* --- a turn --- */

static void begin_turn(struct talk *t);

static void need_place(bool taken)
{
	if (!taken)
		fail("the store's queue is full", NULL);
}

static void progress(struct filling *f)
{
	int64_t now = clock_mono_us();

	if (now > f->deadline_us)
		fail("filling takes too long", NULL);
	if (now - f->said_us < (int64_t)PROGRESS_MS * 1000)
		return;
	f->said_us = now;
	fprintf(stderr, "%u of %u conversations, %.0f turns/s\n", f->started, f->db->conversations,
		(double)f->count.turns * 1e6 / (double)(now - f->from_us));
}

static struct str make_metadata(struct talk *t)
{
	char user[FILL_METADATA_MAX];

	if (dice_below(&t->dice, 5) != 0)
		return STR_NONE;
	fill_user(t->all->db, &t->dice, user);
	uint32_t topic = dice_below(&t->dice, FILL_TOPICS);
	bool     test = dice_below(&t->dice, 5) == 0 && topic != 0; /* never the two together */
	int      n;

	n = snprintf(t->metadata, sizeof t->metadata,
		     "{\"user\":\"%s\",\"topic\":\"topic-%u\",\"env\":\"%s\"}", user, topic,
		     test ? "test" : "prod");
	return (struct str){ t->metadata, (size_t)n };
}

static void begin_talk(struct talk *t)
{
	struct filling *f = t->all;
	struct buf      events = t->events;

	if (f->started == f->db->conversations) {
		f->going--;
		return;
	}
	*t = (struct talk){ .all = f, .events = events, .number = f->started++ };
	t->dice.state = t->number * 0x9e3779b97f4a7c15u + 1;
	t->turns_left = 1 + (uint32_t)dice_wait(&t->dice, TURNS_MEAN - 0.37);
	if (t->turns_left > TURNS_MAX)
		t->turns_left = TURNS_MAX;
	t->wide = dice_below(&t->dice, 20) == 0;
	t->titled = dice_below(&t->dice, 5) < 2;
	t->conversation = id_new();
	f->count.conversations++;
	progress(f);
	begin_turn(t);
}

static void turn_over(struct talk *t)
{
	if (--t->turns_left > 0)
		begin_turn(t);
	else
		begin_talk(t);
}

static void title_done(struct store_job *job)
{
	struct talk *t = container_of(job, struct talk, label.job);

	if (job->err.code != ERR_OK)
		fail("a title", &job->err);
	arena_finish(&t->label.arena);
	turn_over(t);
}

static void give_title(struct talk *t)
{
	t->titled = false;
	t->label = (struct conversation_write){
		.job = { .loop = &t->all->db->loop, .done = title_done },
		.change = CONVERSATION_UPDATE,
		.now_ms = clock_wall_ms(),
		.conversation = t->conversation,
		.title_set = true,
		.title = text_title(&t->dice, t->wide, t->title, sizeof t->title),
	};
	arena_init(&t->label.arena, 16 * KIB);
	need_place(store_conversation_write(t->all->db->store, &t->label));
}

static void end_done(struct store_job *job)
{
	struct talk *t = container_of(job, struct talk, end.job);

	if (job->err.code != ERR_OK)
		fail("a turn's end", &job->err);
	if (t->titled)
		give_title(t);
	else
		turn_over(t);
}

/* The log of an answer that came in one piece; younger than what retention takes. */
static void log_events(struct talk *t)
{
	static const char head[] = "{\"role\":\"assistant\",\"content\":\"";
	struct str text = { t->answer + sizeof head - 1, t->end.answer.n - (sizeof head - 1) - 2 };
	struct event start = { .kind = EVENT_START, .text = STR("model-small") };
	struct event said = { .kind = EVENT_TEXT, .text = text };
	struct event finish = { .kind = EVENT_FINISH, .text = STR("stop") };

	buf_clear(&t->events);
	if (!event_encode(&start, 1, &t->events) || !event_encode(&said, 2, &t->events) ||
	    !event_encode(&finish, 3, &t->events))
		fail("out of memory", NULL);
	t->end.events[0] = (struct events_piece){ t->begin.run, 1, 3, buf_view(&t->events) };
}

static void end_turn(struct talk *t)
{
	struct filling *f = t->all;
	bool            failed = dice_below(&t->dice, 100) == 0;

	t->end = (struct turn_end){
		.job = { .loop = &f->db->loop, .done = end_done },
		.run = t->begin.run,
		.status = failed ? RUN_FAILED : RUN_COMPLETED,
		.completed_ms = clock_wall_ms(),
		.first_token_ms = clock_wall_ms(),
		.last_seq = 4,
		.attempts = 1,
		.keyed = t->begin.key.key.n > 0,
		.kept_answer = { .http = 200 },
		.usage = { .known = true, .in = 100, .out = 200 },
	};
	if (failed) {
		t->end.error = STR("{\"message\":\"The provider is down.\",\"type\":"
				   "\"server_error\",\"param\":null,\"code\":\"upstream_error\"}");
	} else {
		t->end.finish_reason = STR("stop");
		t->end.answer =
			text_message(&t->dice, "assistant", ANSWER_MEAN, t->wide, t->answer);
		f->count.messages++;
		f->count.bytes += t->end.answer.n;
		t->before = t->at;
		t->at = t->begin.run;
		if (t->number >= fill_first_key(f->db))
			log_events(t);
	}
	t->leaf = t->begin.run;
	need_place(store_turn_end(f->db->store, &t->end));
}

static void begin_done(struct store_job *job)
{
	struct talk    *t = container_of(job, struct talk, begin.job);
	struct filling *f = t->all;

	if (job->err.code != ERR_OK)
		fail("a turn's beginning", &job->err);
	if (f->kill_at > 0 && f->count.turns >= f->kill_at)
		raise(SIGKILL);
	end_turn(t);
}

static void begin_turn(struct talk *t)
{
	static const char *const models[] = { "model-small", "model-large", "echo" };
	struct filling          *f = t->all;
	bool                     first = id_none(t->leaf);

	t->message = (struct store_message){ id_new(), text_message(&t->dice, "user", QUESTION_MEAN,
								    t->wide, t->question) };
	t->begin = (struct turn_begin){
		.job = { .loop = &f->db->loop, .done = begin_done },
		.now_ms = clock_wall_ms(),
		.run = id_new(),
		.conversation = t->conversation,
		.new_conversation = first,
		.parent = t->at,
		.expected_leaf = t->leaf,
		.model = str_of(models[dice_below(&t->dice, ARRAY_LEN(models))]),
		.provider = STR("cloud"),
		.shape = STR("native"),
		.messages = &t->message,
		.message_count = 1,
		.seq_reserved = 1024,
	};
	if (first) {
		t->begin.metadata = make_metadata(t);
		if (t->number >= fill_first_key(f->db))
			t->begin.key = (struct answer_name){
				.key = fill_key(t->number, t->key),
				.digest = fill_digest(),
			};
	} else if (dice_below(&t->dice, 25) == 0 && !id_none(t->before)) {
		t->begin.parent = t->before; /* asked again in other words */
		t->begin.branching = true;
	}
	f->count.turns++;
	f->count.messages++;
	f->count.bytes += t->message.body.n;
	need_place(store_turn_begin(f->db->store, &t->begin));
}

/* --- all --- */

static void fill_some(struct filling *f)
{
	f->talks = calloc(AT_ONCE, sizeof *f->talks);
	if (!f->talks)
		fail("out of memory", NULL);
	f->from_us = f->said_us = clock_mono_us();
	for (size_t i = 0; i < AT_ONCE; i++) {
		f->talks[i].all = f;
		buf_init(&f->talks[i].events, 8 * KIB);
		f->going++;
		begin_talk(&f->talks[i]);
	}
	while (f->going > 0)
		db_turn(f->db);
	for (size_t i = 0; i < AT_ONCE; i++)
		buf_finish(&f->talks[i].events);
	free(f->talks);
}

void fill(struct db *db, int64_t deadline_us, struct fill_counts *ret)
{
	struct filling f = { .db = db, .deadline_us = deadline_us };

	fill_some(&f);
	db->fill_ms = (clock_mono_us() - f.from_us) / 1000;
	*ret = f.count;
}

void fill_until_killed(struct db *db, uint64_t turns)
{
	struct filling f = { .db = db, .deadline_us = INT64_MAX, .kill_at = turns };

	fill_some(&f);
	raise(SIGKILL);
	_exit(2);
}
