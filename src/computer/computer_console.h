/* computer/computer_console: what an execution tells, as chunks of LMC: JSON objects in lines. */
#pragma once

#include "base/buf.h"
#include "computer/picture.h"

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
