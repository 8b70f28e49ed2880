/* metric: counters, gauges and histograms, one row each in metric.def; printed for Prometheus.
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
/* metric_observe: one observation of a histogram: microseconds, or bytes where the family has sizes. */
void metric_observe(enum metric m, const char *const labels[METRIC_LABELS], int64_t v);
/* metric_set: a gauge without labels. */
void metric_set(enum metric m, int64_t v);
/* metric_put: a gauge with labels. */
void metric_put(enum metric m, const char *const labels[METRIC_LABELS], int64_t v);
/* metric_forget: drops all series of a gauge that is put anew for each look. */
void metric_forget(enum metric m);
/* metric_http: the two families of every request. */
void metric_http(const char *route, const char *method, int status, int64_t us);
/* metric_print: all families in Prometheus' text format, or OpenMetrics'. */
bool metric_print(struct buf *out, bool open_metrics) MUST_USE;
