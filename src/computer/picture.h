/* computer/picture: what a driver sends over its control socket beside the output: an image, or html: a line
 * "NUMBER FORMAT BYTES", then the bytes.  Its place in the output is a mark with the number. */
#pragma once

#include "base/str.h"

#include <stdint.h>

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
