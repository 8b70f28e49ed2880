/* libFuzzer: an answer of HTTP/1.1 gives the same body and the same end whole and cut into pieces; the
 * first byte says how. */
#include "base/limits.h"
#include "upstream/internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool http1_fuzz_read(struct http1 *h, const char *text, size_t len, size_t step,
			    struct buf *body)
{
	bool ok = true;

	for (size_t at = 0; at < len && ok; at += step) {
		size_t     n = len - at < step ? len - at : step;
		char      *copy = malloc(n);
		struct str part;

		CHECK(copy != NULL);
		memcpy(copy, text + at, n);
		ok = http1_feed(h, copy, n, &part);
		CHECK(part.n <= n && part.p >= copy && part.p + part.n <= copy + n);
		CHECK(ok == !h->wrong);
		CHECK(part.n == 0 || http1_head_read(h));
		CHECK(buf_str(body, part));
		free(copy);
	}
	return ok && http1_end(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http1 one, other;
	struct buf   whole, cut;

	if (size < 2)
		return 0;
	http1_init(&one);
	http1_init(&other);
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);

	const char *text = (const char *)data + 1;
	bool        first = http1_fuzz_read(&one, text, size - 1, size, &whole);
	bool second = http1_fuzz_read(&other, text, size - 1, (size_t)data[0] % 16 + 1, &cut);
	CHECK(first == second);
	CHECK(one.wrong == other.wrong);
	CHECK(one.status == other.status && one.state == other.state);
	CHECK(str_eq(buf_view(&whole), buf_view(&cut)));
	CHECK(one.keeps == other.keeps && one.compressed == other.compressed);
	CHECK(strcmp(one.content_type, other.content_type) == 0);
	buf_finish(&whole);
	buf_finish(&cut);
	http1_finish(&one);
	http1_finish(&other);
	return 0;
}
