/* /livez, /readyz, /healthz, /metrics, /openapi.yaml and /openapi.json. */
#include "routes/service.h"

#include "base/limits.h"
#include "base/clock.h"
#include "base/metric.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/gateway.h"
#include "routes/openapi.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void service_livez(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/json", STR("{\"status\":\"ok\"}\n"));
}

/* A dead provider does not make us unready: what is stored can still be read. */
void service_readyz(struct request *r, void *app)
{
	struct gateway    *g = app;
	struct store_stats s;
	struct buf         body;
	bool               draining = atomic_load(g->draining);

	g->store->ops->stats(g->store, &s);
	bool ready = s.writable && !draining;
	buf_init(&body, 4 * KIB);
	if (!buf_fmt(&body, "{\"status\":\"%s\",\"checks\":{\"store\":\"%s\",\"draining\":%s}}\n",
		     ready ? "ok" : "unavailable", s.writable ? "ok" : "not writable",
		     draining ? "true" : "false"))
		buf_clear(&body);
	reply_json_take(r, ready ? 200 : 503, &body);
}

/* --- metrics --- */

static bool put_process(struct buf *out)
{
	struct rusage use;
	struct rlimit files = { 0 };
	long          pages = 0;
	long          fds = 0;
	FILE         *statm = fopen("/proc/self/statm", "re");
	DIR          *dir = opendir("/proc/self/fd");

	if (statm) {
		if (fscanf(statm, "%*s %ld", &pages) != 1)
			pages = 0;
		fclose(statm);
	}
	while (dir && readdir(dir))
		fds++;
	if (dir)
		closedir(dir);
	getrusage(RUSAGE_SELF, &use);
	getrlimit(RLIMIT_NOFILE, &files);
	return buf_fmt(out,
		       "# HELP process_cpu_seconds_total user and system time\n"
		       "# TYPE process_cpu_seconds_total counter\n"
		       "process_cpu_seconds_total %.3f\n"
		       "# HELP process_resident_memory_bytes resident memory\n"
		       "# TYPE process_resident_memory_bytes gauge\n"
		       "process_resident_memory_bytes %ld\n"
		       "# HELP process_open_fds open descriptors\n"
		       "# TYPE process_open_fds gauge\n"
		       "process_open_fds %ld\n"
		       "# HELP process_max_fds limit of descriptors\n"
		       "# TYPE process_max_fds gauge\n"
		       "process_max_fds %llu\n",
		       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6,
		       pages * sysconf(_SC_PAGESIZE), fds > 3 ? fds - 3 : fds,
		       (unsigned long long)files.rlim_cur);
}

static void gather_health(void)
{
	static const char *const states[HEALTH__COUNT] = {
		[HEALTH_OPEN] = "open", [HEALTH_COOLING] = "cooling", [HEALTH_DEAD] = "dead_key",
	};
	int64_t n[HEALTH__COUNT];

	health_count(clock_mono_us(), n);
	for (size_t i = 0; i < HEALTH__COUNT; i++)
		if (states[i])
			metric_put(METRIC_UNHEALTHY, (const char *[]){ states[i], "", "" }, n[i]);
}

static void gather(const struct gateway *g)
{
	struct store_stats  s;
	struct server_stats h;

	g->store->ops->stats(g->store, &s);
	server_stats(&h);
	gather_health();
	metric_set(METRIC_HTTP_IN_FLIGHT, (int64_t)h.in_flight);
	metric_set(METRIC_HTTP_CONNECTIONS, (int64_t)h.connections);
	metric_set(METRIC_STREAMS, (int64_t)h.streams);
	metric_set(METRIC_DB_COMMITS, (int64_t)s.commits);
	metric_set(METRIC_DB_COMMIT_US, (int64_t)s.commit_us);
	metric_set(METRIC_DB_TURNS, (int64_t)s.turns);
	metric_set(METRIC_DB_QUEUE, (int64_t)s.queue);
	metric_set(METRIC_DB_BUSY, (int64_t)s.busy);
	metric_set(METRIC_DB_WAL, s.wal_bytes);
	metric_set(METRIC_DB_WRITABLE, s.writable ? 1 : 0);
	metric_set(METRIC_SEARCH_MESSAGES, s.search_messages);
	metric_set(METRIC_SEARCH_WAITING, s.search_waiting);
	metric_set(METRIC_SEARCH_COMPLETE, s.search_complete ? 1 : 0);
}

void service_metrics(struct request *r, void *app)
{
	struct gateway *g = app;
	struct buf      body;

	if (!g->metrics_here) {
		reply_refuse(r, ERR_UNKNOWN_URL, "",
			     "metrics are served on the admin listener, as this one is not loopback");
		return;
	}
	gather(g);
	buf_init(&body, 4 * MIB);
	if (!put_process(&body) || !metric_print(&body, false)) {
		buf_finish(&body);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the metrics");
		return;
	}
	reply_text_take(r, 200, "text/plain; version=0.0.4; charset=utf-8", &body);
}

/* --- the API's description --- */

void service_openapi_yaml(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/yaml", (struct str){ openapi_yaml, openapi_yaml_len });
}

void service_openapi_json(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/json", (struct str){ openapi_json, openapi_json_len });
}
