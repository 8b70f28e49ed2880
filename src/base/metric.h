/* metric: counters, gauges and histograms, each a row of metric.def, printed for Prometheus.
 *
 * Threads: any.  Labels come from fixed sets only (routes, configured models, error codes), never
 * from what a client sends; a family keeps at most METRIC_SERIES of them. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum metric {
#define X(name, ...) METRIC_##name,
#include "base/metric.def"
#undef X
	METRIC__COUNT
};

enum { METRIC_LABELS = 3, METRIC_SERIES = 512 };

/* metric_add: adds v to a counter's or gauge's series; labels in the row's order, "" for none. */
void metric_add(enum metric m, const char *const labels[METRIC_LABELS], int64_t v);
/* metric_observe: adds an observation to a histogram, in microseconds, or in bytes if the family is
 * about sizes. */
void metric_observe(enum metric m, const char *const labels[METRIC_LABELS], int64_t v);
/* metric_set: sets a gauge without labels. */
void metric_set(enum metric m, int64_t v);
/* metric_gauge: the value of a gauge without labels; 0: none was set. */
int64_t metric_gauge(enum metric m);
/* metric_put: sets a gauge with labels. */
void metric_put(enum metric m, const char *const labels[METRIC_LABELS], int64_t v);
/* metric_forget: drops all series of a gauge, before they are set anew for printing. */
void metric_forget(enum metric m);
/* metric_http: counts a request in the two families that every request has. */
void metric_http(const char *route, const char *method, int status, int64_t us);
/* metric_print: prints all families, in the text format of Prometheus or in that of OpenMetrics.
 * False: out is full. */
bool metric_print(struct buf *out, bool open_metrics) MUST_USE;
