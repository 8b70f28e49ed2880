/* routes/console/console_files: the built pages of console/dist, embedded at build time. */
#pragma once

#include <stddef.h>

struct console_file {
	const char *name; /* of the file, without its folder */
	const char *gzip; /* its bytes, compressed */
	size_t      gzip_len;
	size_t      len;
	const char *tag; /* another for other bytes, in hex */
};

/* index.html first, then the files of a/; ended by a row without a name.  A build without the console
 * has no other row. */
extern const struct console_file console_files[];
