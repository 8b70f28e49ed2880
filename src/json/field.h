/* json/field: tables that check the members of an object, bind their values, and name a wrong
 * member in the error.  A table has a row for each member; a request body, its messages and its
 * config are a field_set each. */
#pragma once

#include "json/scan.h"

enum field_type {
	FIELD_STRING, /* binds struct str (its value); min, max: bytes of the value */
	FIELD_INT,    /* binds int64_t; min, max: the value */
	FIELD_NUMBER, /* binds double; min, max: the value */
	FIELD_BOOL,   /* binds bool */
	FIELD_ENUM,   /* binds int: the index in names */
	FIELD_ARRAY,  /* binds json_at; min, max: elements */
	FIELD_OBJECT, /* binds json_at */
	FIELD_ANY,    /* binds json_at; checked by the caller */
};

struct field {
	const char        *key;
	enum field_type    type;
	bool               required;
	double             min;
	double             max;   /* min == max == 0: no bound */
	size_t             at;    /* offsetof the bound member */
	const char *const *names; /* FIELD_ENUM: NULL-terminated */
};

/* A member of another API that people write here, and the member to use instead. */
struct field_moved {
	const char *key;
	const char *to; /* in the same object, or deeper: "extra.top_k" */
};

struct field_set {
	const char         *name; /* NAME of schema/NAME.json */
	const struct field *rows;
	size_t              count;
	bool                open; /* unknown members are allowed; else ERR_UNKNOWN_PARAMETER */
	/* For the message of ERR_UNKNOWN_PARAMETER; all may be NULL. */
	const struct field_moved *moved;     /* ended by a NULL key */
	const struct field_set   *inner;     /* a set whose members are often written here, */
	const char               *inner_key; /* but belong into the member of this name */
	const char               *others;    /* advice for members that no set knows */
};
/* A set that has only a name and rows. */
/* clang-format off */
#define FIELD_SET(text, list)	   { .name = (text), .rows = (list), .count = ARRAY_LEN(list) }
#define FIELD_SET_OPEN(text, list) \
	{ .name = (text), .rows = (list), .count = ARRAY_LEN(list), .open = true }
/* clang-format on */

/* fields_read: checks object obj of doc against set and binds into *ret.  A member that is
 * absent or null leaves its binding as the caller initialised it; if the member is required, the
 * error is ERR_MISSING_PARAMETER.  path ("" for the root, otherwise such as messages[2]) is put
 * before the member in e->path.  An escaped string is unescaped into arena; a string with NUL is
 * ERR_INVALID_VALUE.  The error of an unknown member names the nearest known one.
 * On failure *ret may be bound in part.
 * Errors: MISSING_PARAMETER, INVALID_TYPE, INVALID_VALUE, UNKNOWN_PARAMETER; each message says
 * what is allowed.  REQUEST_TOO_LARGE or OVERLOADED when the arena has no room for a string. */
enum errc fields_read(const struct field_set *set, const struct json_doc *doc, json_at obj,
		      const char *path, struct arena *arena, void *ret, struct err *e) MUST_USE;
