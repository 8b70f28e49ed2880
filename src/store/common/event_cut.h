/* event_cut: cuts pieces of event logs between their events. */
#pragma once

#include "store/events.h"

/* event_cut_front: removes the records up to event number `last` from the piece's front; false: none
 * remains. */
bool event_cut_front(struct events_piece *p, uint64_t last);
/* event_cut_row: cuts as many whole events off *p's front as fit into a row, but at least one.  Records that
 * continue an event have its number and stay in its row. */
struct events_piece event_cut_row(struct events_piece *p);
