/* args: the parameters of a statement, in PostgreSQL's binary form.
 *
 * A parameter is a value, or an array with an element for each row of a batch:
 *
 *     args_begin(&a, ARGS_INT);
 *     for (size_t i = 0; i < n; i++)
 *             args_int(&a, rows[i].key);
 *     args_end(&a);
 *
 * The first failure (no memory) is kept, and sending the statement reports it. */
#pragma once

#include "base/buf.h"

enum { ARGS_MAX = 48 };

enum args_type { ARGS_INT, ARGS_TEXT, ARGS_BYTES, ARGS_TYPES };

/* Laid open so that it can be embedded; all zero before the first args_clear. */
struct args {
	struct buf data;
	size_t     array;    /* place of the open array's head; 0: none is open */
	int32_t    elements; /* of the open array */
	int        count;
	bool       failed;
	unsigned   types[ARGS_MAX];
	size_t     at[ARGS_MAX];
	int        lengths[ARGS_MAX]; /* -1: NULL */
};

void args_clear(struct args *a); /* keeps the memory, unless it is much */
void args_finish(struct args *a);

/* Each call adds a parameter, or an element of the open array. */
void args_int(struct args *a, int64_t v);
void args_secret(struct args *a, uint64_t secret);
void args_text(struct args *a, struct str s);  /* empty stays empty */
void args_maybe(struct args *a, struct str s); /* empty becomes NULL */
void args_bytes(struct args *a, struct str s);
void args_bytes_maybe(struct args *a, struct str s);
void args_null(struct args *a, enum args_type type);

void args_begin(struct args *a, enum args_type element);
void args_end(struct args *a);

/* ARGS_EACH(a, type, i, n, add): an array with what `add` adds for each i below n. */
#define ARGS_EACH(a, type, i, n, add)               \
	do {                                        \
		args_begin(a, type);                \
		for (size_t i = 0; i < (n); i++)    \
			add;                        \
		args_end(a);                        \
	} while (0)
