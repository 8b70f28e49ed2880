/* Sends the built pages.  All addresses are relative, so that they are right under any prefix that a
 * proxy puts in front of them. */
#include "routes/console/console.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/console/console_files.h"
#include "routes/console/console_inflate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TAG_MAX = 48 };

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

bool console_built(void)
{
	return console_files[0].name != NULL;
}

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

static void console_send_plain(struct request *r, const struct console_file *f)
{
	struct buf body;

	buf_init(&body, f->len + 1);
	if (console_inflate((struct str){ f->gzip, f->gzip_len }, f->len, &body)) {
		reply_text_take(r, 200, console_type(f->name), &body);
		return;
	}
	buf_finish(&body);
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}

/* The two forms of a file are two things to caches, so each has its own tag. */
static void console_send(struct request *r, const struct console_file *f, const char *cache)
{
	bool       gzip = request_takes_gzip(r);
	struct str known = request_if_none_match(r);
	char       tag[TAG_MAX];

	int n = snprintf(tag, sizeof tag, "\"%s%s\"", f->tag, gzip ? "-gzip" : "");
	reply_header(r, "Cache-Control", str_of(cache));
	reply_header(r, "ETag", str_of(tag));
	reply_header(r, "Vary", STR("Accept-Encoding"));
	if (known.n > 0 && (str_is(known, "*") || memmem(known.p, known.n, tag, (size_t)n))) {
		reply_static(r, 304, NULL, STR_NONE);
		return;
	}
	if (!gzip) {
		console_send_plain(r, f);
		return;
	}
	if (reply_header(r, "Content-Encoding", STR("gzip")))
		reply_static(r, 200, console_type(f->name), (struct str){ f->gzip, f->gzip_len });
	else
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}

/* A program that asks for / wants the API, and gets what any unknown path gets. */
void console_root(struct request *r, void *app)
{
	static const char html[] = "text/html";
	struct str        accept = request_accept(r);
	bool              wanted = false;

	(void)app;
	for (size_t i = 0; !wanted && i + sizeof html - 1 <= accept.n; i++)
		wanted = strncasecmp(accept.p + i, html, sizeof html - 1) == 0;
	reply_header(r, "Vary", STR("Accept"));
	if (!wanted)
		reply_refuse(r, ERR_UNKNOWN_URL, "",
			     "unknown URL; GET /openapi.yaml lists all routes");
	else if (console_guard(r))
		console_lead(r, 307);
}

void console_page(struct request *r, void *app)
{
	struct str path = request_path(r);

	(void)app;
	if (!console_guard(r))
		return;
	if (path.p[path.n - 1] == '/')
		console_send(r, &console_files[0], "no-cache");
	else
		console_lead(r, 308);
}

/* The names of these files have a hash of their bytes, so they never change. */
void console_asset(struct request *r, void *app)
{
	(void)app;
	if (!console_guard(r))
		return;
	for (const struct console_file *f = console_files + 1; f->name; f++) {
		if (!str_is(request_param(r, 0), f->name))
			continue;
		console_send(r, f, "public, max-age=31536000, immutable");
		return;
	}
	reply_refuse(r, ERR_UNKNOWN_URL, "", "unknown URL; the console has no such file");
}
