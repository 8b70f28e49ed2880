/* Writes comma-separated values, and reads whether a client wants them. */
#include "routes/kit/csv.h"

#include "http/reply.h"
#include "http/request.h"

#include <stdio.h>
#include <strings.h>
#include <time.h>

/* --- the request --- */

bool csv_asked(struct request *r, bool *ret)
{
	static const char type[] = "text/csv";
	struct str        text;

	if (request_query(r, "format", 0, &text)) {
		*ret = str_is(text, "csv");
		if (*ret || str_is(text, "json"))
			return true;
		reply_refuse(r, ERR_INVALID_VALUE, "format", "must be json or csv");
		return false;
	}
	/* A client that takes JSON, too, or anything, gets JSON. */
	text = request_view(r)->head.accept;
	*ret = text.n >= sizeof type - 1 && strncasecmp(text.p, type, sizeof type - 1) == 0;
	return true;
}

void csv_headers(struct request *r, const char *file, struct str next)
{
	char text[80];
	int  n = snprintf(text, sizeof text, "attachment; filename=\"%s\"", file);

	reply_header(r, "Content-Disposition", (struct str){ text, (size_t)n });
	if (next.n > 0)
		reply_header(r, "x-next", next);
}

/* --- lines --- */

struct csv csv_begin(struct buf *out, const char *columns)
{
	return (struct csv){ out, false, buf_text(out, columns) && buf_text(out, "\r\n") };
}

static void csv_cell(struct csv *c)
{
	c->ok = c->ok && (!c->begun || buf_text(c->out, ","));
	c->begun = true;
}

static bool is_formula(struct str s)
{
	return s.n > 0 && ((unsigned char)s.p[0] < ' ' || strchr("=+-@", s.p[0]));
}

static bool needs_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '"' || s.p[i] == ',' || s.p[i] == '\r' || s.p[i] == '\n')
			return true;
	return false;
}

void csv_text(struct csv *c, struct str s)
{
	bool quotes = needs_quotes(s);

	csv_cell(c);
	c->ok = c->ok && (!quotes || buf_text(c->out, "\"")) &&
		(!is_formula(s) || buf_text(c->out, "'"));
	for (size_t i = 0; quotes && c->ok && i < s.n; i++)
		c->ok = (s.p[i] != '"' || buf_text(c->out, "\"")) && buf_add(c->out, &s.p[i], 1);
	c->ok = c->ok && (quotes ? buf_text(c->out, "\"") : buf_str(c->out, s));
}

void csv_int(struct csv *c, int64_t v)
{
	csv_cell(c);
	c->ok = c->ok && buf_int(c->out, v);
}

void csv_none(struct csv *c)
{
	csv_cell(c);
}

void csv_time(struct csv *c, int64_t ms)
{
	time_t    s = ms / 1000;
	struct tm t;

	csv_cell(c);
	c->ok = c->ok && gmtime_r(&s, &t) &&
		buf_fmt(c->out, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", t.tm_year + 1900,
			t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (int)(ms % 1000));
}

void csv_row(struct csv *c)
{
	c->ok = c->ok && buf_text(c->out, "\r\n");
	c->begun = false;
}
