/* What the store's operations cost on a big database, held against the same on a small one. */
#include "base/clock.h"
#include "scale_fill.h"
#include "scale_ops.h"
#include "scale_start.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, OPS_MAX = 64, BYTES_EACH = 16000, START_LIMIT_MS = 1000 };

struct series {
	double *us; /* owned; sorted in the end */
	double *cpu;
	size_t  n;
	size_t  cap;
};

struct figures {
	struct series of[OPS_MAX][DB__COUNT];
};

struct options {
	const char *dir;
	const char *parley; /* NULL: starts of the store alone */
	const char *only;
	uint32_t    conversations[DB__COUNT];
	unsigned    samples;
	unsigned    cold_samples;
	unsigned    minutes;
	bool        keep;
	bool        reuse;
};

struct bench {
	struct options     o;
	struct db          db[DB__COUNT];
	struct fill_counts filled[DB__COUNT];
	struct figures     warm;
	struct figures     cold;
	struct starts      start[START_WAY__COUNT][START__COUNT][2];
	int64_t            bytes[DB__COUNT];
	int64_t            from_us;
	int64_t            deadline_us;
	double             others; /* share of the machine that others took */
	bool               missed;
};

static struct bench bench;

/* --- the files go, whatever happens --- */

static void remove_files(void)
{
	for (size_t i = 0; i < DB__COUNT && !bench.o.keep; i++)
		if (bench.db[i].path[0])
			db_remove(&bench.db[i]);
}

static void on_signal(int number)
{
	remove_files();
	_exit(128 + number);
}

static void check_deadline(void)
{
	if (clock_mono_us() > bench.deadline_us)
		fail("it takes too long; see --minutes", NULL);
}

/* --- filling --- */

static void read_through(const char *path)
{
	static char room[1 << 20];
	int         fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	while (read(fd, room, sizeof room) > 0) {
	}
	close(fd);
}

static void check_room(const struct options *o)
{
	struct statvfs v;
	uint64_t       need =
		((uint64_t)o->conversations[DB_SMALL] + o->conversations[DB_BIG]) * BYTES_EACH;

	if (statvfs(o->dir, &v) == 0 && (uint64_t)v.f_bavail * v.f_frsize < need)
		fail("the disk has too little room; see --dir", NULL);
}

static void make(struct db *db, struct fill_counts *ret)
{
	if (bench.o.reuse && db_bytes(db) > 0)
		return;
	db_remove(db);
	db_open_store(db);
	fill(db, bench.deadline_us, ret);
	db_close_store(db);
}

/* --- measuring --- */

static void add(struct series *s, double us, double cpu)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->us = realloc(s->us, s->cap * sizeof *s->us);
		s->cpu = realloc(s->cpu, s->cap * sizeof *s->cpu);
		if (!s->us || !s->cpu)
			fail("out of memory", NULL);
	}
	s->us[s->n] = us;
	s->cpu[s->n++] = cpu;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static void sort(struct figures *f)
{
	for (size_t i = 0; i < ops_count; i++)
		for (size_t side = 0; side < DB__COUNT; side++) {
			struct series *s = &f->of[i][side];

			if (s->n > 0) {
				qsort(s->us, s->n, sizeof *s->us, compare);
				qsort(s->cpu, s->n, sizeof *s->cpu, compare);
			}
		}
}

static double at(const double *sorted, size_t n, double share)
{
	size_t i = (size_t)(share * (double)n);

	return n == 0 ? 0 : sorted[i < n ? i : n - 1];
}

static bool wanted(const struct op *op)
{
	return !bench.o.only || strstr(op->name, bench.o.only);
}

static void sample(const struct op *op, struct db *db, struct series *s, bool cold)
{
	if (cold)
		db_forget(db);
	op->run(db);
	add(s, (double)db->took_ns / 1e3, (double)db->took_cpu_ns / 1e3);
}

/* The two take turns, one sample each, so that what else goes on meets both. */
static void measure(struct figures *f, unsigned samples, bool cold)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < ops_count; i++) {
			unsigned n = samples / ROUNDS / ops[i].every;

			if (!wanted(&ops[i]))
				continue;
			check_deadline();
			for (unsigned k = 0; k < (n > 0 ? n : 1); k++)
				for (unsigned turn = 0; turn < DB__COUNT; turn++) {
					unsigned side = (turn + k + round) % DB__COUNT;

					sample(&ops[i], &bench.db[side], &f->of[i][side], cold);
				}
		}
		fprintf(stderr, "%s: round %u of %u\n", cold ? "cold" : "warm", round + 1,
			(unsigned)ROUNDS);
	}
	sort(f);
}

static void each(void (*fn)(struct db *))
{
	for (size_t i = 0; i < DB__COUNT; i++)
		fn(&bench.db[i]);
}

static void measure_all(void)
{
	each(db_open_store);
	each(db_list);
	for (size_t i = 0; i < DB__COUNT; i++) {
		char index[sizeof bench.db[i].path + 16];

		db_await_index(&bench.db[i], bench.deadline_us);
		snprintf(index, sizeof index, "%s.search", bench.db[i].path);
		read_through(bench.db[i].path);
		read_through(index);
	}
	measure(&bench.warm, bench.o.samples, false);
	each(db_close_store); /* what was written is in the file, and clean */
	sync();
	each(db_open_store);
	measure(&bench.cold, bench.o.cold_samples, true);
	each(db_close_store);
	sync();
}

static void measure_starts(void)
{
	struct db *db = &bench.db[DB_BIG];
	int        ways = bench.o.parley ? START_WAY__COUNT : START_SERVE;

	for (int way = START_STORE; way < ways; way++)
		for (int state = 0; state < START__COUNT; state++)
			for (int cold = 0; cold < 2; cold++) {
				check_deadline();
				fprintf(stderr, "starts %d.%d.%d\n", way, state, cold);
				start_measure(db, state, way, cold != 0, bench.o.parley,
					      &bench.start[way][state][cold]);
			}
}

/* --- what others took of the machine --- */

static double machine_busy(void)
{
	unsigned long long v[8] = { 0 };
	FILE              *f = fopen("/proc/stat", "re");

	if (!f)
		return 0;
	int n = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		       &v[4], &v[5], &v[6], &v[7]);
	fclose(f);
	if (n < 8)
		return 0;
	return (double)(v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / (double)sysconf(_SC_CLK_TCK);
}

static double own_busy(void)
{
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage u;

		getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
		sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	}
	return sum;
}

/* --- the report --- */

static const char *number(double v, char ret[32])
{
	snprintf(ret, 32, v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v);
	return ret;
}

static void cell(double v)
{
	char room[32];

	printf(" %s |", number(v, room));
}

/* Where others work too, the slowest hundredth is what waited for them: then the CPU time that was
 * taken is looked at. */
static bool quiet(void)
{
	return bench.others < 0.05;
}

static double more(struct series of[DB__COUNT], double share)
{
	double small = at(of[DB_SMALL].cpu, of[DB_SMALL].n, share);

	return at(of[DB_BIG].cpu, of[DB_BIG].n, share) / small;
}

static void row(const struct op *op, struct series of[DB__COUNT], bool judged)
{
	double p50[DB__COUNT];
	double p99[DB__COUNT];

	printf("| %s |", op->name);
	for (size_t i = 0; i < DB__COUNT; i++) {
		p50[i] = at(of[i].us, of[i].n, 0.5);
		p99[i] = at(of[i].us, of[i].n, 0.99);
		cell(p50[i]);
		cell(p99[i]);
		cell(at(of[i].us, of[i].n, 1));
	}
	cell(p50[DB_BIG] / p50[DB_SMALL]);
	cell(p99[DB_BIG] / p99[DB_SMALL]);
	double cpu50 = more(of, 0.5);
	double cpu99 = more(of, 0.99);
	cell(cpu50);
	cell(cpu99);
	if (judged && op->limit > 0) {
		bool ok = p50[DB_BIG] <= op->limit * p50[DB_SMALL] && cpu50 <= op->limit &&
			  (quiet() ? p99[DB_BIG] <= op->limit * p99[DB_SMALL] : cpu99 <= op->limit);

		bench.missed = bench.missed || !ok;
		printf(" ≤ %.0f | %s |", op->limit, ok ? "yes" : "**no**");
	} else if (judged) {
		printf(" | |");
	}
	printf("\n");
}

static void table(struct figures *f, bool judged)
{
	printf("| operation | small: p50 | p99 | max | big: p50 | p99 | max "
	       "| p50, times | p99, times | CPU p50, times | CPU p99, times |%s\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|%s\n",
	       judged ? " limit | reached |" : "", judged ? "---:|---|" : "");
	for (size_t i = 0; i < ops_count; i++)
		if (f->of[i][DB_BIG].n > 0)
			row(&ops[i], f->of[i], judged);
}

static void table_starts(void)
{
	static const char *const ways[] = { "`store_open`", "`parley serve` to its ready line" };
	static const char *const states[] = { "stopped", "killed at work" };

	printf("\n| start of the big one | after it was | log, MB "
	       "| warm: median, ms | max | cold: median | max | limit | reached |\n"
	       "|---|---|---:|---:|---:|---:|---:|---:|---|\n");
	for (int way = 0; way < START_WAY__COUNT; way++)
		for (int state = 0; state < START__COUNT; state++) {
			struct starts *s = bench.start[way][state];
			bool           ok = s[0].ms[START_TIMES - 1] <= START_LIMIT_MS &&
				  s[1].ms[START_TIMES - 1] <= START_LIMIT_MS;

			if (s[0].ms[0] <= 0)
				continue;
			bench.missed = bench.missed || !ok;
			printf("| %s | %s |", ways[way], states[state]);
			cell((double)s[1].log_bytes / 1e6);
			for (int cold = 0; cold < 2; cold++) {
				cell(s[cold].ms[START_TIMES / 2]);
				cell(s[cold].ms[START_TIMES - 1]);
			}
			printf(" ≤ %d ms | %s |\n", START_LIMIT_MS, ok ? "yes" : "**no**");
		}
}

static void describe(void)
{
	struct utsname u;
	time_t         now = time(NULL);
	struct tm      t;
	char           date[32];

	uname(&u);
	gmtime_r(&now, &t);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M", &t);
	printf("%s UTC; %ld cores, %.0f GB of memory, %s %s; %.0f minutes. "
	       "Other programs took %.0f %% of the machine.\n\n",
	       date, sysconf(_SC_NPROCESSORS_ONLN),
	       (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9, u.sysname,
	       u.release, (double)(clock_mono_us() - bench.from_us) / 6e7, bench.others * 100);
	printf("| database | conversations | messages | text, MB | file, MB "
	       "| filled in, s | turns/s | search index, MB | and then indexed in, s |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; i < DB__COUNT; i++) {
		const struct fill_counts *c = &bench.filled[i];
		double                    seconds = (double)bench.db[i].fill_ms / 1e3;

		printf("| %s | %u | %llu | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f |\n",
		       i == DB_BIG ? "big" : "small", bench.o.conversations[i],
		       (unsigned long long)c->messages, (double)c->bytes / 1e6,
		       (double)bench.bytes[i] / 1e6, seconds,
		       seconds > 0 ? (double)c->turns / seconds : 0,
		       (double)bench.db[i].index_bytes / 1e6, (double)bench.db[i].index_ms / 1e3);
	}
}

static void report(void)
{
	describe();
	printf("\nMicroseconds, the file in the system's page cache: what the limits are held "
	       "against, by p50 and %s.\n\n",
	       quiet() ? "p99" : "CPU time: the machine was not quiet, p99 tells of others");
	table(&bench.warm, true);
	printf("\nMicroseconds, the file dropped from the page cache in front of each sample: "
	       "the disk's price.\n\n");
	table(&bench.cold, false);
	table_starts();
}

/* --- options --- */

_Noreturn static void usage(int status)
{
	fprintf(status ? stderr : stdout,
		"usage: bench_store_scale [options]\n\n"
		"  --dir DIR           where the databases go, 16 GB (default: .)\n"
		"  --parley FILE       the server, to measure its start too\n"
		"  --small N, --big N  conversations (default: 10000, 1000000)\n"
		"  --samples N         of each operation, warm (default: 4000)\n"
		"  --cold N            and cold (default: 200)\n"
		"  --only WORD         operations with that word in their name; no starts\n"
		"  --minutes N         give up after so long (default: 90)\n"
		"  --keep              leave the databases there\n"
		"  --reuse             take those that --keep left; they grow by each run\n");
	exit(status);
}

static unsigned take_number(const char *text)
{
	char         *end;
	unsigned long v = strtoul(text, &end, 10);

	if (*end != '\0' || v == 0 || v > 100000000)
		usage(2);
	return (unsigned)v;
}

static void read_options(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "parley", required_argument, NULL, 'p' },
		{ "small", required_argument, NULL, 's' },
		{ "big", required_argument, NULL, 'b' },
		{ "samples", required_argument, NULL, 'n' },
		{ "cold", required_argument, NULL, 'c' },
		{ "only", required_argument, NULL, 'o' },
		{ "minutes", required_argument, NULL, 'm' },
		{ "keep", no_argument, NULL, 'k' },
		{ "reuse", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct options){ ".", NULL, NULL, { 10000, 1000000 }, 4000, 200, 90, false, false };
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1)
		switch (c) {
		case 'd': o->dir = optarg; break;
		case 'p': o->parley = optarg; break;
		case 's': o->conversations[DB_SMALL] = take_number(optarg); break;
		case 'b': o->conversations[DB_BIG] = take_number(optarg); break;
		case 'n': o->samples = take_number(optarg); break;
		case 'c': o->cold_samples = take_number(optarg); break;
		case 'o': o->only = optarg; break;
		case 'm': o->minutes = take_number(optarg); break;
		case 'k': o->keep = true; break;
		case 'r': o->reuse = true; break;
		case 'h': usage(0);
		default: usage(2);
		}
	/* The last fiftieth has keys and events. */
	if (optind < argc || o->conversations[DB_SMALL] < 1000 ||
	    o->conversations[DB_SMALL] >= o->conversations[DB_BIG])
		usage(2);
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	double           busy = machine_busy();

	read_options(argc, argv, &bench.o);
	CHECK(ops_count <= OPS_MAX);
	bench.from_us = clock_mono_us();
	bench.deadline_us = bench.from_us + (int64_t)bench.o.minutes * 60 * 1000000;
	check_room(&bench.o);
	text_set_up();
	for (size_t i = 0; i < DB__COUNT; i++)
		db_set_up(&bench.db[i], bench.o.dir, bench.o.conversations[i]);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		(void)signal(signals[i], on_signal);
	(void)atexit(remove_files);

	for (size_t i = 0; i < DB__COUNT; i++) {
		make(&bench.db[i], &bench.filled[i]);
		bench.bytes[i] = db_bytes(&bench.db[i]);
	}
	measure_all();
	if (!bench.o.only)
		measure_starts();
	bench.others =
		(machine_busy() - busy - own_busy()) * 1e6 /
		((double)(clock_mono_us() - bench.from_us) * (double)sysconf(_SC_NPROCESSORS_ONLN));
	report();
	return bench.missed ? 1 : 0;
}
