/* Families of metrics and their series; printed in Prometheus' text formats. */
#include "base/metric.h"

#include "base/money.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { COUNTER, GAUGE, HISTOGRAM, FINE, STEPS, SIZES, MONEY };

static const struct {
	const char *name;
	enum kind   kind;
	const char *help;
	const char *labels[METRIC_LABELS];
} families[METRIC__COUNT] = {
#define X(id, name, kind, help, a, b, c) [METRIC_##id] = { name, kind, help, { a, b, c } },
#include "base/metric.def"
#undef X
};

/* Upper bounds of the buckets. All histograms of a kind have the same bounds, so that they can be
 * compared. */
enum { BOUNDS = 16 };
static const int64_t times[BOUNDS] = { 1000,     5000,     10000,     25000,    50000,   100000,
				       250000,   500000,   1000000,   2500000,  5000000, 10000000,
				       30000000, 60000000, 120000000, 300000000 };
static const int64_t fine_times[BOUNDS] = {
	10,   25,   50,    100,   200,   300,    500,    1000,
	2500, 5000, 10000, 25000, 50000, 100000, 500000, 2500000
};
static const int64_t step_times[BOUNDS] = { 1000,   2000,   3000,    5000,   7500,  10000,
					    15000,  20000,  30000,   50000,  75000, 100000,
					    250000, 500000, 1000000, 5000000 };
static const int64_t sizes[BOUNDS] = { 128,     1024,     2048,     4096,      8192,   16384,
				       32768,   65536,    131072,   262144,    524288, 1048576,
				       4194304, 16777216, 67108864, 1073741824 };

static bool is_histogram(enum kind kind)
{
	return kind == HISTOGRAM || kind == FINE || kind == STEPS || kind == SIZES;
}

static const int64_t *bounds_of(enum metric m)
{
	switch (families[m].kind) {
	case FINE: return fine_times;
	case STEPS: return step_times;
	case SIZES: return sizes;
	case HISTOGRAM:
	case COUNTER:
	case MONEY:
	case GAUGE: break;
	}
	return times;
}

/* Times are kept in microseconds and printed in seconds. */
static double unit_of(enum metric m)
{
	return families[m].kind == SIZES ? 1 : 1e6;
}

enum { LABEL_MAX = 72 };

struct series {
	uint32_t hash;
	uint8_t  length[METRIC_LABELS];
	char     labels[METRIC_LABELS][LABEL_MAX];
	int64_t  value; /* histograms: sum of observations */
	uint64_t count;
	uint64_t buckets[BOUNDS];
};

/* One lock guards everything. A request holds it once or twice, for some tens of nanoseconds. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct series *series[METRIC_SERIES]; /* owned, for the life of the process */
	size_t         count;
} stores[METRIC__COUNT];

/* Labels, cut at the end of a character, so that equal series have equal names. */
struct labels {
	struct str text[METRIC_LABELS];
	uint32_t   hash;
};

/* label_word: up to 8 bytes from s.p[at] on, in one number; the last ones may overlap those before
 * them. */
static inline uint64_t label_word(struct str s, size_t at)
{
	uint64_t w;
	uint32_t front;
	uint32_t back;

	if (s.n >= sizeof w) {
		memcpy(&w, s.p + (at + sizeof w <= s.n ? at : s.n - sizeof w), sizeof w);
		return w;
	}
	if (s.n >= sizeof front) {
		memcpy(&front, s.p, sizeof front);
		memcpy(&back, s.p + s.n - sizeof back, sizeof back);
		return (uint64_t)front << 32 | back;
	}
	w = 0;
	for (size_t i = 0; i < s.n; i++)
		w = w << 8 | (unsigned char)s.p[i];
	return w;
}

/* Labels come from the configuration and from the program, so nobody chooses them to collide. */
static void cut_labels(const char *const labels[METRIC_LABELS], struct labels *ret)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < METRIC_LABELS; i++) {
		size_t n = strlen(labels[i]);

		if (n >= LABEL_MAX)
			for (n = LABEL_MAX - 1; n > 0 && (labels[i][n] & 0xc0) == 0x80;)
				n--;
		ret->text[i] = (struct str){ labels[i], n };
		hash = (hash ^ n) * 0x9E3779B97F4A7C15u;
		for (size_t at = 0; at < n; at += sizeof hash) {
			hash = (hash ^ label_word(ret->text[i], at)) * 0x9E3779B97F4A7C15u;
			hash ^= hash >> 32;
		}
	}
	ret->hash = (uint32_t)hash;
}

static bool same_labels(const struct series *s, const struct labels *cut)
{
	for (size_t i = 0; i < METRIC_LABELS; i++)
		if (!str_eq((struct str){ s->labels[i], s->length[i] }, cut->text[i]))
			return false;
	return true;
}

/* metric_find_locked: the series, created if there is none; NULL: the family is full, or no
 * memory. */
static struct series *metric_find_locked(enum metric m, const struct labels *cut)
{
	for (size_t i = 0; i < stores[m].count; i++) {
		struct series *s = stores[m].series[i];

		if (s->hash == cut->hash && same_labels(s, cut))
			return s;
	}
	if (stores[m].count == METRIC_SERIES)
		return NULL;

	struct series *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->hash = cut->hash;
	for (size_t i = 0; i < METRIC_LABELS; i++) {
		str_copy(s->labels[i], LABEL_MAX, cut->text[i]);
		s->length[i] = (uint8_t)cut->text[i].n;
	}
	stores[m].series[stores[m].count++] = s;
	return s;
}

void metric_add(enum metric m, const char *const labels[METRIC_LABELS], int64_t v)
{
	struct labels cut;

	cut_labels(labels, &cut);
	pthread_mutex_lock(&lock);
	struct series *s = metric_find_locked(m, &cut);
	if (s)
		s->value += v;
	pthread_mutex_unlock(&lock);
}

void metric_observe(enum metric m, const char *const labels[METRIC_LABELS], int64_t v)
{
	const int64_t *bounds = bounds_of(m);
	size_t         bucket = 0;
	struct labels  cut;

	while (bucket < BOUNDS && v > bounds[bucket])
		bucket++;
	cut_labels(labels, &cut);
	pthread_mutex_lock(&lock);
	struct series *s = metric_find_locked(m, &cut);
	if (s) {
		s->value += v;
		s->count++;
		if (bucket < BOUNDS)
			s->buckets[bucket]++;
	}
	pthread_mutex_unlock(&lock);
}

void metric_put(enum metric m, const char *const labels[METRIC_LABELS], int64_t v)
{
	struct labels cut;

	cut_labels(labels, &cut);
	pthread_mutex_lock(&lock);
	struct series *s = metric_find_locked(m, &cut);
	if (s)
		s->value = v;
	pthread_mutex_unlock(&lock);
}

void metric_forget(enum metric m)
{
	pthread_mutex_lock(&lock);
	while (stores[m].count > 0)
		free(stores[m].series[--stores[m].count]);
	pthread_mutex_unlock(&lock);
}

void metric_set(enum metric m, int64_t v)
{
	metric_put(m, (const char *const[METRIC_LABELS]){ "", "", "" }, v);
}

int64_t metric_gauge(enum metric m)
{
	pthread_mutex_lock(&lock);
	int64_t v = stores[m].count > 0 ? stores[m].series[0]->value : 0;
	pthread_mutex_unlock(&lock);
	return v;
}

void metric_http(const char *route, const char *method, int status, int64_t us)
{
	static const char *const known[] = { "GET", "HEAD", "POST", "DELETE", "OPTIONS" };
	const char              *name = "other";
	char                     code[4] = "";

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i], method) == 0)
			name = known[i];
	for (int i = 2, rest = status; i >= 0; i--, rest /= 10)
		code[i] = (char)('0' + rest % 10);
	metric_add(METRIC_HTTP_REQUESTS, (const char *[]){ route, name, code }, 1);
	metric_observe(METRIC_HTTP_DURATION, (const char *[]){ route, name, "" }, us);
}

/* --- printing --- */

/* The format has only three escapes. */
static bool metric_put_value(struct buf *out, const char *value)
{
	bool ok = true;

	for (const char *p = value; ok && *p; p++) {
		if (*p == '\n')
			ok = buf_text(out, "\\n");
		else if (*p == '"' || *p == '\\')
			ok = buf_text(out, "\\") && buf_add(out, p, 1);
		else
			ok = buf_add(out, p, 1);
	}
	return ok;
}

static bool put_label(struct buf *out, const char *name, const char *value, bool *first)
{
	if (!buf_text(out, *first ? "{" : ",") || !buf_text(out, name) || !buf_text(out, "=\"") ||
	    !metric_put_value(out, value) || !buf_text(out, "\""))
		return false;
	*first = false;
	return true;
}

static bool put_labels(struct buf *out, enum metric m, const struct series *s, const char *le)
{
	bool first = true;

	for (size_t i = 0; i < METRIC_LABELS; i++)
		if (families[m].labels[i][0] &&
		    !put_label(out, families[m].labels[i], s->labels[i], &first))
			return false;
	if (le && !put_label(out, "le", le, &first))
		return false;
	return first || buf_text(out, "}");
}

static bool put_histogram(struct buf *out, enum metric m, const struct series *s)
{
	const int64_t *bounds = bounds_of(m);
	double         unit = unit_of(m);
	uint64_t       below = 0;

	for (size_t i = 0; i <= BOUNDS; i++) {
		char le[24] = "+Inf";

		if (i < BOUNDS) {
			snprintf(le, sizeof le, "%.12g", (double)bounds[i] / unit);
			below += s->buckets[i];
		} else {
			below = s->count;
		}
		if (!buf_fmt(out, "%s_bucket", families[m].name) || !put_labels(out, m, s, le) ||
		    !buf_fmt(out, " %llu\n", (unsigned long long)below))
			return false;
	}
	return buf_fmt(out, "%s_sum", families[m].name) && put_labels(out, m, s, NULL) &&
	       buf_fmt(out, " %.6f\n", (double)s->value / unit) &&
	       buf_fmt(out, "%s_count", families[m].name) && put_labels(out, m, s, NULL) &&
	       buf_fmt(out, " %llu\n", (unsigned long long)s->count);
}

static bool put_series(struct buf *out, enum metric m, const struct series *s)
{
	if (is_histogram(families[m].kind))
		return put_histogram(out, m, s);
	char money[MONEY_TEXT];

	if (!buf_text(out, families[m].name) || !put_labels(out, m, s, NULL))
		return false;
	if (families[m].kind == MONEY)
		return buf_fmt(out, " %s\n", money_print(s->value, money));
	return buf_fmt(out, " %lld\n", (long long)s->value);
}

static bool put_family_locked(struct buf *out, enum metric m, bool open_metrics)
{
	static const char *const kinds[] = { "counter",   "gauge",     "histogram", "histogram",
					     "histogram", "histogram", "counter" };
	/* In OpenMetrics, the name of a counter's family lacks the _total of its samples. */
	int n = (int)strlen(families[m].name);
	if (open_metrics && (families[m].kind == COUNTER || families[m].kind == MONEY) && n > 6)
		n -= 6;
	if (!buf_fmt(out, "# HELP %.*s %s\n# TYPE %.*s %s\n", n, families[m].name, families[m].help,
		     n, families[m].name, kinds[families[m].kind]))
		return false;
	for (size_t i = 0; i < stores[m].count; i++)
		if (!put_series(out, m, stores[m].series[i]))
			return false;
	return true;
}

bool metric_print(struct buf *out, bool open_metrics)
{
	bool ok = true;

	pthread_mutex_lock(&lock);
	for (int m = 0; ok && m < METRIC__COUNT; m++)
		ok = put_family_locked(out, (enum metric)m, open_metrics);
	pthread_mutex_unlock(&lock);
	return ok && (!open_metrics || buf_text(out, "# EOF\n"));
}
