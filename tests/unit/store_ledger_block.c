/* Blocks of the ledger: rows come back as they went in, and what is cut or damaged is noticed. */
#include "store/ledger_block.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW_MS ((int64_t)1764000000000)

enum { ROWS = 4, SIZE = 8 * KIB };

static struct ledger_hour hour_of(const char *key, const char *model, const char *provider)
{
	struct ledger_hour h = { 0 };

	str_copy(h.key, sizeof h.key, str_of(key));
	str_copy(h.model, sizeof h.model, str_of(model));
	str_copy(h.provider, sizeof h.provider, str_of(provider));
	return h;
}

/* Rows with everything, with nothing, with negative delays and with the largest numbers. */
static void rows_make(struct call_row rows[ROWS])
{
	int64_t key = id_key_at(NOW_MS);

	rows[0] = (struct call_row){
		.id = { key + 1, 0xfedcba9876543210u },
		.owner = 7,
		.created_ms = NOW_MS + 3,
		.duration_us = 1234567,
		.first_us = 45678,
		.key = STR("key_1"),
		.model = STR("fast"),
		.label = STR("tiny"),
		.provider = STR("acme"),
		.provider_key = 16,
		.family = STR("chat"),
		.error = STR("upstream_error"),
		.finish_reason = STR("stop"),
		.outcome = CALL_FAILED,
		.status = RUN_FAILED,
		.http = 502,
		.stored = true,
		.stream = true,
		.costs = true,
		.cost_nano = 987654321,
		.attempts = 3,
		.weight = 1,
		.usage = { .known = true,
			   .in = 1,
			   .out = 2,
			   .cached_read = 3,
			   .cached_write = 4,
			   .reasoning = 5 },
	};
	rows[1] = (struct call_row){ .id = { key + 2, 1 },
				     .owner = CALL_OWNER_NOBODY,
				     .created_ms = NOW_MS - 90000,
				     .outcome = CALL_REFUSED,
				     .status = RUN_FAILED,
				     .weight = 4096,
				     .cache = CALL_CACHE_MISS };
	rows[2] = (struct call_row){ .id = { key + 3, UINT64_MAX },
				     .owner = INT64_MAX,
				     .created_ms = NOW_MS,
				     .duration_us = INT64_MAX,
				     .model = STR("tiny"),
				     .label = STR("tiny"),
				     .key = STR("key_1"),
				     .provider = STR("acme"),
				     .status = RUN_COMPLETED,
				     .http = 200,
				     .costs = true,
				     .cost_nano = INT64_MAX,
				     .attempts = INT64_MAX,
				     .weight = INT64_MAX,
				     .usage = { .estimated = true, .in = INT64_MAX } };
	rows[3] = rows[0];
	rows[3].id.key = key + 4;
	rows[3].outcome = CALL_CLIENT_LEFT;
	rows[3].status = RUN_CANCELLED;
	rows[3].cache = CALL_CACHE_JOINED;
	rows[3].cached_from = (struct id){ key + 2, UINT64_MAX - 1 };
}

/* block_make: false: no memory. */
static bool block_make(struct buf *whole, const struct call_row *rows, size_t count)
{
	struct ledger_hour hours[] = { hour_of("key_1", "tiny", "acme"), hour_of("", "", "") };
	struct buf         names, all;
	char               packed[LEDGER_ROW_MOST];

	buf_init(&names, SIZE);
	buf_init(&all, SIZE);
	bool ok = ledger_names_put(&names, &hours[0]);
	hours[1].place = (uint32_t)names.len;
	ok = ok && ledger_names_put(&names, &hours[1]);
	for (size_t i = 0; ok && i < count; i++)
		ok = ledger_row_head(&all, rows[i].id, rows[i].owner,
				     hours[rows[i].key.n == 0].place) &&
		     buf_add(&all, packed, ledger_row_put(&rows[i], packed));
	ok = ok && ledger_block_put(whole, buf_view(&names), buf_view(&all));
	buf_finish(&names);
	buf_finish(&all);
	return ok;
}

static bool same_usage(const struct usage *a, const struct usage *b)
{
	return a->known == b->known && a->estimated == b->estimated && a->in == b->in &&
	       a->out == b->out && a->cached_read == b->cached_read &&
	       a->cached_write == b->cached_write && a->reasoning == b->reasoning;
}

static bool same_row(const struct call_row *a, const struct call_row *b)
{
	return a->id.key == b->id.key && a->id.secret == b->id.secret && a->owner == b->owner &&
	       a->created_ms == b->created_ms && a->duration_us == b->duration_us &&
	       a->first_us == b->first_us && str_eq(a->key, b->key) && str_eq(a->model, b->model) &&
	       str_eq(a->label, b->label) && str_eq(a->provider, b->provider) &&
	       str_eq(a->family, b->family) && str_eq(a->error, b->error) &&
	       str_eq(a->finish_reason, b->finish_reason) && a->outcome == b->outcome &&
	       a->status == b->status && a->http == b->http && a->stored == b->stored &&
	       a->stream == b->stream && a->costs == b->costs && a->cost_nano == b->cost_nano &&
	       a->attempts == b->attempts && a->provider_key == b->provider_key &&
	       a->weight == b->weight && a->cache == b->cache &&
	       a->cached_from.key == b->cached_from.key &&
	       a->cached_from.secret == b->cached_from.secret && same_usage(&a->usage, &b->usage);
}

static void rows_come_back(void **state)
{
	(void)state;
	struct call_row    rows[ROWS];
	struct call_row    got;
	struct ledger_walk w;
	struct buf         whole;
	size_t             same = 0;

	rows_make(rows);
	buf_init(&whole, SIZE);
	bool   ok = block_make(&whole, rows, ROWS) && ledger_walk_begin(&w, buf_view(&whole));
	size_t count = 0;
	for (; ok && ledger_walk_next(&w, &got); count++)
		same += count < ROWS && same_row(&got, &rows[count]);
	bool damaged = ok && w.damaged;
	buf_finish(&whole);
	assert_true(ok);
	assert_false(damaged);
	assert_int_equal(count, ROWS);
	assert_int_equal(same, ROWS);
}

static void long_texts_are_cut(void **state)
{
	(void)state;
	struct call_row rows[ROWS];
	char            packed[LEDGER_ROW_MOST];
	char            text[4 * KIB];
	struct str      many = { text, sizeof text };

	memset(text, 'x', sizeof text);
	rows_make(rows);
	rows[2].family = rows[2].error = rows[2].finish_reason = rows[2].model = many;
	rows[2].first_us = INT64_MAX;
	rows[2].created_ms = INT64_MAX / 2;
	rows[2].http = INT32_MAX;
	rows[2].usage = (struct usage){ .known = true,
					.in = INT64_MAX,
					.out = INT64_MAX,
					.cached_read = INT64_MAX,
					.cached_write = INT64_MAX,
					.reasoning = INT64_MAX };
	assert_true(ledger_row_put(&rows[2], packed) <= sizeof packed);
}

/* walk: the rows that are read; *ret_damaged: whether the reader has noticed a fault. */
static size_t walk(const char *bytes, size_t n, bool *ret_damaged)
{
	/* A copy of its own lets the sanitizer see a byte read too far. */
	char *copy = malloc(n + 1);
	if (!copy)
		return 0;
	memcpy(copy, bytes, n);
	char *exact = realloc(copy, n > 0 ? n : 1);
	if (!exact)
		exact = copy;

	struct ledger_walk w;
	struct call_row    got;
	size_t             count = 0;
	uint64_t           sum = 0;

	*ret_damaged = !ledger_walk_begin(&w, (struct str){ exact, n });
	while (!*ret_damaged && ledger_walk_next(&w, &got)) {
		const struct str texts[] = { got.key,    got.model, got.label,        got.provider,
					     got.family, got.error, got.finish_reason };
		for (size_t i = 0; i < ARRAY_LEN(texts); i++)
			for (size_t c = 0; c < texts[i].n; c++)
				sum += (unsigned char)texts[i].p[c];
		assert_true(got.outcome < CALL_OUTCOME__COUNT && got.status < RUN_STATUS__COUNT);
		count++;
	}
	*ret_damaged |= w.damaged;
	free(exact);
	return sum == UINT64_MAX ? 0 : count;
}

static void a_block_that_is_cut_anywhere_is_noticed(void **state)
{
	(void)state;
	struct call_row rows[ROWS];
	struct buf      whole, parts[ROWS + 1];
	size_t          silent = 0, more = 0;

	rows_make(rows);
	buf_init(&whole, SIZE);
	bool ok = block_make(&whole, rows, ROWS);
	for (size_t i = 0; i <= ROWS; i++) {
		buf_init(&parts[i], SIZE);
		ok = ok && block_make(&parts[i], rows, i);
	}
	for (size_t n = 0; ok && n < whole.len; n++) {
		bool   damaged, edge = false;
		size_t count = walk(whole.data, n, &damaged);

		/* Between two rows, a cut leaves a block with fewer of them. */
		for (size_t i = 0; i < ROWS; i++)
			edge |= n == parts[i].len;
		silent += damaged == edge;
		more += count >= ROWS;
	}
	for (size_t i = 0; i <= ROWS; i++)
		buf_finish(&parts[i]);
	buf_finish(&whole);
	assert_true(ok);
	assert_int_equal(silent, 0);
	assert_int_equal(more, 0);
}

static void a_damaged_byte_reads_nothing_outside(void **state)
{
	(void)state;
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct call_row            rows[ROWS];
	struct buf                 whole;
	bool                       damaged;

	rows_make(rows);
	buf_init(&whole, SIZE);
	bool ok = block_make(&whole, rows, ROWS);
	for (size_t at = 0; ok && at < whole.len; at++) {
		char was = whole.data[at];

		for (size_t i = 0; i < ARRAY_LEN(values); i++) {
			whole.data[at] = (char)values[i];
			(void)walk(whole.data, whole.len, &damaged);
		}
		whole.data[at] = was;
	}
	buf_finish(&whole);
	assert_true(ok);
}

static void strange_blocks_are_refused(void **state)
{
	(void)state;
	const struct {
		const char *why;
		struct str  data;
	} cases[] = {
		{ "nothing", STR("") },
		{ "a version without names", STR("\x01") },
		{ "another version", STR("\x02\x00") },
		{ "names longer than the block", STR("\x01\x05"
						     "abc") },
		{ "a length without an end",
		  STR("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
		{ "a length beyond all", STR("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ "half a row", STR("\x01\x03\x00\x00\x00"
				    "abc") },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool damaged;
		if (walk(cases[i].data.p, cases[i].data.n, &damaged) != 0 || !damaged)
			fail_msg("%s", cases[i].why);
	}
}

static void a_block_has_the_bits_of_what_is_looked_for(void **state)
{
	(void)state;
	struct call_row    rows[ROWS];
	struct ledger_hour names = hour_of("key_1", "tiny", "acme");

	rows_make(rows);
	int64_t bits = ledger_bits(&rows[0]) | ledger_bits_names(&names);
	assert_true(bits > 0);
	const int64_t wanted[] = {
		ledger_bit(LEDGER_WORD_KEY, STR("key_1")),
		ledger_bit(LEDGER_WORD_MODEL, STR("tiny")),
		ledger_bit(LEDGER_WORD_MODEL, STR("fast")),
		ledger_bit(LEDGER_WORD_PROVIDER, STR("acme")),
		ledger_bit(LEDGER_WORD_ERROR, STR("upstream_error")),
		ledger_bit_owner(7),
		ledger_bit_outcome(CALL_FAILED),
	};
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		assert_int_equal(bits & wanted[i], wanted[i]);
	assert_int_equal(bits & ledger_bit_unstored(), 0);
	assert_int_equal(bits & ledger_bit_outcome(CALL_COMPLETED), 0);
	assert_int_equal(ledger_bits(&rows[1]) & ledger_bit_unstored(), ledger_bit_unstored());
	for (int64_t owner = -1; owner < 1000; owner++)
		assert_true(ledger_bit_owner(owner) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(a_block_that_is_cut_anywhere_is_noticed),
		cmocka_unit_test(a_damaged_byte_reads_nothing_outside),
		cmocka_unit_test(strange_blocks_are_refused),
		cmocka_unit_test(a_block_has_the_bits_of_what_is_looked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
