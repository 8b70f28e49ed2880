/* Columns of results, and lists of keys. */
#include "store/sql/cell.h"

#include <stdlib.h>

bool cell_null(struct row r, int column)
{
	return r.kind->null(r, column);
}

int64_t cell_int(struct row r, int column)
{
	return r.kind->number(r, column);
}

struct id cell_id(int64_t key, struct row r, int secret_column)
{
	return (struct id){ key, (uint64_t)cell_int(r, secret_column) };
}

struct str cell_str(struct row r, int column)
{
	return r.kind->text(r, column);
}

void cell_no_memory(struct err *e)
{
	err_set(e, ERR_OVERLOADED, "", "the gateway is out of memory");
}

void cell_damaged(struct err *e)
{
	err_set(e, ERR_STORAGE, "",
		"the gateway can't use its storage at the moment: its database is damaged; try again later");
	e->retry_after_ms = 2000;
}

bool cell_keep(struct arena *a, struct row r, int column, struct str *ret, struct err *e)
{
	struct str s = arena_str(a, cell_str(r, column));

	if (!s.p) {
		cell_no_memory(e);
		return false;
	}
	*ret = s;
	return true;
}

struct usage cell_usage(struct row r, int first)
{
	bool any = !cell_null(r, first);

	return (struct usage){
		.known = any && cell_int(r, first) == 0,
		.estimated = any && cell_int(r, first) != 0,
		.in = cell_int(r, first + 1),
		.out = cell_int(r, first + 2),
		.cached_read = cell_int(r, first + 3),
		.cached_write = cell_int(r, first + 4),
		.reasoning = cell_int(r, first + 5),
	};
}

bool cell_fits(const struct arena *a, size_t n)
{
	/* 64: a NUL, and the arena's rounding. */
	return n + 64 < a->max && a->used < a->max - n - 64;
}

bool key_list_add(struct key_list *k, int64_t key)
{
	if (k->count == k->cap) {
		size_t   cap = k->cap ? 2 * k->cap : 64;
		int64_t *grown = realloc(k->at, cap * sizeof *grown);

		if (!grown)
			return false;
		k->at = grown;
		k->cap = cap;
	}
	k->at[k->count++] = key;
	return true;
}

void key_list_finish(struct key_list *k)
{
	free(k->at);
	*k = (struct key_list){ 0 };
}
