/* config/config_place: the source of a value, and the one function that reports a wrong value. */
#pragma once

#include "base/err.h"

struct config_node;

enum config_source {
	CONFIG_FROM_DEFAULT,
	CONFIG_FROM_FILE,
	CONFIG_FROM_ENVIRONMENT,
	CONFIG_FROM_FLAG,
};

struct config_place {
	enum config_source        source;
	const char               *file; /* of CONFIG_FROM_FILE */
	const struct config_node *node; /* of CONFIG_FROM_FILE: gives line and path */
	int                       line; /* where there is no node; 0: unknown */
	const char               *name; /* the option, where there is no node */
};

enum { CONFIG_PATH_MAX = 160 };

/* config_place_env: PARLEY_MAX_BODY of max_body; returns out. */
const char *config_place_env(const char *name, char out[64]);
/* config_place_flag: --max-body of max_body; returns out. */
const char *config_place_flag(const char *name, char out[64]);

/* config_place_fail: ERR_INVALID_VALUE with "file:line: path: what", or the variable's or the
 * flag's name in their place.  Returns the code. */
enum errc config_place_fail(const struct config_place *at, struct err *e, const char *fmt, ...)
	PRINTF(3, 4);
