/* libFuzzer: Amazon's frames give the same events whole and cut into pieces; the first byte says how. */
#include "base/limits.h"
#include "upstream/sse.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum errc note(void *arg, struct str name, struct str data, struct err *e)
{
	struct buf *seen = arg;

	(void)e;
	CHECK(data.n > 0 && name.n > 0 && name.n <= LIMIT_SSE_NAME + 1);
	CHECK(buf_str(seen, name) && buf_text(seen, "\1") && buf_str(seen, data) &&
	      buf_text(seen, "\2"));
	return ERR_OK;
}

static enum errc parse(const char *text, size_t len, size_t step, struct buf *seen)
{
	const struct upstream_framing *f = &upstream_aws_frames;
	union framing_state            s;
	struct err                     e;
	enum errc                      rc = ERR_OK;

	f->init(&s);
	for (size_t at = 0; at < len && rc == ERR_OK; at += step) {
		size_t n = len - at < step ? len - at : step;
		char  *copy = malloc(n);

		CHECK(copy != NULL);
		memcpy(copy, text + at, n);
		rc = f->feed(&s, copy, n, note, seen, &e);
		free(copy);
	}
	if (rc == ERR_OK)
		rc = f->end(&s, note, seen, &e);
	f->finish(&s);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;

	if (size < 2)
		return 0;
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);

	const char *text = (const char *)data + 1;
	enum errc   one = parse(text, size - 1, size, &whole);
	enum errc   other = parse(text, size - 1, (size_t)data[0] % 16 + 1, &cut);
	CHECK(one == other);
	CHECK(one != ERR_OK || str_eq(buf_view(&whole), buf_view(&cut)));
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
