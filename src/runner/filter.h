/* runner/filter: the system calls that programs of a sandbox may use, as a program for seccomp(2).  The
 * only place that uses libseccomp. */
#pragma once

#include "base/err.h"

/* filter_create: a descriptor of a file in memory that holds the filter, owned.  Errors: INTERNAL. */
enum errc filter_create(int *ret_fd, struct err *e) MUST_USE;
