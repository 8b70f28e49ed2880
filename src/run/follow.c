/* A follower reads a run's log page by page, and waits for more of it.
 *
 *   READING --page--> READING             the log has another page, the output has room
 *      |  ^   |
 *      |  |   +--last page so far--> WAITING --news--> READING        the run goes on
 *      |  +--room again-- FULL <--page, part of one, or news; no room in the output
 *      +--page, run ended--> OVER
 *
 * A follower is also READING while a worker prints blocks that the encoder has put off. */
#include "run/follow.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "json/scan.h"
#include "shape/answer.h"
#include "msg/event_code.h"
#include "desk/tape.h"
#include "desk/watch.h"
#include "run/reader.h"
#include "store/events.h"

#include <stdlib.h>

enum state { READING, WAITING, FULL, OVER };

enum {
	PAGE_BYTES = 16 * KIB, /* records; blocks of small events are thirty times as long */
	AGAIN_US = 20 * 1000,  /* the wait before a full store is asked once more */
	HOLE_US = 200 * 1000,  /* the same for lost events, which may be written again, */
	HOLE_MS = 5 * 1000,    /* so long after the end of the run, and so long at all */
};

struct follow {
	struct follow_options o;
	struct events_read    read;
	struct watch_run      watch;
	struct task           task;     /* begins, reads a tape, prints the rest of a page */
	struct work_job       rest_job; /* prints what takes long into reader.rest */
	bool                  rest_printed;
	struct buf  *to; /* where events are printed: reader.out, or a worker's reader.rest */
	struct timer again;
	enum state   state;
	bool         watching;
	bool         reading; /* a job, the task or an observer's callback is out: f must stay */
	bool         news;    /* the run was notified since the last read began */
	bool         opened;  /* the observer's `open` was called */
	bool         left;

	struct reader   reader; /* its encoder is made at the first event, or at the end */
	struct warnings warnings;
	char           *model; /* owned */
	bool            fences;
	bool            logprobs;

	/* A page of a tape, of a run that is stored nowhere. */
	struct buf          page;
	struct buf          page_error;
	struct events_piece piece;

	/* The unprinted rest of the current piece of the page, and the index of the next piece. */
	struct str rest;
	size_t     next_piece;

	int64_t  holed_us; /* when the hole in an ended run's log was first seen; 0: none was */
	uint64_t seq;      /* number of the last event read */
	bool     printed;  /* there was one to print */
	bool     last;     /* nothing is appended to the output any more */
	bool     cut;      /* the output ends without the stream's last block */
};

/* --- ends --- */

static void destroy_follow(struct follow *f)
{
	tape_release(f->o.tape);
	buf_finish(&f->page);
	buf_finish(&f->page_error);
	reader_finish(&f->reader);
	warnings_finish(&f->warnings);
	arena_finish(&f->read.arena);
	free(f->model);
	free(f);
}

static void watch_gone(struct watch_run *w)
{
	destroy_follow(container_of(w, struct follow, watch));
}

static void dispose_follow(struct follow *f)
{
	timer_stop(f->o.loop, &f->again);
	if (f->watching)
		watch_stop(&f->watch);
	else
		destroy_follow(f);
}

static void follow_fail(struct follow *f, const struct err *e)
{
	if (f->opened) {
		/* A stream without its last block looks broken, so the client reconnects. */
		f->last = f->cut = true;
		f->state = OVER;
		f->o.observer->wake(f->o.arg);
		return;
	}
	f->o.observer->none(f->o.arg, e);
	dispose_follow(f);
}

static void read_text(const struct json_doc *d, const char *key, struct arena *arena, char *ret,
		      size_t size)
{
	json_at    i = json_get(d, 0, key);
	struct str text;

	if (i != JSON_ABSENT && json_kind(d, i) == JSON_STRING && json_text(d, i, arena, &text))
		str_copy(ret, size, text);
}

/* follow_read_message: splits the message that err_object has joined, `path: text`; ret->path must
 * be set. */
static void follow_read_message(const struct json_doc *d, struct arena *arena, struct err *ret)
{
	json_at    i = json_get(d, 0, "message");
	size_t     path = strlen(ret->path);
	struct str text;

	if (i == JSON_ABSENT || json_kind(d, i) != JSON_STRING || !json_text(d, i, arena, &text))
		return;
	ret->verbatim = path == 0 || !str_starts(text, str_of(ret->path)) ||
			!str_starts((struct str){ text.p + path, text.n - path }, STR(": "));
	if (!ret->verbatim)
		text = (struct str){ text.p + path + 2, text.n - path - 2 };
	str_copy(ret->text, sizeof ret->text, text);
}

/* error_of: turns a stored error object back into the error that err_object printed, and the id of
 * its request. */
static void error_of(struct str object, struct arena *arena, struct err *ret, char ret_id[ID_MAX])
{
	struct json_doc d = { 0 };
	struct err      e;

	err_set(ret, ERR_INTERNAL, "", "the run failed");
	ret_id[0] = '\0';
	if (object.n == 0 ||
	    json_scan(&d, object.p, object.n, &json_limits_upstream, &e) != ERR_OK) {
		json_doc_finish(&d);
		return;
	}
	read_text(&d, "type", arena, ret->type, sizeof ret->type);
	read_text(&d, "param", arena, ret->path, sizeof ret->path);
	read_text(&d, "code", arena, ret->wire, sizeof ret->wire);
	read_text(&d, "request_id", arena, ret_id, ID_MAX);
	follow_read_message(&d, arena, ret);
	json_doc_finish(&d);
}

static bool follow_print_end(struct follow *f)
{
	const struct encoder_ops *ops = f->reader.encoder->ops;
	struct err                e;
	char                      id[ID_MAX];

	f->reader.encoder->ended_s = f->read.completed_ms / 1000;
	if (f->read.status == RUN_COMPLETED)
		return ops->done(f->reader.encoder, f->read.last_seq, &f->reader.out);
	error_of(f->read.error, &f->read.arena, &e, id);
	return ops->error(f->reader.encoder, &e, str_of(id), f->read.last_seq, &f->reader.out);
}

/* --- printing --- */

static bool make_encoder(struct follow *f)
{
	if (f->reader.encoder)
		return true;
	f->model = strndup(f->read.model.p ? f->read.model.p : "", f->read.model.n);
	if (!f->model)
		return false;
	if (!f->o.shape)
		f->o.shape = family_shape(f->o.family, f->read.shape);
	f->reader.encoder = f->o.shape->encoder(&(struct encoder_about){
		.framing = f->o.family->framing,
		.want_usage = f->o.want_usage,
		.fences = f->fences,
		.logprobs = f->logprobs,
		.reasoning = f->o.reasoning,
		.run = f->o.run,
		.conversation = f->read.conversation,
		.model = str_of(f->model),
		.settings = f->read.settings,
		.created_s = f->read.created_ms / 1000,
		.guess_in = f->o.guess_in,
		.seen = f->o.cursor,
		.warnings = &f->warnings,
	});
	return f->reader.encoder;
}

/* take_asked: EVENT_ASKED has what the encoder of the first client knew besides the events: what it was
 * asked for, and the warnings. */
static enum errc take_asked(struct follow *f, const struct event *ev, uint64_t seq)
{
	f->seq = seq;
	f->fences = ev->block & ASKED_FENCES;
	f->logprobs = ev->block & ASKED_LOGPROBS;
	return warnings_join(&f->warnings, ev->text, ev->choice) ? ERR_OK : ERR_OVERLOADED;
}

static enum errc print_event(struct follow *f, const struct event *ev, uint64_t seq)
{
	if (!make_encoder(f) || !f->reader.encoder->ops->event(f->reader.encoder, ev, seq, f->to))
		return ERR_OVERLOADED;
	f->seq = seq;
	f->printed = true;
	return ERR_OK;
}

static bool page_over(const struct follow *f)
{
	return f->rest.n == 0 && f->next_piece >= f->read.piece_count;
}

static bool has_room(const struct follow *f)
{
	return reader_waiting(&f->reader) < LIMIT_FEED_HIGH;
}

/* print_some: prints events of the page until the page is over, the output is full, or the events
 * have LIMIT_LOOP_JSON bytes: long events hold the loop even if they print nothing.  ERR_INTERNAL:
 * the page is damaged. */
static enum errc print_some(struct follow *f)
{
	struct event ev;
	uint64_t     seq;
	size_t       left;

	for (size_t bytes = 0; !page_over(f) && has_room(f) && bytes < LIMIT_LOOP_JSON;
	     bytes += left - f->rest.n) {
		enum errc rc = ERR_OK;

		if (f->rest.n == 0) {
			f->rest = f->read.pieces[f->next_piece++].data;
			left = f->rest.n;
			continue;
		}
		left = f->rest.n;
		/* Events have numbers without gaps. */
		if (!event_decode(&f->rest, &ev, &seq) || seq > f->seq + 1)
			return ERR_INTERNAL;
		/* A piece that straddles two pages is read twice: events that the first page had
		 * are skipped. */
		if (seq > f->seq && ev.kind == EVENT_ASKED)
			rc = take_asked(f, &ev, seq);
		else if (seq > f->seq || (seq > f->read.after && seq == f->seq && ev.cont))
			rc = print_event(f, &ev, seq);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* print_made: prints an event that was never logged, under the next number. */
static bool print_made(void *arg, const struct event *ev)
{
	struct follow *f = arg;

	return print_event(f, ev, f->seq + 1) == ERR_OK;
}

/* print_answer: prints the stored answer of a plain call as a stream.  The events get numbers here,
 * so the number of the end is raised above them. */
static bool print_answer(struct follow *f)
{
	if (f->read.answer.n == 0)
		return true;
	if (!replay_answer(f->read.answer, f->read.finish_reason, &f->read.usage, print_made, f))
		return false;
	if (f->read.last_seq <= f->seq)
		f->read.last_seq = f->seq + 1;
	return true;
}

/* --- reading --- */

static bool follow_run_ended(const struct follow *f)
{
	return f->read.status != RUN_QUEUED && f->read.status != RUN_RUNNING;
}

static void read_more(struct follow *f);

/* go_on: reads the next page, or waits for news or for room. */
static void go_on(struct follow *f)
{
	bool more = f->read.has_more || f->news;

	if (more && has_room(f)) {
		read_more(f);
		return;
	}
	f->state = more ? FULL : WAITING;
	if (f->read.holed && !more)
		timer_start(f->o.loop, &f->again, HOLE_US);
	/* The page was printed, and the wait may be long: its memory goes. */
	arena_finish(&f->read.arena);
	buf_finish(&f->page);
}

/* follow_show: tells the observer of new output.  False: the observer has left from within the
 * callback, and f is gone. */
static bool follow_show(struct follow *f)
{
	f->reading = true;
	if (!f->opened) {
		f->opened = true;
		f->o.observer->open(f->o.arg);
	} else if (reader_waiting(&f->reader) > 0 || f->last) {
		f->o.observer->wake(f->o.arg);
	}
	f->reading = false;

	bool left = f->left;
	if (left)
		dispose_follow(f);
	return !left;
}

static void follow_tell_damage(const struct follow *f)
{
	struct log_line l;
	char            text[ID_MAX];

	id_text(f->o.run, ID_RUN, text);
	log_begin(&l, LOG_ERROR, "events_damaged");
	log_str(&l, "run", str_of(text));
	log_str(&l, "msg", STR("the logged events of this run can't be read"));
	log_end(&l);
}

static void on_rest(struct task *t);

/* print_rest: prints the rest of the page in the loop's next turn. */
static void print_rest(struct follow *f)
{
	f->state = READING;
	f->reading = true;
	f->task.fn = on_rest;
	loop_later(f->o.loop, &f->task);
}

static void on_rest_printed(struct work_job *job);

static void follow_work_rest(struct work_job *job)
{
	struct follow *f = container_of(job, struct follow, rest_job);

	f->rest_printed = reader_print_rest(&f->reader);
}

/* The client may take what is in reader.out meanwhile, so the worker prints elsewhere. */
static void follow_work_answer(struct work_job *job)
{
	struct follow *f = container_of(job, struct follow, rest_job);

	f->to = &f->reader.rest;
	f->rest_printed = print_answer(f);
	f->to = &f->reader.out;
}

/* follow_aside: lets a worker do what takes long.  False: no worker takes the job. */
static bool follow_aside(struct follow *f, void (*work)(struct work_job *job))
{
	f->rest_job = (struct work_job){ .loop = f->o.loop, .run = work, .done = on_rest_printed };
	if (!f->o.cpu || !work_submit(f->o.cpu, &f->rest_job))
		return false;
	f->state = READING;
	f->reading = true;
	return true;
}

/* follow_rest_aside: the blocks that the encoder has put off.  False: there are none, or no worker. */
static bool follow_rest_aside(struct follow *f)
{
	return f->reader.encoder && f->reader.encoder->rests && follow_aside(f, follow_work_rest);
}

/* follow_answer_aside: a long stored answer of a plain call.  False: it is short, or no worker. */
static bool follow_answer_aside(struct follow *f)
{
	return f->read.answer.n > LIMIT_LOOP_JSON && follow_aside(f, follow_work_answer);
}

/* print_page: prints the page, in parts if need be: the blocks of small events are thirty times as
 * long, and pieces may be long.  False: a part of the page is left, or f has failed or is gone. */
static bool print_page(struct follow *f)
{
	struct err e;
	enum errc  rc = print_some(f);

	if (rc == ERR_OK) {
		if (follow_rest_aside(f))
			return false;
		if (page_over(f))
			return true;
		if (reader_waiting(&f->reader) > 0 && !follow_show(f))
			return false;
		if (has_room(f))
			print_rest(f);
		else
			f->state = FULL;
		return false;
	}
	if (rc == ERR_INTERNAL)
		follow_tell_damage(f);
	err_set(&e, ERR_INTERNAL, "", "the events of this run can't be read");
	follow_fail(f, &e);
	return false;
}

/* take_page: prints what is left of the page, and goes on. */
static void take_page(struct follow *f)
{
	struct err e;

	if (!print_page(f))
		return;
	if (follow_run_ended(f) && !f->read.has_more && !f->printed) {
		f->seq = 0; /* the log of a plain call had how it was asked, as long as it ran */
		if (follow_answer_aside(f))
			return;
		if (!print_answer(f)) {
			err_set(&e, ERR_INTERNAL, "", "the answer of this run can't be read");
			follow_fail(f, &e);
			return;
		}
	}
	if (follow_run_ended(f) && !f->read.has_more) {
		bool made = make_encoder(f);

		if (made)
			encoder_over(f->reader.encoder, f->read.status != RUN_COMPLETED);
		if (follow_rest_aside(f))
			return;
		if (!made || !follow_print_end(f)) {
			err_set(&e, ERR_OVERLOADED, "", "no memory for the events");
			follow_fail(f, &e);
			return;
		}
		f->last = true;
		f->state = OVER;
		if (reader_waiting(&f->reader) == 0 && !f->opened) {
			f->o.observer->none(f->o.arg, NULL);
			dispose_follow(f);
			return;
		}
		(void)follow_show(f);
		return;
	}
	/* A client that has seen every block so far gets an open stream too, but a page without a
	 * new block shows nothing as long as the next page is at hand. */
	if ((f->read.has_more && reader_waiting(&f->reader) == 0) || follow_show(f))
		go_on(f);
}

/* hole_waits: whether the log's hole may still be mended.  The end may have the time of a clock that is ahead. */
static bool hole_waits(struct follow *f)
{
	int64_t now_us = clock_mono_us();

	if (f->holed_us == 0)
		f->holed_us = now_us;
	return clock_wall_ms() - f->read.completed_ms < HOLE_MS &&
	       now_us - f->holed_us < (int64_t)HOLE_MS * 1000;
}

static void turn_page(struct follow *f)
{
	/* Whoever asks for the events from the first one on is content with those of the answer. */
	bool       first = f->o.cursor.seq == 0 && f->seq == 0;
	bool       lost = f->read.holed && follow_run_ended(f);
	struct err e;

	f->rest = STR_NONE;
	f->next_piece = 0;
	if (f->o.own_only && !f->reader.encoder && !family_has(f->o.family, f->read.shape)) {
		err_set(&e, ERR_NOT_FOUND, "", "there is no such response");
		follow_fail(f, &e);
	} else if (lost && hole_waits(f)) {
		f->state = WAITING;
		timer_start(f->o.loop, &f->again, HOLE_US);
	} else if (lost ? !first : f->read.swept && !(f->o.own_only && first)) {
		err_set(&e, ERR_GONE, "", "the events of this run are not kept any more");
		follow_fail(f, &e);
	} else {
		take_page(f);
	}
}

static void on_rest(struct task *t)
{
	struct follow *f = container_of(t, struct follow, task);

	f->reading = false;
	if (f->left)
		dispose_follow(f);
	else
		take_page(f);
}

static void on_rest_printed(struct work_job *job)
{
	struct follow *f = container_of(job, struct follow, rest_job);
	struct err     e;

	f->reading = false;
	if (f->left) {
		dispose_follow(f);
	} else if (!f->rest_printed || !reader_join_rest(&f->reader)) {
		err_set(&e, ERR_OVERLOADED, "", "no memory for the events");
		follow_fail(f, &e);
	} else {
		take_page(f);
	}
}

static void follow_on_read(struct store_job *job)
{
	struct follow *f = container_of(job, struct follow, read.job);

	f->reading = false;
	if (f->left) {
		dispose_follow(f);
		return;
	}
	if (job->err.code != ERR_OK) {
		struct err e = job->err;

		follow_fail(f, &e);
		return;
	}
	turn_page(f);
}

/* turn_tape: reads the next page of the tape into f->read, in the form of a read of the store. */
static bool turn_tape(struct follow *f)
{
	struct tape_state now;

	buf_clear(&f->page);
	buf_clear(&f->page_error);
	if (!tape_read(f->o.tape, &f->reader.place, PAGE_BYTES, &f->page, &f->page_error, &now))
		return false;
	f->piece.data = buf_view(&f->page);
	f->read.pieces = &f->piece;
	f->read.piece_count = f->page.len > 0 ? 1 : 0;
	f->read.has_more = now.has_more;
	f->read.swept = now.full;
	f->read.status = now.status;
	f->read.last_seq = now.last_seq;
	f->read.error = buf_view(&f->page_error);
	f->read.model = f->o.model;
	f->read.settings = f->o.settings;
	f->read.created_ms = f->o.created_ms;
	return true;
}

/* on_tape: takes one page in each turn of the loop, because a long tape has many pages. */
static void on_tape(struct task *t)
{
	struct follow *f = container_of(t, struct follow, task);
	struct err     e;

	f->reading = false;
	if (f->left) {
		dispose_follow(f);
		return;
	}
	if (turn_tape(f)) {
		turn_page(f);
		return;
	}
	err_set(&e, ERR_OVERLOADED, "", "no memory for the events");
	follow_fail(f, &e);
}

static bool read_store(struct follow *f)
{
	arena_finish(&f->read.arena);
	arena_init(&f->read.arena, LIMIT_ARENA); /* one piece or answer may be larger than a page */
	f->read = (struct events_read){
		.job = { .loop = f->o.loop, .done = follow_on_read },
		.owner = f->o.owner,
		.run = f->o.run,
		.after = f->seq,
		.page_bytes = PAGE_BYTES,
		.arena = f->read.arena,
	};
	return store_events_read(f->o.store, &f->read);
}

static void on_again(struct timer *t)
{
	struct follow *f = container_of(t, struct follow, again);

	if (f->state != FULL) /* or it reads when there is room */
		read_more(f);
}

static void read_more(struct follow *f)
{
	struct err e;

	timer_stop(f->o.loop, &f->again);
	f->state = READING;
	f->news = false;
	f->reading = true;
	if (f->o.tape) {
		f->task.fn = on_tape;
		loop_later(f->o.loop, &f->task);
		return;
	}
	if (read_store(f))
		return;
	f->reading = false;
	if (f->opened) { /* all followers of a run read at once, and the queue is short */
		timer_start(f->o.loop, &f->again, AGAIN_US);
		return;
	}
	err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
	follow_fail(f, &e);
}

static void on_news(struct watch_run *w)
{
	struct follow *f = container_of(w, struct follow, watch);

	f->news = true;
	if (f->state == WAITING)
		go_on(f);
}

static void follow_begin(struct task *t)
{
	struct follow *f = container_of(t, struct follow, task);

	f->reading = false;
	if (f->left) {
		destroy_follow(f);
		return;
	}
	/* The watch begins before the first read, so no event between the two is missed. */
	f->watching = true;
	watch_start(&f->watch);
	read_more(f);
}

/* --- the reader --- */

struct follow *follow_start(const struct follow_options *o)
{
	struct follow *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->o = *o;
	f->state = READING;
	f->fences = true;
	f->reading = true; /* until follow_begin has run */
	warnings_init(&f->warnings);
	buf_init(&f->page, LIMIT_TAPE);
	buf_init(&f->page_error, 4 * KIB);
	reader_init(&f->reader, reader_max(o->family), false);
	f->to = &f->reader.out;
	arena_init(&f->read.arena, MIB);
	f->watch = (struct watch_run){
		.loop = o->loop, .run = o->run, .fn = on_news, .gone = watch_gone
	};
	f->task.fn = follow_begin;
	f->again.fn = on_again;
	loop_later(o->loop, &f->task);
	return f;
}

void follow_leave(struct follow *f)
{
	f->left = true;
	if (!f->reading)
		dispose_follow(f);
	else if (f->watching)
		atomic_store_explicit(&f->read.job.cancelled, true, memory_order_relaxed);
}

struct str follow_ready(struct follow *f, bool *ret_last)
{
	*ret_last = f->last;
	return reader_ready(&f->reader);
}

bool follow_broken(const struct follow *f, bool abort)
{
	return f->cut || (abort && f->read.status != RUN_COMPLETED);
}

void follow_taken(struct follow *f, size_t n)
{
	reader_taken(&f->reader, n);
	if (f->state != FULL || reader_waiting(&f->reader) >= LIMIT_FEED_LOW)
		return;
	if (page_over(f)) {
		read_more(f);
		return;
	}
	print_rest(f);
}
