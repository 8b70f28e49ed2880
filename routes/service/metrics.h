/* routes/service/metrics: GET /metrics, for Prometheus: its own text format, or OpenMetrics' where that is asked
 * for. */
#pragma once

#include "http/request.h"

void metrics_get(struct request *r, void *app);
