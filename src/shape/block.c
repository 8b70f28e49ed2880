/* Numbering blocks, and leaving out what was seen. */
#include "shape/block.h"

void block_event(struct blocks *b, uint64_t seq)
{
	/* One chunk of a provider may make several events of one number. */
	if (seq != b->next.seq)
		b->next = (struct cursor){ .seq = seq };
}

static bool put_number(const struct cursor *c, struct buf *out)
{
	return buf_text(out, "id: ") && buf_int(out, (int64_t)c->seq) &&
	       (c->nth == 0 || (buf_text(out, ".") && buf_int(out, (int64_t)c->nth))) &&
	       buf_text(out, "\n");
}

bool block_open(struct blocks *b, const char *name, struct buf *out)
{
	b->start = out->len;
	if (b->numbered &&
	    (!put_number(&b->next, out) ||
	     (name && (!buf_text(out, "event: ") || !buf_text(out, name) || !buf_text(out, "\n")))))
		return false;
	return buf_text(out, "data: ");
}

bool block_close(struct blocks *b, struct buf *out)
{
	struct cursor at = b->next;

	if (!buf_text(out, "\n\n"))
		return false;
	b->next.nth++;
	if (cursor_has(&b->seen, &at))
		out->len = b->start;
	return true;
}
