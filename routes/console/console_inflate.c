/* Undoes gzip, for clients that do not. */
#include "routes/console/console_inflate.h"

#include <limits.h>
#include <zlib.h>

enum { WITH_GZIP_HEAD = 16 }; /* added to the bits of the window */

bool console_inflate(struct str gzip, size_t len, struct buf *out)
{
	z_stream z = { 0 };

	if (gzip.n > UINT_MAX || len > UINT_MAX || !buf_reserve(out, len ? len : 1) ||
	    inflateInit2(&z, MAX_WBITS + WITH_GZIP_HEAD) != Z_OK)
		return false;
	z.next_in = (unsigned char *)(uintptr_t)gzip.p;
	z.avail_in = (unsigned)gzip.n;
	z.next_out = (unsigned char *)out->data + out->len;
	z.avail_out = (unsigned)len;

	int rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (rc != Z_STREAM_END || z.avail_out != 0 || z.avail_in != 0)
		return false;
	out->len += len;
	return true;
}
