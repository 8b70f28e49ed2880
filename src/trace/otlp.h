/* trace/otlp: sends gathered spans to a collector: OTLP over HTTP in JSON (OpenTelemetry Protocol 1.x,
 * "OTLP/HTTP", JSON Protobuf encoding), in batches, once a second.
 *
 * A batch that the collector does not take is dropped and counted: traces are worth less than memory.
 * Threads: the loop's own. */
#pragma once

#include "upstream/upstream.h"

struct otlp;

struct otlp_options {
	struct loop          *loop;
	struct upstream_pool *upstreams;
	const char *endpoint; /* http://host:4318; /v1/traces is added where it is not there */
	const char *
		headers; /* "name=value,name=value", as OTEL_EXPORTER_OTLP_HEADERS has it; NULL: none */
	const char *version; /* version of the program */
};

/* otlp_create: sends from now on.  Copies everything.
 * Errors: INVALID_VALUE (endpoint, headers), INTERNAL. */
enum errc otlp_create(const struct otlp_options *o, struct otlp **ret, struct err *e) MUST_USE;
/* otlp_flush: sends what there is without waiting for the second to be over. */
void otlp_flush(struct otlp *x);
/* otlp_busy: a batch is on its way, or spans wait. */
bool otlp_busy(const struct otlp *x);
void otlp_destroy(struct otlp *x);
OWNABLE(otlp);
