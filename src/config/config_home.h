/* config/config_home: the configuration of an installed program: PREFIX/etc/parley/parley.yaml of
 * PREFIX/sbin/parley, /etc/parley/parley.yaml of /usr/sbin/parley.  A program in a build tree has
 * none. */
#pragma once

#include "config/config.h"

#include <limits.h>

/* config_home: the path, in ret_path; NULL: there is none, or a file or a database was named, or
 * there is a database in the working directory. */
const char *config_home(const struct config_given *given, char ret_path[PATH_MAX]);
