/* Numbers the blocks of a stream, and leaves out those that the reader has received. */
#include "shape/block.h"

static bool block_put_number(const struct cursor *c, struct buf *out)
{
	return buf_text(out, "id: ") && buf_int(out, (int64_t)c->seq) &&
	       (c->nth == 0 || (buf_text(out, ".") && buf_int(out, (int64_t)c->nth)));
}

bool block_open(struct blocks *b, const char *name, struct buf *out)
{
	b->start = out->len;
	if (!b->numbered)
		return buf_text(out, "data: ");
	return block_put_number(&b->next, out) &&
	       (!name || (buf_text(out, "\nevent: ") && buf_text(out, name))) &&
	       buf_text(out, "\ndata: ");
}

bool block_close(struct blocks *b, struct buf *out)
{
	if (!buf_text(out, "\n\n"))
		return false;
	if (cursor_has(&b->seen, &b->next))
		out->len = b->start;
	b->next.nth++;
	return true;
}
