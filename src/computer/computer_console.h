/* computer/computer_console: what an execution tells, as chunks of LMC: JSON objects in lines. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

/* --- picture: what a driver sends over its control socket beside the output: an image, or html: a line
 * "NUMBER FORMAT BYTES", then the bytes.  Its place in the output is a mark with the number. */

enum picture_format { PICTURE_PNG, PICTURE_JPEG, PICTURE_HTML, PICTURE__COUNT };
extern const char *const picture_formats[PICTURE__COUNT];

enum { PICTURE_HEAD = 48 }; /* bytes of the line at most */

struct picture {
	int64_t             number;
	enum picture_format format;
	struct str          bytes; /* borrowed */
	size_t              used;  /* bytes of all of it */
};

enum picture_found { PICTURE_NONE, PICTURE_WHOLE, PICTURE_BAD };

/* picture_look: the first one in bytes.  PICTURE_NONE: more bytes are needed. */
enum picture_found picture_look(struct str bytes, struct picture *ret);

/* Laid open so that it can be embedded; all zero at the beginning. */
struct console {
	bool open; /* a console segment */
	bool lit;  /* a line is active */
	bool told; /* there was one */
};

/* After an image or a file, a segment of the same execution begins with `"continued":true`
 * beside its start, so that its output is not taken for that of the next execution. */
/* All append lines to out; false: it is full. */
bool console_line(struct console *c, int64_t line, struct buf *out) MUST_USE;
bool console_output(struct console *c, struct str text, struct buf *out) MUST_USE;
bool console_picture(struct console *c, const struct picture *p, struct buf *out) MUST_USE;
bool console_file(struct console *c, struct str path, struct buf *out) MUST_USE;
/* console_end: no line is active any more.  What has told nothing at all has an empty segment. */
bool console_end(struct console *c, struct buf *out) MUST_USE;
