/* Filters of lists. */
#include "store/postgres/label_filter.h"

void label_filter_args(const struct store_labels *labels, struct param *a)
{
	struct labels all = { 0 };

	if (labels->key.p && !labels_add(&all, 0, labels->filter))
		a->failed = true;
	labels_pairs(&all, a);
	labels_finish(&all);
}
