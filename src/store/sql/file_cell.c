/* Rows of files. */
#include "store/sql/file_cell.h"

bool file_cell_keep(struct row r, struct arena *a, struct store_file *ret, struct err *e)
{
	struct str sum = cell_str(r, 4);

	if (sum.n != HASH_BYTES) {
		cell_damaged(e);
		return false;
	}
	if (!cell_keep(a, r, 5, &ret->name, e) || !cell_keep(a, r, 6, &ret->type, e) ||
	    !cell_keep(a, r, 7, &ret->purpose, e))
		return false;
	ret->id = cell_id(cell_int(r, 0), r, 1);
	ret->created_ms = cell_int(r, 2);
	ret->bytes = cell_int(r, 3);
	memcpy(ret->sha256, sum.p, HASH_BYTES);
	return true;
}

bool file_cell_room(struct arena *a, size_t count, struct store_file **ret, struct err *e)
{
	*ret = count <= a->max / sizeof **ret ? arena_alloc(a, count * sizeof **ret) : NULL;
	if (!*ret)
		cell_no_memory(e);
	return *ret;
}
