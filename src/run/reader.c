/* The output buffer between an encoder and a client. */
#include "run/reader.h"

#include "base/limits.h"

void reader_init(struct reader *x, size_t max, bool keeps)
{
	*x = (struct reader){ .keeps = keeps };
	buf_init(&x->out, max);
	buf_init(&x->rest, max);
}

void reader_finish(struct reader *x)
{
	encoder_destroy(TAKE(x->encoder));
	buf_finish(&x->out);
	buf_finish(&x->rest);
}

struct str reader_ready(const struct reader *x)
{
	return (struct str){ x->out.data ? x->out.data + x->at : NULL, reader_waiting(x) };
}

void reader_taken(struct reader *x, size_t n)
{
	x->at += n;
	if (x->keeps)
		return;
	if (x->at == x->out.len) {
		/* Most streams wait most of the time, and so hold no memory for blocks meanwhile. */
		x->at = 0;
		buf_finish(&x->out);
	} else if (x->at > LIMIT_FEED_LOW && x->at >= x->out.len - x->at) {
		/* Clients take megabytes in many small parts.  So the waiting bytes move only when
		 * the taken ones are at least as many. */
		buf_take_front(&x->out, x->at);
		x->at = 0;
	}
}

bool reader_print_rest(struct reader *x)
{
	return x->encoder->ops->rest(x->encoder, &x->rest);
}

bool reader_join_rest(struct reader *x)
{
	bool ok = true;

	if (x->rest.len == 0)
		return true;
	if (x->out.len == 0) { /* rest may have megabytes: moved, not copied */
		struct buf emptied = x->out;

		x->out = x->rest;
		x->rest = emptied;
	} else {
		ok = buf_str(&x->out, buf_view(&x->rest));
	}
	buf_finish(&x->rest);
	return ok;
}

void reader_leave(struct reader *x)
{
	if (x->keeps)
		return;
	x->at = 0;
	buf_finish(&x->out);
}
