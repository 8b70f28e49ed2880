/* provider/price_file: a list of prices that the operator has brought: LiteLLM's
 * (model_prices_and_context_window.json) or models.dev's (api.json).  Read once, then immutable. */
#pragma once

#include "base/base.h"
#include "base/err.h"
#include "msg/price.h"

struct price_file;

/* price_file_read: owned, for price_file_release.  Errors: INVALID_VALUE: it can't be read, or is wrong; the text has
 * the place in the file, not its path. */
enum errc price_file_read(const char *path, struct price_file **ret, struct err *e) MUST_USE;
/* price_file_hold: another owner. */
struct price_file *price_file_hold(const struct price_file *f);
void               price_file_release(struct price_file *f); /* f may be NULL */

/* price_file_find: the price of a provider's model, with rates that are not set; not known: the file does not have
 * it.  Names of the file, in this order: the model's; the provider's, a slash and the model's; one that ends so, after
 * another provider's, if there is no second one. */
struct price price_file_find(const struct price_file *f, struct str provider, struct str model);

struct price_file_about {
	const char *path, *form;
	int64_t     date_s; /* when the file was changed last */
	size_t      count;  /* models with a price */
};
struct price_file_about price_file_look(const struct price_file *f);
