/* Rows of stored completions. */
#include "store/sql/completion_cell.h"

#include "base/limits.h"

enum { FIRST_TEXT = 3, LAST_TEXT = 8, USAGE = 9 };

void completion_cell_params(struct param *a, struct id run, int64_t owner)
{
	param_int(a, run.key);
	param_secret(a, run.secret);
	param_int(a, owner);
}

void completion_cell_missing(struct err *e)
{
	err_set(e, ERR_NOT_FOUND, "", "there is no such stored completion");
}

void completion_cell_too_large(struct err *e, const struct arena *a)
{
	err_set(e, ERR_REQUEST_TOO_LARGE, "",
		"the completion is larger than the %zu KiB that can be read at once", a->max / KIB);
}

size_t completion_cell_bytes(struct row r)
{
	size_t n = 0;

	for (int column = FIRST_TEXT; column <= LAST_TEXT; column++)
		n += cell_str(r, column).n + 64;
	return n;
}

bool completion_cell_keep(struct row r, struct arena *a, struct store_completion *ret,
			  struct err *e)
{
	struct str *const texts[] = {
		&ret->model,    &ret->finish_reason, &ret->request_id,
		&ret->settings, &ret->answer,        &ret->metadata,
	};
	_Static_assert(ARRAY_LEN(texts) == LAST_TEXT - FIRST_TEXT + 1, "one for each column");

	ret->run = cell_id(cell_int(r, 0), r, 1);
	ret->created_ms = cell_int(r, 2);
	ret->usage = cell_usage(r, USAGE);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!cell_keep(a, r, FIRST_TEXT + (int)i, texts[i], e))
			return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}
