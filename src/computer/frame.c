/* Reads and writes single frames. */
#include "computer/frame.h"

#include "base/limits.h"

enum frame_found frame_look(struct str bytes, struct frame *ret)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	if (bytes.n < 4)
		return FRAME_NONE;

	size_t n = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
	if (n > LIMIT_RUNNER_FRAME)
		return FRAME_TOO_LARGE;
	if (bytes.n < FRAME_HEAD + n)
		return FRAME_NONE;
	*ret = (struct frame){ bytes.p[4], { bytes.p + FRAME_HEAD, n } };
	return FRAME_WHOLE;
}

bool frame_put(struct buf *out, enum frame_kind kind, struct str body)
{
	char head[FRAME_HEAD] = { (char)(body.n & 0xff), (char)(body.n >> 8 & 0xff),
				  (char)(body.n >> 16 & 0xff), (char)(body.n >> 24 & 0xff),
				  (char)kind };

	CHECK(body.n <= LIMIT_RUNNER_FRAME);
	return buf_reserve(out, FRAME_HEAD + body.n) && buf_add(out, head, sizeof head) &&
	       buf_str(out, body);
}
