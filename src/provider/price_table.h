/* provider/price_table: the built-in prices and limits of common models (price_table.def). */
#pragma once

#include "msg/price.h"

/* The limits of a model, in tokens; 0: not known. */
struct table_limits {
	int64_t context;
	int64_t output; /* the most of an answer, with what the model thinks */
	bool    thinks; /* it may write tokens that nobody sees */
};

/* price_table_find: the price for a provider's name of a model, with rates that are not set; .known is false if the
 * table does not have it. */
struct price price_table_find(struct str model);

/* price_table_limits: all 0 if the table does not have the model. */
struct table_limits price_table_limits(struct str model);
