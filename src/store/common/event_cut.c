/* Cuts pieces of event logs between their events. */
#include "store/common/event_cut.h"

#include "msg/event_code.h"

/* The longest row that has several events.  The events that waited for a long lock arrive as one piece, and
 * are split into such rows. */
enum { ROW_BYTES = 4 * 1024 * 1024 };

bool event_cut_front(struct events_piece *p, uint64_t last)
{
	struct str   rest = p->data;
	struct event ev;
	uint64_t     seq = 0;

	while (rest.n > 0) {
		p->data = rest;
		if (!event_decode(&rest, &ev, &seq))
			return false;
		if (seq > last) {
			p->first = seq;
			return true;
		}
	}
	return false;
}

struct events_piece event_cut_row(struct events_piece *p)
{
	struct events_piece row = *p;
	struct str          rest = p->data;
	struct event        ev;
	uint64_t            seq = p->first;
	uint64_t            last = p->first;

	while (p->data.n > ROW_BYTES && rest.n > 0) {
		struct str here = rest;

		if (!event_decode(&rest, &ev, &seq))
			break;
		if (seq > last && p->data.n - rest.n > ROW_BYTES) {
			row.last = last;
			row.data.n = p->data.n - here.n;
			p->first = seq;
			p->data = here;
			return row;
		}
		last = seq;
	}
	p->data = STR_NONE;
	return row;
}
