/* key_used: the chore that writes when API keys were used.  Its subject is the writer's session. */
#pragma once

#include "store/sqlite/chore.h"

extern const struct chore chore_key_used;
