/* The bytes between an encoder and a client. */
#include "run/reader.h"

#include "base/limits.h"

/* Memory that an emptied stream keeps. */
enum { OUT_KEPT = 4096 };

void reader_init(struct reader *x, size_t max, bool keeps)
{
	*x = (struct reader){ .keeps = keeps };
	buf_init(&x->out, max);
}

void reader_finish(struct reader *x)
{
	encoder_destroy(TAKE(x->encoder));
	buf_finish(&x->out);
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
		x->at = 0;
		buf_clear(&x->out);
		if (x->out.cap > OUT_KEPT)
			buf_finish(&x->out);
	} else if (x->at > LIMIT_FEED_LOW && x->at >= x->out.len - x->at) {
		/* No more is moved than was taken: megabytes that wait leave in many small parts. */
		buf_take_front(&x->out, x->at);
		x->at = 0;
	}
}

void reader_leave(struct reader *x)
{
	if (x->keeps)
		return;
	x->at = 0;
	buf_finish(&x->out);
}
