/* /livez, /readyz, /healthz, /openapi.yaml and /openapi.json. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/packed.h"
#include "store/store.h"

void service_livez(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/json", STR("{\"status\":\"ok\"}\n"));
}

/* A dead provider does not make the gateway unready, because stored data can still be read. */
void service_readyz(struct request *r, void *app)
{
	struct gateway    *g = app;
	struct store_stats s;
	struct buf         body;
	bool               draining = atomic_load(g->draining);

	store_stats(g->store, &s);
	bool ready = s.writable && !draining;
	buf_init(&body, 4 * KIB);
	bool ok = buf_fmt(&body, "{\"status\":\"%s\",\"checks\":{\"store\":\"%s\",",
			  ready ? "ok" : "unavailable", s.writable ? "ok" : "not writable");
	if (!s.writable)
		ok = ok && buf_fmt(&body, "\"reason\":\"%s\",", s.reason);
	if (!ok || !buf_fmt(&body, "\"draining\":%s}}\n", draining ? "true" : "false"))
		buf_clear(&body);
	reply_json_take(r, ready ? 200 : 503, &body);
}

/* JSON is YAML, so both addresses send the same text. */

void service_openapi_yaml(struct request *r, void *app)
{
	(void)app;
	packed_reply(r, openapi_files, "application/yaml");
}

void service_openapi_json(struct request *r, void *app)
{
	(void)app;
	packed_reply(r, openapi_files, "application/json");
}
