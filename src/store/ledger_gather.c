/* The ledger in memory: one side gathers while the other one is written. */
#include "store/ledger.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/metric.h"
#include "base/money.h"
#include "msg/price.h"
#include "store/ledger_block.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	BUCKETS = 1024,
	BLOCK_BYTES = 256 * KIB, /* a block that has as many takes no further row */
	SUMS = CALLS_BY_EACH,    /* kinds of sums; each call is in one of each kind */
};

/* A row that waits; its bytes are in the side's. */
struct waiting {
	struct id           id;
	int64_t             owner;
	struct ledger_hour *names;
	int64_t             bits;
	uint32_t            at, length;
};

/* Rows and sums that were gathered.  Pages of these arrays that no call has reached take no memory. */
struct side {
	struct waiting     *rows;  /* owned, as the next two; LIMIT_LEDGER_ROWS */
	struct ledger_hour *hours; /* LIMIT_LEDGER_HOURS */
	char               *bytes; /* LIMIT_LEDGER_BYTES */
	size_t              row_count, hour_count, used;
	struct ledger_hour *buckets[BUCKETS]; /* chains of hours; of sums if there are any */
	struct ledger_hour *sums;             /* owned; the flush adds them up */
	size_t              sum_count;
	uint32_t            block; /* blocks made of it */
};

enum kind { KIND_GOOD, KIND_BAD, KIND_REFUSED, KIND__COUNT };

/* Which calls of one kind get a row: `rate` in each second, then every other one, every fourth one, and so
 * on.  A row stands for itself and for the calls before it without a row. */
struct sample {
	int64_t second;
	int64_t rows;  /* in this second */
	int64_t step;  /* one call of so many has a row */
	int64_t since; /* calls since the last row */
};

struct ledger {
	pthread_mutex_t lock;    /* guards `now` and the samples */
	struct side    *now;     /* owned, as the next one */
	struct side    *written; /* its block and place members are the flushing thread's */
	uint64_t        seq;     /* the number of `written` */
	int64_t         rate;
	struct sample   samples[KIND__COUNT];
	void (*first)(void *arg);
	void *arg;
};

void ledger_sums_add(struct ledger_sums *to, const struct ledger_sums *from)
{
	to->calls = money_add(to->calls, from->calls);
	for (size_t i = 0; i < CALL_OUTCOME__COUNT; i++)
		to->outcomes[i] = money_add(to->outcomes[i], from->outcomes[i]);
	to->tokens_in = money_add(to->tokens_in, from->tokens_in);
	to->tokens_out = money_add(to->tokens_out, from->tokens_out);
	to->nano = money_add(to->nano, from->nano);
}

const char *ledger_hour_name(const struct ledger_hour *h)
{
	return h->by == CALLS_BY_KEY ? h->key : h->by == CALLS_BY_MODEL ? h->model : h->provider;
}

/* --- birth and end --- */

static void side_destroy(struct side *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->hours);
	free(s->bytes);
	free(s->sums);
	free(s);
}

static struct side *side_create(void)
{
	struct side *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->rows = malloc(LIMIT_LEDGER_ROWS * sizeof *s->rows);
	s->hours = malloc(LIMIT_LEDGER_HOURS * sizeof *s->hours);
	s->bytes = malloc(LIMIT_LEDGER_BYTES);
	if (s->rows && s->hours && s->bytes)
		return s;
	side_destroy(s);
	return NULL;
}

static void side_empty(struct side *s)
{
	s->row_count = 0;
	s->hour_count = 0;
	s->used = 0;
	s->block = 0;
	free(s->sums);
	s->sums = NULL;
	s->sum_count = 0;
	memset(s->buckets, 0, sizeof s->buckets);
}

struct ledger *ledger_create(int64_t rate, void (*first)(void *arg), void *arg)
{
	struct ledger *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->rate = rate;
	l->first = first;
	l->arg = arg;
	l->now = side_create();
	l->written = side_create();
	if (l->now && l->written)
		return l;
	ledger_destroy(l);
	return NULL;
}

void ledger_destroy(struct ledger *l)
{
	if (!l)
		return;
	side_destroy(l->now);
	side_destroy(l->written);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* --- hours --- */

/* The hour and the names for which sums count. */
struct place {
	int64_t            hour;
	enum call_hours_by by;
	struct str         key, model, provider;
};

static bool ledger_same(const struct ledger_hour *h, const struct place *p)
{
	return h->hour == p->hour && h->by == p->by && str_is(p->model, h->model) &&
	       str_is(p->key, h->key) && str_is(p->provider, h->provider);
}

/* ledger_place: where the sums are, or where they are to be linked (NULL). */
static struct ledger_hour **ledger_place(struct side *s, const struct place *p)
{
	/* Providers are few, and may be in one bucket. */
	uint64_t h = mix_str(mix_byte(mix_str(MIX_BEGIN, p->model), 0xff), p->key);

	struct ledger_hour **at = &s->buckets[h % BUCKETS];
	while (*at && !ledger_same(*at, p))
		at = &(*at)->next;
	return at;
}

static struct ledger_hour *ledger_make(struct ledger_hour *x, const struct place *p)
{
	memset(x, 0, sizeof *x);
	x->hour = p->hour;
	x->by = p->by;
	str_copy(x->key, sizeof x->key, p->key);
	str_copy(x->model, sizeof x->model, p->model);
	str_copy(x->provider, sizeof x->provider, p->provider);
	return x;
}

/* ledger_find: the hour of a call, created if there is none.  Where there are too many, the call counts for the others,
 * and if these are of too many hours, for those of another hour, so that it is not missing from the totals.  Its row
 * has the names of what it counts for, and keeps the model as asked. */
static struct ledger_hour *ledger_find(struct side *s, int64_t hour, struct call_row *c)
{
	struct place         p = { hour, CALLS_BY_EACH, c->key, c->label, c->provider };
	struct ledger_hour **at = ledger_place(s, &p);

	if (!*at && s->hour_count >= LIMIT_LEDGER_HOURS - LIMIT_LEDGER_SPARE) {
		p.key = p.model = p.provider = c->label = STR(LEDGER_OTHERS);
		at = ledger_place(s, &p);
	}
	if (*at)
		return *at;
	if (s->hour_count == LIMIT_LEDGER_HOURS)
		return &s->hours[LIMIT_LEDGER_HOURS - 1];
	*at = ledger_make(&s->hours[s->hour_count++], &p);
	(*at)->bits = ledger_bits_names(*at);
	return *at;
}

static int64_t ledger_amount(int64_t v)
{
	return v < 0 ? 0 : v > PRICE_TOKENS ? PRICE_TOKENS : v;
}

static void ledger_count(struct ledger_hour *h, const struct call_row *c)
{
	struct ledger_sums one = { .calls = 1,
				   .tokens_in = ledger_amount(c->usage.in),
				   .tokens_out = ledger_amount(c->usage.out),
				   .nano = c->costs ? c->cost_nano : 0 };

	one.outcomes[c->outcome] = 1;
	ledger_sums_add(&h->sums, &one);
	/* How long a refusal took says nothing of how long calls take. */
	if (c->outcome != CALL_REFUSED)
		ledger_histogram_add(&h->durations, c->duration_us);
	if (c->first_us > 0)
		ledger_histogram_add(&h->firsts, c->first_us);
}

/* --- rows --- */

static enum kind ledger_kind(enum call_outcome o)
{
	switch (o) {
	case CALL_COMPLETED: return KIND_GOOD;
	case CALL_FAILED:
	case CALL_CANCELLED:
	case CALL_CLIENT_LEFT: return KIND_BAD;
	case CALL_REFUSED:
	case CALL_OUTCOME__COUNT: break;
	}
	return KIND_REFUSED;
}

/* sample_take: the weight of the row that the call gets; 0: it gets none. */
static int64_t sample_take(struct sample *s, int64_t rate, int64_t second)
{
	if (s->second != second) {
		s->second = second;
		s->rows = 0;
		s->step = 1;
	}
	if (++s->since < s->step)
		return 0;
	int64_t weight = s->since;
	s->since = 0;
	s->rows++;
	/* After `rate` rows, each further eighth of them halves the share. */
	if (s->rows >= rate && (s->rows - rate) % (rate / 8 + 1) == 0)
		s->step *= 2;
	return weight;
}

/* ledger_wait: false: there is no room. */
static bool ledger_wait(struct side *s, struct ledger_hour *names, const struct call_row *c)
{
	if (s->row_count == LIMIT_LEDGER_ROWS || s->used + LEDGER_ROW_MOST > LIMIT_LEDGER_BYTES)
		return false;
	size_t n = ledger_row_put(c, s->bytes + s->used);
	s->rows[s->row_count++] = (struct waiting){ .id = c->id,
						    .owner = c->owner,
						    .names = names,
						    .bits = ledger_bits(c) | names->bits,
						    .at = (uint32_t)s->used,
						    .length = (uint32_t)n };
	s->used += n;
	return true;
}

void ledger_add(struct ledger *l, struct call_row *c)
{
	int64_t second = (c->created_ms * 1000 + c->duration_us) / 1000000;
	bool    kept = true;

	pthread_mutex_lock(&l->lock);
	bool                first = l->now->hour_count == 0;
	struct ledger_hour *h = ledger_find(l->now, id_key_ms(c->id.key) / LEDGER_HOUR_MS, c);
	ledger_count(h, c);
	c->weight = sample_take(&l->samples[ledger_kind(c->outcome)], l->rate, second);
	if (c->weight > 0)
		kept = ledger_wait(l->now, h, c);
	pthread_mutex_unlock(&l->lock);
	if (!kept)
		metric_add(METRIC_CALLS_DROPPED, (const char *[]){ "", "", "" }, 1);
	if (first)
		l->first(l->arg);
}

bool ledger_any(struct ledger *l)
{
	pthread_mutex_lock(&l->lock);
	bool any = l->now->hour_count > 0 || l->written->hour_count > 0;
	pthread_mutex_unlock(&l->lock);
	return any;
}

/* --- writing --- */

/* The block that is being made. */
struct making {
	struct buf          names, rows, whole;
	struct ledger_block block;
	uint32_t            number;
};

static bool making_names(struct making *m, struct ledger_hour *h)
{
	if (h->block == m->number)
		return true;
	h->block = m->number;
	h->place = (uint32_t)m->names.len;
	return ledger_names_put(&m->names, h);
}

static bool making_add(struct making *m, const struct side *s, const struct waiting *w)
{
	struct ledger_block *b = &m->block;

	b->low = b->rows == 0 || w->id.key < b->low ? w->id.key : b->low;
	b->high = w->id.key > b->high ? w->id.key : b->high;
	b->bits |= w->bits;
	b->rows++;
	return making_names(m, w->names) &&
	       ledger_row_head(&m->rows, w->id, w->owner, w->names->place) &&
	       buf_add(&m->rows, s->bytes + w->at, w->length);
}

static void making_begin(struct making *m, struct side *s)
{
	m->names.len = 0;
	m->rows.len = 0;
	m->whole.len = 0;
	m->block = (struct ledger_block){ 0 };
	m->number = ++s->block;
}

static int making_end(struct making *m, const struct ledger_sink *sink)
{
	if (!ledger_block_put(&m->whole, buf_view(&m->names), buf_view(&m->rows)))
		return -1;
	m->block.data = buf_view(&m->whole);
	return sink->block(sink->arg, &m->block);
}

/* making_put: blocks of the rows of one minute; more than one if the rows are many, or their names long. */
static int making_put(struct making *m, struct side *s, int64_t minute,
		      const struct ledger_sink *sink)
{
	int rc = 0;

	making_begin(m, s);
	for (size_t i = 0; rc == 0 && i < s->row_count; i++) {
		if (ledger_minute(s->rows[i].id.key) != minute)
			continue;
		if (m->names.len + m->rows.len >= BLOCK_BYTES) {
			rc = making_end(m, sink);
			making_begin(m, s);
		}
		if (rc == 0 && !making_add(m, s, &s->rows[i]))
			rc = -1;
	}
	return rc == 0 ? making_end(m, sink) : rc;
}

/* minute_after: the next minute in which rows began; INT64_MAX: there is none. */
static int64_t minute_after(const struct side *s, int64_t minute)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < s->row_count; i++) {
		int64_t m = ledger_minute(s->rows[i].id.key);

		if (m > minute && m < next)
			next = m;
	}
	return next;
}

static int ledger_put_rows(struct side *s, const struct ledger_sink *sink)
{
	struct making m = { .number = 0 };
	int           rc = 0;

	buf_init(&m.names, 2 * BLOCK_BYTES);
	buf_init(&m.rows, 2 * BLOCK_BYTES);
	buf_init(&m.whole, 4 * BLOCK_BYTES);
	for (int64_t at = minute_after(s, -1); rc == 0 && at != INT64_MAX; at = minute_after(s, at))
		rc = making_put(&m, s, at, sink);
	buf_finish(&m.names);
	buf_finish(&m.rows);
	buf_finish(&m.whole);
	return rc;
}

/* ledger_add_to: adds calls to sums that are there, or begins with them. */
static void ledger_add_to(struct side *s, const struct place *p, const struct ledger_hour *h)
{
	struct ledger_hour **at = ledger_place(s, p);

	if (!*at) {
		*at = ledger_make(&s->sums[s->sum_count++], p);
		(*at)->sums = h->sums;
		(*at)->durations = h->durations;
		(*at)->firsts = h->firsts;
		return;
	}
	ledger_sums_add(&(*at)->sums, &h->sums);
	ledger_histogram_merge(&(*at)->durations, &h->durations);
	ledger_histogram_merge(&(*at)->firsts, &h->firsts);
}

/* ledger_add_up: makes the sums by key, by model, by provider and by nothing.  False: no memory. */
static bool ledger_add_up(struct side *s)
{
	if (s->sums)
		return true;
	s->sums = malloc(SUMS * s->hour_count * sizeof *s->sums);
	if (!s->sums)
		return false;
	memset(s->buckets, 0, sizeof s->buckets);
	for (size_t i = 0; i < s->hour_count; i++) {
		const struct ledger_hour *h = &s->hours[i];
		const struct place        places[SUMS] = {
			       { h->hour, CALLS_BY_NOTHING, STR(""), STR(""), STR("") },
			       { h->hour, CALLS_BY_KEY, str_of(h->key), STR(""), STR("") },
			       { h->hour, CALLS_BY_MODEL, STR(""), str_of(h->model), STR("") },
			       { h->hour, CALLS_BY_PROVIDER, STR(""), STR(""), str_of(h->provider) },
		};

		for (size_t n = 0; n < SUMS; n++)
			ledger_add_to(s, &places[n], h);
	}
	return true;
}

static int put_hours(const struct ledger_hour *hours, size_t count, const struct ledger_sink *sink)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = sink->hour(sink->arg, &hours[i]);
	return rc;
}

int ledger_flush(struct ledger *l, const struct ledger_sink *sink, uint64_t *ret_seq)
{
	pthread_mutex_lock(&l->lock);
	struct side *s = l->written;
	if (s->hour_count == 0) {
		s = l->now;
		l->now = l->written;
		l->written = s;
		l->seq++;
	}
	pthread_mutex_unlock(&l->lock);
	*ret_seq = l->seq;
	if (s->hour_count > 0 && !ledger_add_up(s))
		return -1;
	int rc = put_hours(s->hours, s->hour_count, sink);
	if (rc == 0)
		rc = put_hours(s->sums, s->sum_count, sink);
	return rc == 0 && s->row_count > 0 ? ledger_put_rows(s, sink) : rc;
}

void ledger_done(struct ledger *l, bool written)
{
	if (!written)
		return;
	pthread_mutex_lock(&l->lock);
	side_empty(l->written);
	pthread_mutex_unlock(&l->lock);
}
