/* param: the parameters of a statement, in PostgreSQL's binary form, which SQLite's driver reads.
 *
 * A parameter is a value, or an array with an element for each row of a batch:
 *
 *     param_begin(&a, PARAM_INT);
 *     for (size_t i = 0; i < n; i++)
 *             param_int(&a, rows[i].key);
 *     param_end(&a);
 *
 * The first failure (no memory) is kept, and sending the statement reports it. */
#pragma once

#include "base/buf.h"

enum {
	PARAM_MAX = 48,
	/* Bytes of an array without elements, of the head of others, and of a number with its length. */
	PARAM_EMPTY = 3 * 4,
	PARAM_HEAD = 5 * 4,
	PARAM_STEP = 4 + 8,
};

/* PARAM_RAW: a text that may have U+0000, and so is bytea in PostgreSQL; text in SQLite. */
enum param_type { PARAM_INT, PARAM_TEXT, PARAM_BYTES, PARAM_RAW, PARAM_TYPES };

/* Laid open so that it can be embedded; all zero before the first param_clear. */
struct param {
	struct buf      data;
	size_t          array;    /* place of the open array's head; 0: none is open */
	int32_t         elements; /* elements of the open array */
	int             count;
	bool            failed;
	unsigned        types[PARAM_MAX]; /* PostgreSQL's */
	enum param_type kinds[PARAM_MAX];
	bool            arrays[PARAM_MAX];
	size_t          at[PARAM_MAX];
	int             lengths[PARAM_MAX]; /* -1: NULL */
};

void param_clear(struct param *a); /* keeps the memory, unless it is much */
void param_finish(struct param *a);
/* param_copy: to, which is overwritten, becomes a copy. */
void param_copy(struct param *to, const struct param *from);

/* Each call adds a parameter, or an element of the open array. */
void param_int(struct param *a, int64_t v);
void param_secret(struct param *a, uint64_t secret);
void param_text(struct param *a, struct str s);  /* empty stays empty */
void param_maybe(struct param *a, struct str s); /* empty becomes NULL */
void param_raw(struct param *a, struct str s);
void param_raw_maybe(struct param *a, struct str s);
void param_bytes(struct param *a, struct str s);
void param_bytes_maybe(struct param *a, struct str s);
void param_null(struct param *a, enum param_type type);

void param_begin(struct param *a, enum param_type element);
void param_end(struct param *a);

/* PARAM_EACH(a, type, i, n, add): an array with what `add` adds for each i below n. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define PARAM_EACH(a, type, i, n, add)           \
	do {                                     \
		param_begin(a, type);            \
		for (size_t i = 0; i < (n); i++) \
			(add);                   \
		param_end(a);                    \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */
