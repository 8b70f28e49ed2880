/* A list in an arena. */
#include "routes/response/internal.h"

bool response_origins_add(struct response_origins *l, struct origin row)
{
	if (l->count == l->room) {
		size_t         room = l->room ? 2 * l->room : 4;
		struct origin *list = arena_alloc(l->arena, room * sizeof *list);

		if (!list)
			return false;
		if (l->count > 0)
			memcpy(list, l->list, l->count * sizeof *list);
		l->list = list;
		l->room = room;
	}
	l->list[l->count++] = row;
	return true;
}
