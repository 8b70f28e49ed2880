/* Keys in an array that grows. */
#include "store/sql/key_list.h"

#include <stdlib.h>

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
