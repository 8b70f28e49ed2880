/* price_table: what common models cost, as shipped (price_table.def). */
#pragma once

#include "msg/price.h"

/* price_table_find: by a provider's name for the model; .known is false where it isn't there. */
struct price price_table_find(struct str model);
