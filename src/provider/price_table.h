/* provider/price_table: the built-in prices of common models (price_table.def). */
#pragma once

#include "msg/price.h"

/* price_table_find: the price for a provider's name of a model; .known is false if the table
 * does not have it. */
struct price price_table_find(struct str model);
