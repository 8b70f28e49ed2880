/* copy: moves everything from one database to an empty one, of any engines, table by table.  No gateway
 * may use either of them meanwhile. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct blobs;

enum { COPY_COLUMNS = 40, COPY_ROWS = 16 };

/* A table that both engines have, with columns of the same names. */
struct copy_table {
	const char *name;
	const char *columns; /* "a, b, c" */
	const char *types;   /* kinds: n number, t text, u text that may hold U+0000, b bytes */
	const char *order;
	const char *tail; /* SQL after an INSERT's values; "": none */
};
enum { COPY_EVENT = 5, COPY_FILE = 6, COPY_TABLES = 23 }; /* places in copy_tables */
extern const struct copy_table copy_tables[COPY_TABLES];

struct copy_value {
	bool       null;
	int64_t    number;
	struct str bytes;
};

/* Some rows of a table; what they point to is good until the next read. */
struct copy_rows {
	size_t            table; /* in copy_tables */
	size_t            count;
	struct copy_value values[COPY_ROWS][COPY_COLUMNS];
	struct arena      arena; /* for the engine's use */
};

/* One of the two databases. */
struct store_copy {
	const struct store_copy_ops *ops;
	struct blobs                *blobs; /* the engine's */
};

struct store_copy_ops {
	/* read: the next rows of the table rows->table; none: it has no more. */
	enum errc (*read)(struct store_copy *c, struct copy_rows *rows, struct err *e);
	enum errc (*write)(struct store_copy *c, const struct copy_rows *rows, struct err *e);
	/* commit: until now the database is empty for everybody else. */
	enum errc (*commit)(struct store_copy *c, struct err *e);
	void (*destroy)(struct store_copy *c);
};

struct copy_told {
	int64_t conversations, messages, runs, files, keys;
	int64_t missing; /* contents of files that the source has lost */
};

size_t copy_columns(const struct copy_table *t);
/* copy_all: copies and commits.  Errors: STORAGE, OVERLOADED. */
enum errc copy_all(struct store_copy *from, struct store_copy *to, struct copy_told *ret,
		   struct err *e) MUST_USE;
void      copy_destroy(struct store_copy *c); /* NULL is fine */
