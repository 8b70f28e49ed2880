/* /metrics: the counted metrics, and those that are read on demand. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "http/reply.h"
#include "http/request.h"
#include "provider/credential.h"
#include "routes/kit/gateway.h"
#include "store/store.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Metrics of the process, under the usual names of exporters. */
struct process_usage {
	double    cpu_s;
	double    start_s; /* since 1970; 0: not known */
	long long memory;
	long      fds;
	long long max_fds;
};

/* start_time: field 22 of /proc/self/stat is in ticks since the start of the machine. */
static double start_time(void)
{
	char        text[1024];
	double      boot = 0;
	long long   ticks = 0;
	FILE       *stat = fopen("/proc/self/stat", "re");
	FILE       *machine = fopen("/proc/stat", "re");
	const char *at = stat && fgets(text, sizeof text, stat) ? strrchr(text, ')') : NULL;

	if (at)
		for (int i = 0; at && i < 20; i++)
			at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoll(at, NULL, 10);
	while (machine && fgets(text, sizeof text, machine))
		if (strncmp(text, "btime ", 6) == 0)
			boot = strtod(text + 6, NULL);
	if (stat)
		fclose(stat);
	if (machine)
		fclose(machine);
	return boot > 0 && ticks > 0 ? boot + (double)ticks / (double)sysconf(_SC_CLK_TCK) : 0;
}

static void metrics_look(struct process_usage *p)
{
	struct rusage use;
	struct rlimit files = { 0 };
	long          pages = 0;
	FILE         *statm = fopen("/proc/self/statm", "re");
	DIR          *dir = opendir("/proc/self/fd");

	*p = (struct process_usage){ .start_s = start_time() };
	if (statm) {
		if (fscanf(statm, "%*s %ld", &pages) != 1)
			pages = 0;
		fclose(statm);
	}
	while (dir && readdir(dir))
		p->fds++;
	if (dir)
		closedir(dir);
	p->fds -= p->fds > 3 ? 3 : 0; /* ".", ".." and the descriptor of this look */
	p->memory = pages * sysconf(_SC_PAGESIZE);
	getrusage(RUSAGE_SELF, &use);
	p->cpu_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		   (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
	getrlimit(RLIMIT_NOFILE, &files);
	p->max_fds = (long long)files.rlim_cur;
}

static bool put_process(struct buf *out, bool open_metrics)
{
	struct process_usage p;

	metrics_look(&p);
	/* clang-format off */
	const struct {
		const char *name, *tail, *kind, *help;
		double      value;
	} rows[] = {
		{ "process_cpu_seconds", "_total", "counter", "user and system time", p.cpu_s },
		{ "process_resident_memory_bytes", "", "gauge", "resident memory", (double)p.memory },
		{ "process_open_fds", "", "gauge", "open descriptors", (double)p.fds },
		{ "process_max_fds", "", "gauge", "limit of descriptors", (double)p.max_fds },
		{ "process_start_time_seconds", "", "gauge", "when it was started", p.start_s },
	};
	/* clang-format on */
	bool ok = true;

	/* OpenMetrics names a counter's family without the _total of its samples. */
	for (size_t i = 0; ok && i < ARRAY_LEN(rows); i++) {
		const char *tail = open_metrics ? "" : rows[i].tail;

		ok = buf_fmt(out, "# HELP %s%s %s\n# TYPE %s%s %s\n%s%s %.15g\n", rows[i].name,
			     tail, rows[i].help, rows[i].name, tail, rows[i].kind, rows[i].name,
			     rows[i].tail, rows[i].value);
	}
	return ok;
}

static void gather_health(void)
{
	static const char *const states[HEALTH__COUNT] = {
		[HEALTH_OPEN] = "open",
		[HEALTH_COOLING] = "cooling",
		[HEALTH_DEAD] = "dead_key",
	};
	int64_t n[HEALTH__COUNT];

	health_count(clock_mono_us(), n);
	for (size_t i = 0; i < HEALTH__COUNT; i++)
		if (states[i])
			metric_put(METRIC_UNHEALTHY, (const char *[]){ states[i], "", "" }, n[i]);
}

/* The entries are set again each time, because a reload may have removed some. */
static void gather_entries(const struct gateway *g)
{
	const struct provider *p;
	int64_t                now_us = clock_mono_us();

	credential_gauge();
	metric_forget(METRIC_UP);
	metric_forget(METRIC_CIRCUIT);
	for (size_t i = 0; (p = registry_provider(g->now->registry, i)); i++) {
		bool        probe;
		enum health h = health_entry(p->label, now_us, &probe);
		const char *labels[] = { p->label, "", "" };

		metric_put(METRIC_UP, labels, h == HEALTH_FINE || h == HEALTH_COOLING);
		metric_put(METRIC_CIRCUIT, labels, h != HEALTH_OPEN ? 0 : probe ? 1 : 2);
	}
}

static void metrics_gather(const struct gateway *g)
{
	struct store_stats  s;
	struct server_stats h;
	struct admit_stats  calls;

	store_stats(g->store, &s);
	server_stats(&h);
	gather_health();
	gather_entries(g);
	metric_set(METRIC_HTTP_IN_FLIGHT, (int64_t)h.in_flight);
	metric_set(METRIC_HTTP_CONNECTIONS, (int64_t)h.connections);
	metric_set(METRIC_HTTP_BODIES, (int64_t)h.bodies);
	metric_set(METRIC_STREAMS, (int64_t)h.streams);
	metric_set(METRIC_DB_COMMITS, (int64_t)s.commits);
	metric_set(METRIC_DB_COMMIT_US, (int64_t)s.commit_us);
	metric_set(METRIC_DB_TURNS, (int64_t)s.turns);
	metric_set(METRIC_DB_QUEUE, (int64_t)s.queue);
	admit_stats(&calls);
	metric_set(METRIC_CALLS, calls.calls);
	metric_set(METRIC_QUEUE_DEPTH, calls.waiting);
	metric_set(METRIC_DB_BUSY, (int64_t)s.busy);
	metric_set(METRIC_DB_UNFINISHED, (int64_t)s.unfinished);
	metric_set(METRIC_DB_GATEWAYS, s.gateways);
	metric_set(METRIC_DB_LEASES_LOST, (int64_t)s.leases_lost);
	metric_set(METRIC_DB_CLOCK, s.clock_off_ms);
	metric_set(METRIC_DB_WAL, s.log_bytes);
	metric_set(METRIC_DB_EVENTS, s.events_bytes);
	metric_set(METRIC_DB_WRITABLE, s.writable ? 1 : 0);
	metric_set(METRIC_SEARCH_MESSAGES, s.search_messages);
	metric_set(METRIC_SEARCH_WAITING, s.search_waiting);
	metric_set(METRIC_SEARCH_COMPLETE, s.search_complete ? 1 : 0);
}

/* Prometheus names its preferred format first, so weights are ignored. */
static bool metrics_accepts(const struct request *r, const char *type)
{
	struct str accept = request_view(r)->head.accept;

	return accept.n > 0 && memmem(accept.p, accept.n, type, strlen(type));
}

void metrics_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct buf      body;
	bool            open_metrics = metrics_accepts(r, "application/openmetrics-text");

	metrics_gather(g);
	buf_init(&body, 4 * MIB);
	if (!put_process(&body, open_metrics) || !metric_print(&body, open_metrics)) {
		buf_finish(&body);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the metrics");
		return;
	}
	reply_text_take(r, 200,
			open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				     : "text/plain; version=0.0.4; charset=utf-8",
			&body);
}
