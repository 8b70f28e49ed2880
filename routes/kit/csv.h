/* routes/kit/csv: answers as comma-separated values (RFC 4180), for programs that make tables of them.
 *
 *   struct csv c = csv_begin(out, "id,model,calls");
 *   … for each row: csv_text(&c, id); csv_text(&c, model); csv_int(&c, calls); csv_row(&c);
 *   return c.ok;
 *
 * A text that a spreadsheet would take for a formula, one that begins with = + - @ or a control character, gets an
 * apostrophe before it, because names come from clients.  Numbers are no texts, and stay as they are. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct request;

#define CSV_TYPE "text/csv; charset=utf-8"

/* csv_asked: whether the answer shall be CSV: the parameter `format`, and without it the header Accept.  False: the
 * parameter is wrong, and the request was refused and answered. */
bool csv_asked(struct request *r, bool *ret) MUST_USE;
/* csv_headers: adds the headers of a file of this name; next: what the next page begins after; empty: there is
 * none. */
void csv_headers(struct request *r, const char *file, struct str next);

/* Lines that are being written to out (borrowed).  ok: false from the first piece on that found no room. */
struct csv {
	struct buf *out;
	bool        begun; /* the line has a cell */
	bool        ok;
};

/* csv_begin: with the line of the columns' names. */
struct csv csv_begin(struct buf *out, const char *columns);
void       csv_text(struct csv *c, struct str s);
void       csv_int(struct csv *c, int64_t v);
void       csv_none(struct csv *c);
/* csv_time: a time in UTC with milliseconds, as RFC 3339 writes it. */
void csv_time(struct csv *c, int64_t ms);
void csv_row(struct csv *c);
