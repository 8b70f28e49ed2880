/* The ledger in memory: which calls get a row, what the sums count, and what a flush hands over. */
#include "store/ledger.h"

#include "base/buf.h"
#include "base/metric.h"
#include "store/ledger_block.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A whole minute. */
#define NOW_MS ((int64_t)1764000000000)

enum { BLOCKS = 16, RATE = 80 };

static int firsts;

static void first(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&firsts, 1, __ATOMIC_RELAXED);
}

static struct ledger *made(int64_t rate)
{
	struct ledger *l = ledger_create(rate, first, NULL);

	assert_non_null(l);
	firsts = 0;
	return l;
}

static struct call_row call_at(int64_t ms, int64_t nth, enum call_outcome o)
{
	return (struct call_row){ .id = { id_key_at(ms) + nth, 1 },
				  .owner = 1,
				  .created_ms = ms,
				  .duration_us = 1000,
				  .key = STR("key_1"),
				  .model = STR("tiny"),
				  .label = STR("tiny"),
				  .provider = STR("acme"),
				  .family = STR("chat"),
				  .status = o == CALL_COMPLETED ? RUN_COMPLETED : RUN_FAILED,
				  .outcome = o,
				  .http = 200,
				  .attempts = 1,
				  .costs = true,
				  .cost_nano = 10,
				  .usage = { .known = true, .in = 3, .out = 2 } };
}

static void add(struct ledger *l, int64_t ms, int64_t count, enum call_outcome o)
{
	for (int64_t i = 0; i < count; i++) {
		struct call_row c = call_at(ms, i, o);
		ledger_add(l, &c);
	}
}

/* The sums and rows that a flush has handed over. */
struct seen {
	size_t             blocks, hours;
	int64_t            rows, weights[CALL_OUTCOME__COUNT], weight_most;
	int64_t            minutes[BLOCKS], counts[BLOCKS];
	struct ledger_sums sums[CALLS_BY_EACH + 1];
	uint64_t           durations[CALLS_BY_EACH + 1];
	int64_t            others; /* calls that count for them, by each name */
	uint64_t           seq;
	bool               wrong;
	size_t             fail_at; /* the block that can't be written, from 1 on; 0: none */
};

static void see_row(struct seen *s, const struct ledger_block *b, const struct call_row *c)
{
	s->rows++;
	s->weights[c->outcome] += c->weight;
	s->weight_most = c->weight > s->weight_most ? c->weight : s->weight_most;
	s->wrong |= c->id.key < b->low || c->id.key > b->high ||
		    ledger_minute(c->id.key) != ledger_minute(b->high) ||
		    (ledger_bits(c) & ~b->bits) != 0;
}

static int see_block(void *arg, const struct ledger_block *b)
{
	struct seen       *s = arg;
	struct ledger_walk w;
	struct call_row    c;
	int64_t            rows = 0;

	if (s->fail_at == s->blocks + 1)
		return -7;
	s->wrong |= !ledger_walk_begin(&w, b->data);
	for (; !s->wrong && ledger_walk_next(&w, &c); rows++)
		see_row(s, b, &c);
	s->wrong |= w.damaged || rows != b->rows;
	if (s->blocks < BLOCKS) {
		s->minutes[s->blocks] = ledger_minute(b->high);
		s->counts[s->blocks] = b->rows;
	}
	s->blocks++;
	return 0;
}

static int see_hour(void *arg, const struct ledger_hour *h)
{
	struct seen *s = arg;

	s->hours++;
	ledger_sums_add(&s->sums[h->by], &h->sums);
	for (size_t i = 0; i < LEDGER_BUCKETS; i++)
		s->durations[h->by] += h->durations.counts[i];
	if (h->by == CALLS_BY_EACH && str_is(STR(LEDGER_OTHERS), h->key))
		s->others += h->sums.calls;
	/* Whoever counts by one name has no other. */
	if (h->by != CALLS_BY_EACH)
		s->wrong |= strlen(h->key) + strlen(h->model) + strlen(h->provider) !=
			    strlen(ledger_hour_name(h));
	return 0;
}

static int flush_to(struct ledger *l, struct seen *s)
{
	struct ledger_sink sink = { see_block, see_hour, s };

	return ledger_flush(l, &sink, &s->seq);
}

static struct seen flush(struct ledger *l)
{
	struct seen s = { 0 };

	assert_int_equal(flush_to(l, &s), 0);
	assert_false(s.wrong);
	ledger_done(l, true);
	for (int by = 0; by < CALLS_BY_EACH; by++) {
		assert_memory_equal(&s.sums[by], &s.sums[CALLS_BY_EACH], sizeof s.sums[by]);
		assert_int_equal(s.durations[by], s.durations[CALLS_BY_EACH]);
	}
	return s;
}

static int64_t dropped(void)
{
	struct buf text;

	buf_init(&text, MIB);
	bool        ok = metric_print(&text, false) && buf_add(&text, "", 1);
	const char *at = ok ? strstr(text.data, "\nparley_calls_dropped_total ") : NULL;
	int64_t     n = at ? strtoll(strchr(at, ' '), NULL, 10) : 0;
	buf_finish(&text);
	return n;
}

static void every_call_has_a_row_up_to_the_rate(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);

	assert_false(ledger_any(l));
	for (int64_t second = 0; second < 3; second++)
		add(l, NOW_MS + 1000 * second, RATE, CALL_COMPLETED);
	assert_true(ledger_any(l));
	assert_int_equal(firsts, 1);
	struct seen s = flush(l);
	assert_int_equal(s.rows, (int64_t)3 * RATE);
	assert_int_equal(s.weights[CALL_COMPLETED], (int64_t)3 * RATE);
	assert_int_equal(s.weight_most, 1);
	assert_int_equal(s.sums[0].calls, (int64_t)3 * RATE);
	assert_int_equal(s.sums[0].outcomes[CALL_COMPLETED], (int64_t)3 * RATE);
	assert_int_equal(s.sums[0].tokens_in, (int64_t)9 * RATE);
	assert_int_equal(s.sums[0].nano, (int64_t)30 * RATE);
	assert_false(ledger_any(l));
	ledger_destroy(l);
}

static void of_a_flood_a_sample_has_rows_whose_weights_are_all_calls(void **state)
{
	(void)state;
	static const int64_t floods[] = { RATE + 1, 500, 10000, 300000 };

	for (size_t i = 0; i < ARRAY_LEN(floods); i++) {
		struct ledger *l = made(RATE);

		add(l, NOW_MS, floods[i], CALL_COMPLETED);
		/* The next second's first row stands for the calls since the last one, too. */
		add(l, NOW_MS + 1000, 1, CALL_COMPLETED);
		struct seen s = flush(l);
		assert_int_equal(s.weights[CALL_COMPLETED], floods[i] + 1);
		assert_int_equal(s.sums[0].calls, floods[i] + 1);
		assert_int_equal(s.durations[0], floods[i] + 1);
		assert_true(s.rows <= (int64_t)3 * RATE);
		assert_true(s.rows >= RATE + 1);
		ledger_destroy(l);
	}
}

static void a_flood_of_refusals_takes_no_rows_of_others(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);

	add(l, NOW_MS, 100000, CALL_REFUSED);
	add(l, NOW_MS, RATE, CALL_COMPLETED);
	add(l, NOW_MS, RATE / 2, CALL_FAILED);
	add(l, NOW_MS, RATE / 4, CALL_CANCELLED);
	add(l, NOW_MS, RATE / 4, CALL_CLIENT_LEFT);
	struct seen s = flush(l);
	assert_int_equal(s.weights[CALL_COMPLETED], RATE);
	assert_int_equal(s.weights[CALL_FAILED], RATE / 2);
	assert_int_equal(s.weights[CALL_CANCELLED] + s.weights[CALL_CLIENT_LEFT], RATE / 2);
	assert_true(s.rows <= (int64_t)5 * RATE);
	assert_int_equal(s.sums[0].outcomes[CALL_REFUSED], 100000);
	assert_int_equal(s.sums[0].outcomes[CALL_COMPLETED], RATE);
	/* How long refusals took says nothing. */
	assert_int_equal(s.durations[0], 2 * RATE);
	ledger_destroy(l);
}

static void a_full_buffer_drops_rows_and_counts_them(void **state)
{
	(void)state;
	struct ledger *l = made(INT32_MAX);
	int64_t        before = dropped();

	add(l, NOW_MS, LIMIT_LEDGER_ROWS + 100, CALL_COMPLETED);
	assert_int_equal(dropped() - before, 100);
	struct seen s = flush(l);
	assert_int_equal(s.rows, LIMIT_LEDGER_ROWS);
	assert_int_equal(s.sums[0].calls, LIMIT_LEDGER_ROWS + 100);
	add(l, NOW_MS, 1, CALL_COMPLETED);
	assert_int_equal(flush(l).rows, 1);
	ledger_destroy(l);
}

static void long_rows_are_dropped_when_the_bytes_are_full(void **state)
{
	(void)state;
	struct ledger *l = made(INT32_MAX);
	int64_t        before = dropped();
	char           text[LIMIT_MODEL];

	memset(text, 'm', sizeof text);
	for (int64_t i = 0; i < LIMIT_LEDGER_ROWS; i++) {
		struct call_row c = call_at(NOW_MS, i, CALL_COMPLETED);
		c.model = (struct str){ text, sizeof text };
		ledger_add(l, &c);
	}
	struct seen s = flush(l);
	assert_true(s.rows < LIMIT_LEDGER_ROWS);
	assert_int_equal(s.rows + dropped() - before, LIMIT_LEDGER_ROWS);
	assert_int_equal(s.sums[0].calls, LIMIT_LEDGER_ROWS);
	ledger_destroy(l);
}

static void a_block_has_the_rows_of_one_minute(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);

	/* Calls that end in one second were begun in many minutes. */
	for (int64_t i = 0; i < 12; i++) {
		struct call_row c = call_at(NOW_MS + i % 4 * 60000 + i, 0, CALL_COMPLETED);
		ledger_add(l, &c);
	}
	struct seen s = flush(l);
	assert_int_equal(s.blocks, 4);
	for (int64_t i = 0; i < 4; i++) {
		assert_int_equal(s.minutes[i], NOW_MS / LEDGER_MINUTE_MS + i);
		assert_int_equal(s.counts[i], 3);
	}
	ledger_destroy(l);
}

static void what_was_not_written_comes_again(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);
	struct seen    failed = { .fail_at = 2 };

	add(l, NOW_MS, 5, CALL_COMPLETED);
	add(l, NOW_MS + 60000, 5, CALL_COMPLETED);
	assert_int_equal(flush_to(l, &failed), -7);
	ledger_done(l, false);
	assert_true(ledger_any(l));
	/* Meanwhile others come; they are of the next flush. */
	add(l, NOW_MS + 120000, 7, CALL_COMPLETED);
	struct seen again = flush(l);
	assert_int_equal(again.seq, failed.seq);
	assert_int_equal(again.rows, 10);
	assert_int_equal(again.blocks, 2);
	assert_int_equal(again.sums[0].calls, 10);
	struct seen next = flush(l);
	assert_int_equal(next.seq, failed.seq + 1);
	assert_int_equal(next.rows, 7);
	assert_int_equal(next.blocks, 1);
	assert_false(ledger_any(l));
	ledger_destroy(l);
}

static void too_many_names_are_counted_together(void **state)
{
	(void)state;
	struct ledger *l = made(INT32_MAX);
	enum { MANY = LIMIT_LEDGER_HOURS + 500 };

	for (int64_t i = 0; i < MANY; i++) {
		char            key[IDENTITY_ID_MAX];
		struct call_row c = call_at(NOW_MS, i, CALL_COMPLETED);
		int             n = snprintf(key, sizeof key, "key_%d", (int)i);

		c.key = (struct str){ key, (size_t)n };
		ledger_add(l, &c);
	}
	struct seen s = flush(l);
	assert_int_equal(s.sums[0].calls, MANY);
	assert_int_equal(s.others, MANY - (LIMIT_LEDGER_HOURS - LIMIT_LEDGER_SPARE));
	ledger_destroy(l);
}

/* Calls of more hours than the others have room for are in the totals nevertheless. */
static void too_many_names_of_too_many_hours_are_counted(void **state)
{
	(void)state;
	enum { MANY = LIMIT_LEDGER_HOURS - LIMIT_LEDGER_SPARE, HOURS = 2 * LIMIT_LEDGER_SPARE };
	struct ledger *l = made(INT32_MAX);
	int64_t        before = dropped();

	for (int64_t i = 0; i < MANY + HOURS; i++) {
		char            key[IDENTITY_ID_MAX];
		int64_t         ms = NOW_MS - (i < MANY ? 0 : (i - MANY) * LEDGER_HOUR_MS);
		struct call_row c = call_at(ms, i, CALL_COMPLETED);
		int             n = snprintf(key, sizeof key, "key_%d", (int)i);

		c.key = (struct str){ key, (size_t)n };
		ledger_add(l, &c);
	}
	struct seen s = flush(l);
	assert_int_equal(s.sums[0].calls, MANY + HOURS);
	assert_int_equal(s.rows, MANY + HOURS);
	assert_int_equal(s.others, HOURS);
	assert_int_equal(dropped(), before);
	ledger_destroy(l);
}

/* A row that counts for the others tells the model that was asked for. */
static int see_model(void *arg, const struct ledger_block *b)
{
	struct ledger_walk w;
	struct call_row    c;

	assert_true(ledger_walk_begin(&w, b->data));
	while (ledger_walk_next(&w, &c)) {
		assert_true(str_eq(c.model, STR("tiny")));
		*(size_t *)arg += str_eq(c.label, STR(LEDGER_OTHERS));
	}
	return 0;
}

static int pass_hour(void *arg, const struct ledger_hour *h)
{
	(void)arg;
	(void)h;
	return 0;
}

static void rows_of_the_others_keep_their_models(void **state)
{
	(void)state;
	struct ledger     *l = made(INT32_MAX);
	size_t             others = 0;
	struct ledger_sink sink = { see_model, pass_hour, &others };
	uint64_t           seq;

	for (int64_t i = 0; i < LIMIT_LEDGER_HOURS; i++) {
		char            key[IDENTITY_ID_MAX];
		struct call_row c = call_at(NOW_MS, i, CALL_COMPLETED);
		int             n = snprintf(key, sizeof key, "key_%d", (int)i);

		c.key = (struct str){ key, (size_t)n };
		ledger_add(l, &c);
	}
	assert_int_equal(ledger_flush(l, &sink, &seq), 0);
	assert_int_equal(others, LIMIT_LEDGER_SPARE);
	ledger_destroy(l);
}

/* Names that are longer than all rows may be go to further blocks; a flush that failed would come again forever. */
static void long_names_of_one_minute_are_written(void **state)
{
	(void)state;
	enum { MANY = LIMIT_LEDGER_HOURS - LIMIT_LEDGER_SPARE };
	struct ledger *l = made(INT32_MAX);
	int64_t        before = dropped();

	for (int64_t i = 0; i < MANY; i++) {
		char            model[LIMIT_MODEL + 1];
		struct call_row c = call_at(NOW_MS, i, CALL_COMPLETED);

		snprintf(model, sizeof model, "%0*d", LIMIT_MODEL, (int)i);
		c.model = c.label = (struct str){ model, LIMIT_MODEL };
		ledger_add(l, &c);
	}
	struct seen s = flush(l);
	assert_int_equal(s.rows, MANY);
	assert_int_equal(s.weights[CALL_COMPLETED], MANY);
	assert_true(s.blocks > 1);
	assert_int_equal(dropped(), before);
	assert_false(ledger_any(l));
	ledger_destroy(l);
}

static void hours_stand_for_themselves(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);

	add(l, NOW_MS, 3, CALL_COMPLETED);
	add(l, NOW_MS + LEDGER_HOUR_MS, 4, CALL_COMPLETED);
	struct seen s = flush(l);
	assert_int_equal(s.hours,
			 10); /* by each name, by three of them alone, and by none; twice */
	assert_int_equal(s.sums[0].calls, 7);
	ledger_destroy(l);
}

enum { THREADS = 3, EACH = 4000 };

static void *add_much(void *arg)
{
	for (int64_t i = 0; i < EACH; i++)
		add(arg, NOW_MS + i, 1, CALL_COMPLETED);
	return NULL;
}

static void many_add_while_one_writes(void **state)
{
	(void)state;
	struct ledger *l = made(RATE);
	pthread_t      threads[THREADS];
	int64_t        before = dropped();
	int64_t        calls = 0;
	int64_t        rows = 0;

	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_much, l), 0);
	for (int i = 0; i < 50; i++) {
		struct seen s = flush(l);
		calls += s.sums[0].calls;
		rows += s.rows;
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	struct seen s = flush(l);
	assert_int_equal(calls + s.sums[0].calls, THREADS * EACH);
	assert_true(rows + s.rows > 0);
	assert_int_equal(dropped(), before);
	ledger_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_has_a_row_up_to_the_rate),
		cmocka_unit_test(of_a_flood_a_sample_has_rows_whose_weights_are_all_calls),
		cmocka_unit_test(a_flood_of_refusals_takes_no_rows_of_others),
		cmocka_unit_test(a_full_buffer_drops_rows_and_counts_them),
		cmocka_unit_test(long_rows_are_dropped_when_the_bytes_are_full),
		cmocka_unit_test(a_block_has_the_rows_of_one_minute),
		cmocka_unit_test(what_was_not_written_comes_again),
		cmocka_unit_test(too_many_names_are_counted_together),
		cmocka_unit_test(too_many_names_of_too_many_hours_are_counted),
		cmocka_unit_test(rows_of_the_others_keep_their_models),
		cmocka_unit_test(long_names_of_one_minute_are_written),
		cmocka_unit_test(hours_stand_for_themselves),
		cmocka_unit_test(many_add_while_one_writes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
