/* base/list: a doubly linked list whose links are embedded in its items.  A list that is all zero
 * is empty; a link that is all zero is in no list.  Not shared between threads without the owner's
 * lock. */
#pragma once

#include "base/base.h"

#include <stddef.h>

struct list_head {
	struct list_link *first, *last;
};

/* Embedded in an item; an item has a link for each list that it may be in at once. */
struct list_link {
	struct list_link *prev, *next;
	struct list_head *in; /* NULL: in no list */
};

/* list_put_front, list_put_back: link must be in no list. */
static inline void list_put_front(struct list_head *l, struct list_link *link)
{
	*link = (struct list_link){ .next = l->first, .in = l };
	if (l->first)
		l->first->prev = link;
	else
		l->last = link;
	l->first = link;
}

static inline void list_put_back(struct list_head *l, struct list_link *link)
{
	*link = (struct list_link){ .prev = l->last, .in = l };
	if (l->last)
		l->last->next = link;
	else
		l->first = link;
	l->last = link;
}

/* list_take_out: link may be in no list; then nothing happens. */
static inline void list_take_out(struct list_link *link)
{
	struct list_head *l = link->in;

	if (!l)
		return;
	if (link->prev)
		link->prev->next = link->next;
	else
		l->first = link->next;
	if (link->next)
		link->next->prev = link->prev;
	else
		l->last = link->prev;
	*link = (struct list_link){ .in = NULL };
}

/* LIST_ITEM: the struct around a link; NULL for NULL.  LIST_FIRST: the first item of a list.
 * LIST_NEXT: the item after an item.  NULL: there is none. */
#define LIST_ITEM(link, type, member)                             \
	__extension__({                                           \
		struct list_link *link_ = (link);                 \
		link_ ? container_of(link_, type, member) : NULL; \
	})
#define LIST_FIRST(list, type, member) LIST_ITEM((list)->first, type, member)
#define LIST_NEXT(item, type, member)  LIST_ITEM((item)->member.next, type, member)
/* LIST_EACH(item, list, struct item, member): walks from front to back, and declares item, which
 * must stay in the list meanwhile. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define LIST_EACH(item, list, type, member)                     \
	for (type *item = LIST_FIRST(list, type, member); item; \
	     item = LIST_NEXT(item, type, member))
/* NOLINTEND(bugprone-macro-parentheses) */
