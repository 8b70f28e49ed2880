/* import: reads the configuration of another gateway, and prints one of Parley that does the same as far as it can, with
 * a comment for each member that it could not carry over.  No value that may be a secret is printed: of a key, the
 * output has the name of a variable. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct arena;
struct config_node;

/* Counts for a summary. */
struct import_counts {
	const char *gateway; /* "LiteLLM" or "Portkey" */
	size_t      providers, models, notes;
	size_t      literals; /* keys that stood in the file */
};

/* import_config: reads the tree of a file, and appends the new configuration to out.  file: its name, for comments.
 * variable: the value of an environment variable, as getenv; an address of a provider may be in one.  What it returns is
 * valid even without a usable model: then it is a list of comments.
 * Errors: INVALID_VALUE (the file is of neither gateway, or a table has a wrong form; with its line and path; out is
 * empty), INTERNAL (memory). */
enum errc import_config(const char *file, const struct config_node              *root,
			const char *(*variable)(const char *name), struct arena *a, struct buf *out,
			struct import_counts *ret, struct err *e) MUST_USE;
/* import_file: the same of a file. */
enum errc import_file(const char *file, const char *(*variable)(const char *name), struct buf *out,
		      struct import_counts *ret, struct err *e) MUST_USE;
