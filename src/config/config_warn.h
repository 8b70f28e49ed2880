/* config/config_warn: what is allowed in a configuration, and is probably a mistake. */
#pragma once

#include "config/config.h"

/* config_warn: tells of variables PARLEY_… that nothing reads, and of keys that can be guessed; for a
 * configuration whose secrets were read. */
void config_warn(const struct config *c, void (*tell)(const char *text));
