/* /livez, /readyz, /healthz, /openapi.yaml and /openapi.json; and the console. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/packed.h"
#include "store/store.h"

#include <string.h>
#include <strings.h>

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

/* --- console: Sends the built pages.  All addresses are relative, so that they are right under any prefix
 * that a proxy adds. */

/* Nothing but this origin's files is loaded, and no text becomes a script or HTML. */
static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
	"require-trusted-types-for 'script'; trusted-types 'none'";

static const struct {
	const char *end;
	const char *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".json", "application/json" },
	{ ".svg", "image/svg+xml" },
	{ ".png", "image/png" },
	{ ".ico", "image/x-icon" },
	{ ".woff2", "font/woff2" },
	{ ".txt", "text/plain; charset=utf-8" },
};

static const char *console_type(const char *name)
{
	const char *end = strrchr(name, '.');

	for (size_t i = 0; end && i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].end, end) == 0)
			return types[i].type;
	return "application/octet-stream";
}

/* console_guard: the headers of every answer of the console; false: no memory, and refused. */
static bool console_guard(struct request *r)
{
	if (reply_header(r, "Content-Security-Policy", str_of(policy)) &&
	    reply_header(r, "X-Content-Type-Options", STR("nosniff")) &&
	    reply_header(r, "Referrer-Policy", STR("no-referrer")) &&
	    reply_header(r, "Cross-Origin-Opener-Policy", STR("same-origin")))
		return true;
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
	return false;
}

static void console_lead(struct request *r, int status)
{
	reply_header(r, "Location", STR("console/"));
	reply_static(r, status, NULL, STR_NONE);
}

/* is_ollama: whether a client of Ollama's API asks whether its server is there: ollama-python/…, ollama-js/…, and the
 * program itself, ollama/…. */
static bool is_ollama(const struct request *r)
{
	struct str agent = request_header(r, "User-Agent");

	return str_starts(agent, STR("ollama/")) || str_starts(agent, STR("ollama-"));
}

/* A program that asks for / wants the API, and gets what any unknown path gets.  Some, such as Claude Code, only look
 * with HEAD whether anybody is there. */
void service_root(struct request *r, void *app)
{
	static const char html[] = "text/html";
	struct str        accept = request_view(r)->head.accept;
	bool              wanted = false;

	(void)app;
	reply_header(r, "Vary", STR("Accept, User-Agent"));
	if (is_ollama(r)) {
		reply_static(r, 200, "text/plain; charset=utf-8", STR("Ollama is running"));
		return;
	}
	for (size_t i = 0; !wanted && i + sizeof html - 1 <= accept.n; i++)
		wanted = strncasecmp(accept.p + i, html, sizeof html - 1) == 0;
	if (!wanted && strcmp(request_view(r)->method, "HEAD") == 0)
		reply_static(r, 200, NULL, STR_NONE);
	else if (!wanted || !request_reaches(r, AUTH_CONSOLE))
		reply_refuse(r, ERR_UNKNOWN_URL, "",
			     "unknown URL; GET /openapi.yaml lists all routes");
	else if (console_guard(r))
		console_lead(r, 307);
}

void console_page(struct request *r, void *app)
{
	struct str path = request_view(r)->path;

	(void)app;
	if (!console_guard(r))
		return;
	if (path.p[path.n - 1] != '/') {
		console_lead(r, 308);
		return;
	}
	reply_header(r, "Cache-Control", STR("no-cache"));
	packed_reply(r, &console_files[0], console_type(console_files[0].name));
}

/* The names of these files have a hash of their bytes, so they never change. */
void console_asset(struct request *r, void *app)
{
	(void)app;
	if (!console_guard(r))
		return;
	for (const struct packed *f = console_files + 1; f->name; f++) {
		if (!str_is(request_param(r, 0), f->name))
			continue;
		reply_header(r, "Cache-Control", STR("public, max-age=31536000, immutable"));
		packed_reply(r, f, console_type(f->name));
		return;
	}
	reply_refuse(r, ERR_UNKNOWN_URL, "", "unknown URL; the console has no such file");
}
