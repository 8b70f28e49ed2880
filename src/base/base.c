/* Ends the process after a failed CHECK. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *expr, const char *file, int line)
{
	fprintf(stderr, "parley: bug: CHECK(%s) failed at %s:%d\n", expr, file, line);
	abort();
}
