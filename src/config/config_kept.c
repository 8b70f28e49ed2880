/* Finds the changed options that a reload can't apply, by the rows of config.def. */
#include "config/config.h"

#include "config/config_option.h"

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_list(const struct config_list *a, const struct config_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = same_text(a->items[i], b->items[i]);
	return same;
}

bool config_kept_same(const struct config_option *o, const struct config *a, const struct config *b)
{
	const void *x = (const char *)a + o->offset;
	const void *y = (const char *)b + o->offset;

	switch (o->rule.type) {
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return same_text(*(const char *const *)x, *(const char *const *)y);
	case CONFIG_LIST: return same_list(x, y);
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION: return *(const int64_t *)x == *(const int64_t *)y;
	case CONFIG_BOOL: return *(const bool *)x == *(const bool *)y;
	case CONFIG_ENUM: return *(const int *)x == *(const int *)y;
	}
	return true;
}

bool config_kept(const struct config *running, const struct config *read, struct buf *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < CONFIG_OPTION__COUNT; i++) {
		const struct config_option *o = &config_options[i];

		if (!o->reloadable && !config_kept_same(o, running, read))
			ok = buf_fmt(out, "%s%s", out->len > 0 ? ", " : "", o->name);
	}
	return ok;
}
