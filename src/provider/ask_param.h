/* provider/ask_param: the members of OpenAI's request beside its messages, handed on by a table of
 * the dialect.  Internal to provider/.
 *
 * What OpenAI's request knows and the table does not is dropped with a warning; what OpenAI does not
 * know (config.extra, a provider's own options) is handed on as it is, at the root. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "msg/prompt.h"

enum ask_rule {
	ASK_SENT,    /* in `group` under its name there; a number is held to least..most */
	ASK_OWN,     /* the dialect sees to it itself, or it means nothing to a provider */
	ASK_REFUSED, /* 400 */
};

/* A table ends with a key of NULL. */
struct ask_param {
	const char   *key; /* in OpenAI's request */
	enum ask_rule rule;
	const char   *as;    /* NULL: the same */
	unsigned      group; /* object of the provider's request, as the dialect numbers them; 0: its root */
	double        least; /* least == most: no bounds; beyond them it is clamped, with a warning */
	double        most;
};

/* What all requests are made with: an error's one text, and a string that is escaped already, in quotes
 * behind `before`. */
enum errc ask_too_large(struct err *e);
bool      ask_put_string(struct buf *out, const char *before, struct str escaped) MUST_USE;

/* ask_put_comma: a comma but in front of the first of a list; *first is false then. */
bool ask_put_comma(bool *first, struct buf *out) MUST_USE;
/* ask_put_list: what stands behind `before` in any case, where it is one value or an array of them; nothing
 * for an empty raw. */
bool ask_put_list(const char *before, struct str raw, bool *first, struct buf *out) MUST_USE;

/* ask_param_value: the raw value of a member; empty: it is absent or null. */
struct str ask_param_value(const struct prompt *p, const char *key);

/* ask_param_put: the ASK_SENT members of a group, as `"as":value`, each with a comma in front but,
 * where *first, the first of them; *first is false once there was one.
 * Errors: REQUEST_TOO_LARGE. */
enum errc ask_param_put(const struct prompt *p, const struct ask_param *table, unsigned group,
			bool *first, struct buf *out, struct err *e) MUST_USE;
/* ask_param_rest: refuses what the table refuses, warns of what is dropped, and puts what OpenAI does
 * not know, each with a comma in front.
 * Errors: UNSUPPORTED_PARAMETER with the member's name as path, REQUEST_TOO_LARGE. */
enum errc ask_param_rest(const struct prompt *p, const struct ask_param *table, const char *dialect,
			 struct buf *out, struct err *e) MUST_USE;
