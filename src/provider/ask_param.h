/* provider/ask_param: handles the members of OpenAI's request other than messages, by a table of
 * the dialect. Internal to provider/.
 *
 * A member of OpenAI's request that is not in the table is dropped with a warning. A member that
 * OpenAI does not know (config.extra, a provider's own options) is sent unchanged, at the root. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "msg/prompt.h"

enum ask_rule {
	ASK_SENT,    /* sent in `group` with the name `as`; a number is clamped to least..most */
	ASK_OWN,     /* handled by other code of the dialect, or of no meaning to the provider */
	ASK_REFUSED, /* 400 */
};

/* A table ends with a key of NULL. */
struct ask_param {
	const char   *key; /* in OpenAI's request */
	enum ask_rule rule;
	const char   *as; /* in the provider's request; NULL: key */
	unsigned group; /* number that the dialect gives to an object of the request; 0: the root */
	double   least; /* least == most: no bounds; a clamped number makes a warning */
	double   most;
};

/* Common functions for printing requests: the error of a request that is too large, and an
 * escaped string in quotes after `before`. */
enum errc ask_too_large(struct err *e);
bool      ask_put_string(struct buf *out, const char *before, struct str escaped) MUST_USE;

/* ask_is_blank: whether a text has nothing but white space, which Unicode has as such; it is escaped.
 * ask_shown: the text without white space at its end. */
bool       ask_is_blank(struct str escaped);
struct str ask_shown(struct str escaped);

/* ask_put_comma: appends a comma, except before the first element of a list; *first is false
 * afterwards. */
bool ask_put_comma(bool *first, struct buf *out) MUST_USE;
/* ask_put_stops: appends `before` and the sequences of the member `stop` as an array: raw itself if it is one; without
 * empty ones, without those of white space where the API takes only words, and at most `most`, if that is not
 * 0.  A warning names what was left out. */
bool ask_put_stops(const struct prompt *p, const char *before, size_t most, bool words, bool *first,
		   struct buf *out) MUST_USE;

/* ask_is_sampling: a member that chooses among tokens: temperature, top_p or top_k. */
bool ask_is_sampling(const struct json_doc *d, json_at key);
/* ask_param_value: the raw value of a member; empty: the member is absent or null. */
struct str ask_param_value(const struct prompt *p, const char *key);

/* A client may send a member of the provider's own, which the dialect makes of OpenAI's words: a
 * request must not have it twice.
 *
 * ask_param_merge: appends `,"key":{…}` with the members of ours, an object or empty, and those of the
 * client's own object; nothing if both are empty.  A member that both have is that of ours, or that of the
 * client's where `own_first` says so, and a warning tells it.  Names that differ in case and underscores
 * alone are the same: some APIs know two spellings.  Errors: INVALID_TYPE with the key as path,
 * ask_too_large's.
 * ask_param_alone: appends the client's own member unless the dialect made it.  Errors: INVALID_VALUE
 * with the key as path if both are there, ask_too_large's. */
enum errc ask_param_merge(const struct prompt *p, const char *key, struct str ours, bool own_first,
			  struct buf *out, struct err *e) MUST_USE;
enum errc ask_param_alone(const struct prompt *p, const char *key, bool made, struct buf *out,
			  struct err *e) MUST_USE;
/* ask_param_unsent: warns that a member was not sent, because `instead` says the same thing. */
void ask_param_unsent(const struct prompt *p, const char *key, const char *instead);

/* ask_param_put: appends the ASK_SENT members of a group, as `"as":value`, each with a comma
 * before it, except, if *first, the first one; *first is false once there was one. Errors:
 * REQUEST_TOO_LARGE. */
enum errc ask_param_put(const struct prompt *p, const struct ask_param *table, unsigned group,
			bool *first, struct buf *out, struct err *e) MUST_USE;
/* ask_param_rest: refuses the members that the table refuses, warns of the dropped ones, and
 * appends the members that OpenAI does not know, each with a comma before it. Errors:
 * UNSUPPORTED_PARAMETER with the member's name as path, REQUEST_TOO_LARGE. */
enum errc ask_param_rest(const struct prompt *p, const struct ask_param *table, const char *dialect,
			 struct buf *out, struct err *e) MUST_USE;

/* --- allowed: tool_choice of type allowed_tools, for APIs that lack it. Internal to provider/.
 *
 * OpenAI lets a request choose among some of its tools, so that the list of all of them stays the same
 * and in the cache. Elsewhere only these tools are sent, and the choice is the mode. Source: openai's
 * types ChatCompletionAllowedToolChoiceParam and ChatCompletionAllowedToolsParam. */

/* allowed_apply: replaces the members tools and tool_choice of a copy of a prompt; with another choice,
 * or none, nothing is done. What is made is in the arena. Errors, at the path of the culprit:
 * INVALID_TYPE, INVALID_VALUE; OVERLOADED. */
enum errc allowed_apply(struct prompt *p, struct arena *a, struct err *e) MUST_USE;
