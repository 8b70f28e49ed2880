/* Sends embedded files, and undoes gzip for clients that do not. */
#include "routes/kit/packed.h"

#include "http/reply.h"
#include "http/request.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
	TAG_MAX = 48,
	WITH_GZIP_HEAD = 16, /* added to the bits of the window */
};

bool packed_inflate(struct str gzip, size_t len, struct buf *out)
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

static void packed_reply_plain(struct request *r, const struct packed *f, const char *content_type)
{
	struct buf body;

	buf_init(&body, f->len + 1);
	if (packed_inflate((struct str){ f->gzip, f->gzip_len }, f->len, &body)) {
		reply_text_take(r, 200, content_type, &body);
		return;
	}
	buf_finish(&body);
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}

/* The two forms of a file are two things to caches, so each has its own tag. */
void packed_reply(struct request *r, const struct packed *f, const char *content_type)
{
	bool       gzip = head_takes_gzip(request_view(r)->head.accept_encoding);
	struct str known = request_view(r)->head.if_none_match;
	char       tag[TAG_MAX];

	int n = snprintf(tag, sizeof tag, "\"%s%s\"", f->tag, gzip ? "-gzip" : "");
	reply_header(r, "ETag", str_of(tag));
	reply_header(r, "Vary", STR("Accept-Encoding"));
	if (known.n > 0 && (str_is(known, "*") || memmem(known.p, known.n, tag, (size_t)n)))
		reply_static(r, 304, NULL, STR_NONE);
	else if (!gzip)
		packed_reply_plain(r, f, content_type);
	else if (reply_header(r, "Content-Encoding", STR("gzip")))
		reply_static(r, 200, content_type, (struct str){ f->gzip, f->gzip_len });
	else
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
}
