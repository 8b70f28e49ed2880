/* parley import-config FILE: makes a configuration of one of LiteLLM's proxy or Portkey's gateway, on the standard output. */
#include "command/command.h"

#include "base/limits.h"
#include "config/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const char *import_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static const char *import_variable_value(const char *name)
{
	return getenv(name);
}

/* A summary on stderr, without a word of the file's. */
static void import_tell(const struct import_counts *c)
{
	fprintf(stderr, "parley: from %s: %zu provider%s, %zu model%s\n", c->gateway, c->providers,
		import_plural(c->providers), c->models, import_plural(c->models));
	if (c->literals > 0)
		fprintf(stderr,
			"parley: %zu key%s stood in the file: comments say which variable to put each into\n",
			c->literals, import_plural(c->literals));
	if (c->notes > 0)
		fprintf(stderr,
			"parley: %zu member%s not carried over: comments at the end say which, and why\n",
			c->notes, c->notes == 1 ? " was" : "s were");
	if (c->models == 0)
		fputs("parley: there is no model that Parley could ask\n", stderr);
}

int command_import_config(const struct command_call *call)
{
	struct import_counts counts = { .gateway = "" };
	const char          *file = call->arguments[0];
	struct buf           out;
	struct err           e;
	int                  status = EX_OK;

	buf_init(&out, LIMIT_IMPORT_OUTPUT);
	enum errc rc = import_file(strcmp(file, "-") == 0 ? "/dev/stdin" : file,
				   import_variable_value, &out, &counts, &e);
	if (rc != ERR_OK) {
		fprintf(stderr, "parley: %s\n", e.text);
		status = rc == ERR_NOT_FOUND  ? EX_NOINPUT
			 : rc == ERR_INTERNAL ? EX_OSERR
					      : EX_DATAERR;
	} else if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
		fputs("parley: the standard output can't be written\n", stderr);
		status = EX_IOERR;
	} else {
		import_tell(&counts);
		status = counts.models > 0 ? EX_OK : EX_DATAERR;
	}
	buf_finish(&out);
	return status;
}
