/* http/route: a row of the table of routes, and the search for it. Rules for all routes are
 * columns; none of them has a default that means "open". */
#pragma once

#include "base/err.h"
#include "msg/family.h"

struct request;

enum route_auth {
	AUTH_UNSET,    /* refused at start */
	AUTH_NONE,     /* anybody */
	AUTH_OPERATOR, /* anybody who reaches a listener that is the operator's own */
	AUTH_CONSOLE,  /* anybody who reaches a listener that has the console's pages */
	/* A key with this scope, where there are keys; EITHER: chat or read. */
	AUTH_CHAT,
	AUTH_READ,
	AUTH_EITHER,
	AUTH_KEY, /* with any scope */
	AUTH_FILES,
	AUTH_EXECUTE,
	AUTH_ADMIN,
	AUTH_TICKET, /* same as EITHER, or ?ticket= for what the path names */
	AUTH__COUNT
};

enum route_body {
	BODY_UNSET,  /* refused at start */
	BODY_NONE,   /* a body is ignored, up to the limit */
	BODY_JSON,   /* a JSON object, checked before the handler sees it */
	BODY_MAYBE,  /* the same, or nothing, which counts as {} */
	BODY_UPLOAD, /* in pieces to a sink; the handler runs before it (http/body) */
};

enum route_trait {
	ROUTE_QUIET = 1,   /* a probe: no log line at level info */
	ROUTE_NO_HEAD = 2, /* GET sends a stream or a download, so HEAD is refused */
	ROUTE_CALL = 4,    /* calls a model: server_options.unmade */
	ROUTE_REST =
		8, /* the path's last {name} stands for all that is left of a path, with slashes */
};

struct route {
	const char *name;   /* for logs and metrics, e.g. "chat" */
	const char *method; /* GET also answers HEAD */
	/* template: /v1/models/{id}.  Its last segment may end in a verb: /v1/models/{id}:embed. */
	const char          *path;
	enum route_auth      auth;
	enum route_body      body;
	unsigned             traits; /* bits of enum route_trait */
	const struct family *family; /* in which it refuses, and what it calls answers */
	/* handle: on the loop's thread; must lead to exactly one reply or stream, now or later. */
	void (*handle)(struct request *r, void *app);
};

/* A path that Parley does not have, known from other APIs or older versions, and the path to use
 * instead. */
struct route_hint {
	const char *path; /* a template; a last segment * stands for any further ones, or none */
	const char *use;  /* text after "unknown URL; " */
};

/* Another spelling of some paths. */
struct route_spelling {
	const char *path;  /* a template; a last segment * stands for any further ones, or none */
	const char *means; /* the path in their place, before what * stood for */
	bool        verb;  /* only paths whose last segment ends in a verb, as name:verb */
};

/* The routes of one listener: all rows but those whose auth is left out. */
struct route_list {
	const struct route *rows;    /* ended by a row without a name */
	unsigned            without; /* bits 1 << enum route_auth */
};

enum { ROUTE_PARAMS = 3, ROUTE_SPELLED = 64 };

/* route_spell: *ret is the path that a target means, written to out, which has room for twice the
 * target and ROUTE_SPELLED bytes; *ret_named: decoded, what stood for a {…} of the template; empty:
 * none.  list is ended by a row without a path.  False: the target is no such spelling. */
bool route_spell(const struct route_spelling *list, struct str target, char *out, struct str *ret,
		 struct str *ret_named) MUST_USE;

/* route_match: finds the row for a raw target ("/v1/models/a%2Fb?x=y"). The path is split into
 * segments first and percent-decoded then, so an encoded slash stays inside its segment; empty
 * segments collapse. Params are written decoded into scratch (at least as long as the target).
 * The first row whose path matches decides the path: /a/b must precede /a/{id}, and /a/{id}:verb
 * too. A verb follows the last colon of the path's last segment; the name before it may hold
 * colons and slashes, and is not empty. Such a path is no other row's name for other methods, so a
 * verb that no row has is unknown. *ret is the row,
 * or, on METHOD_NOT_ALLOWED, any row of that path. hints, ended by a row without a path, or
 * NULL, are for the text of UNKNOWN_URL; without a hint the text names a similar path. Errors:
 * BAD_REQUEST (bad escape, NUL, dot segment), UNKNOWN_URL, METHOD_NOT_ALLOWED. */
enum errc route_match(struct route_list list, const struct route_hint *hints, struct str method,
		      struct str target, char *scratch, struct str params[ROUTE_PARAMS],
		      const struct route **ret, struct err *e) MUST_USE;

struct buf;
/* route_allow: the methods of a row's path, such as "GET, HEAD, OPTIONS". */
bool route_allow(struct route_list list, const struct route *row, struct buf *out) MUST_USE;
/* route_query: checks that every escape in a query is valid and that none is a NUL. If not,
 * *ret_bad is the wrong pair, as it came. */
bool route_query(struct str query, struct str *ret_bad) MUST_USE;
/* route_scopes: the scopes of which a key needs one (enum scope); 0: the route needs no key. */
unsigned route_scopes(const struct route *row);
/* route_check: checks the table at the start: every column is set, and no row is there twice. */
enum errc route_check(const struct route *table, struct err *e) MUST_USE;
/* route_decode: percent-decodes in to out (may be the same memory); false: bad escape or NUL. */
bool route_decode(struct str in, bool plus_is_space, char *out, size_t *ret_len);
