/* http/multipart: a parser for multipart/form-data (RFC 7578), fed with pieces that may be cut
 * anywhere.
 *
 * The parser is strict: lines end in CRLF, nothing precedes the first delimiter, every part is a
 * form-data part with a name, and the last delimiter must come. Only the header of one part is
 * kept; content goes through as it comes. The parser touches only its own struct, so any one
 * thread at a time may feed it. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum {
	MULTIPART_BOUNDARY = 70,     /* RFC 2046 section 5.1.1 */
	MULTIPART_HEADER = 8 * 1024, /* bytes of one part's header, all lines */
	MULTIPART_LINES = 16,        /* header lines of one part */
	MULTIPART_PARTS = 64,
	MULTIPART_NAME = 128,      /* bytes of a field's name */
	MULTIPART_FILENAME = 4096, /* bytes as sent; the name that is kept is shorter */
};

/* Borrowed for the call. */
struct multipart_part {
	struct str name;
	struct str filename;     /* the name as sent: never a path of ours */
	struct str content_type; /* empty: none was sent */
	bool       is_file;      /* a filename was sent, be it empty */
};

struct multipart_sink {
	/* part: the header of a part is complete; data: the content of the part, in pieces,
	 * possibly none; end: the part is over. An error that they return ends the reading. */
	enum errc (*part)(void *arg, const struct multipart_part *p, struct err *e);
	enum errc (*data)(void *arg, struct str bytes, struct err *e);
	enum errc (*end)(void *arg, struct err *e);
};

enum multipart_state {
	MULTIPART_DELIMITER, /* before the first one */
	MULTIPART_BEHIND,    /* after a delimiter: a line's end, or "--" */
	MULTIPART_PADDING,   /* blanks before that line's end */
	MULTIPART_LF,
	MULTIPART_DASH, /* the second one of "--" */
	MULTIPART_HEAD,
	MULTIPART_DATA,
	MULTIPART_OVER, /* after the last delimiter */
	MULTIPART_FAILED,
};

/* Laid open so that it can be embedded; use the functions. */
struct multipart {
	const struct multipart_sink *sink; /* borrowed */
	void                        *arg;
	enum multipart_state         state;
	char                         delimiter[4 + MULTIPART_BOUNDARY]; /* CR LF "--" boundary */
	size_t                       delimiter_len;
	size_t                       matched; /* bytes of it that were just seen */
	struct buf                   head;
	size_t                       parts;
	size_t                       trailing;
};

/* multipart_boundary: the boundary in a Content-Type; borrowed from it. Errors:
 * UNSUPPORTED_MEDIA (another type), INVALID_VALUE (no valid boundary). */
enum errc multipart_boundary(struct str content_type, struct str *ret, struct err *e) MUST_USE;

void multipart_init(struct multipart *m, struct str boundary, const struct multipart_sink *sink,
		    void *arg);
void multipart_finish(struct multipart *m);
/* multipart_feed: reads the next bytes. Errors: INVALID_VALUE, and those of the sink; after an
 * error nothing may be fed. */
enum errc multipart_feed(struct multipart *m, struct str bytes, struct err *e) MUST_USE;
/* multipart_end: no more bytes come.  Errors: INVALID_VALUE: it was cut. */
enum errc multipart_end(const struct multipart *m, struct err *e) MUST_USE;
