/* key_used: when keys were used is noted; its subject is the writer's session. */
#pragma once

#include "store/sqlite/chore.h"

extern const struct chore chore_key_used;
