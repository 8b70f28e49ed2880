/* Prints the entries of a `warnings` array as they occur. */
#include "lmc/warnings.h"

#include "base/limits.h"
#include "lmc/text.h"

#include <stdarg.h>
#include <stdio.h>

void warnings_init(struct warnings *w)
{
	*w = (struct warnings){ 0 };
	buf_init(&w->json, MIB);
}

void warnings_finish(struct warnings *w)
{
	buf_finish(&w->json);
	w->count = 0;
}

static bool warnings_put(struct warnings *w, size_t index, const char *code, struct str message)
{
	size_t start = w->json.len;

	if (buf_fmt(&w->json, "%s{\"index\":%zu,\"code\":\"%s\",\"message\":", start > 0 ? "," : "",
		    index, code) &&
	    text_quote(&w->json, message) && buf_text(&w->json, "}"))
		return true;
	w->json.len = start;
	return false;
}

void warnings_add(struct warnings *w, size_t index, const char *code, const char *fmt, ...)
{
	char    text[256];
	va_list list;

	if (!w || index == WARNINGS_UNTOLD || w->count > LIMIT_WARNINGS)
		return;
	if (w->count++ == LIMIT_WARNINGS) {
		(void)warnings_put(w, index, "more_warnings",
				   STR("there are more warnings than are listed"));
		return;
	}
	va_start(list, fmt);
	int n = vsnprintf(text, sizeof text, fmt, list);
	va_end(list);

	/* A cut must not end inside a character. Only names of clients are long. */
	struct str message = { text, n < 0                     ? 0
				     : (size_t)n < sizeof text ? (size_t)n
							       : sizeof text - 1 };
	if (n >= (int)sizeof text)
		message.n = text_whole(message);
	(void)warnings_put(w, index, code, message);
}

bool warnings_print(const struct warnings *w, struct buf *out)
{
	size_t start = out->len;

	if (buf_text(out, "[") && buf_str(out, buf_view(&w->json)) && buf_text(out, "]"))
		return true;
	out->len = start;
	return false;
}

bool warnings_join(struct warnings *w, struct str entries, size_t count)
{
	size_t start = w->json.len;

	if (count == 0)
		return true;
	if ((start > 0 && !buf_text(&w->json, ",")) || !buf_str(&w->json, entries)) {
		w->json.len = start;
		return false;
	}
	w->count += count;
	return true;
}
