/* libFuzzer: a form is the same whole and cut into pieces; the first byte says how. */
#include "base/limits.h"
#include "http/multipart.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum errc on_part(void *arg, const struct multipart_part *p, struct err *e)
{
	(void)e;
	CHECK(p->name.n > 0 && p->name.n <= MULTIPART_NAME && utf8_valid(p->name.p, p->name.n));
	CHECK(p->filename.n <= MULTIPART_FILENAME && utf8_valid(p->filename.p, p->filename.n));
	CHECK(buf_str(arg, p->name) && buf_text(arg, "\1") && buf_str(arg, p->filename) &&
	      buf_text(arg, "\2") && buf_str(arg, p->content_type) && buf_text(arg, "\3"));
	return ERR_OK;
}

static enum errc on_data(void *arg, struct str bytes, struct err *e)
{
	(void)e;
	CHECK(bytes.n > 0 && buf_str(arg, bytes));
	return ERR_OK;
}

static enum errc on_end(void *arg, struct err *e)
{
	(void)e;
	CHECK(buf_text(arg, "\4"));
	return ERR_OK;
}

static const struct multipart_sink sink = { on_part, on_data, on_end };

static enum errc parse(const char *text, size_t len, size_t step, struct buf *seen)
{
	struct multipart m;
	struct err       e;
	enum errc        rc = ERR_OK;

	multipart_init(&m, STR("b"), &sink, seen);
	for (size_t at = 0; at < len && rc == ERR_OK; at += step) {
		size_t n = len - at < step ? len - at : step;
		char  *copy = malloc(n);

		CHECK(copy != NULL);
		memcpy(copy, text + at, n);
		rc = multipart_feed(&m, (struct str){ copy, n }, &e);
		free(copy);
	}
	if (rc == ERR_OK)
		rc = multipart_end(&m, &e);
	multipart_finish(&m);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;
	struct str boundary;
	struct err e;

	if (size < 2)
		return 0;
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);

	const char *text = (const char *)data + 1;
	enum errc   one = parse(text, size - 1, size, &whole);
	enum errc   other = parse(text, size - 1, (size_t)data[0] % 16 + 1, &cut);
	CHECK(one == other);
	CHECK(one != ERR_OK || str_eq(buf_view(&whole), buf_view(&cut)));
	if (multipart_boundary((struct str){ text, size - 1 }, &boundary, &e) == ERR_OK)
		CHECK(boundary.n > 0 && boundary.n <= MULTIPART_BOUNDARY);
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
