/* routes/service/models_page: the list of models as Anthropic's API has it, in pages.  Source: its
 * API reference, "List Models". */
#pragma once

#include "base/buf.h"

struct request;

/* Zero-initialised but for created_s. */
struct models_page {
	int64_t    created_s; /* unix time of all models */
	size_t     limit;
	struct str after;  /* the last model that the client has; empty: none */
	struct str before; /* the first one; empty: none */
	struct buf names;  /* gathered; a NUL behind each */
	size_t     count;
};

/* models_page_read: reads limit (1 to 1000), after_id and before_id.  False: the request was refused
 * and answered. */
bool models_page_read(struct models_page *p, struct request *r) MUST_USE;
/* models_page_add: gathers a name.  models_page_put: appends the page.  False: no memory. */
bool models_page_add(struct models_page *p, struct str name) MUST_USE;
bool models_page_put(const struct models_page *p, struct buf *out) MUST_USE;
void models_page_finish(struct models_page *p);
/* models_page_put_model: appends one model. */
bool models_page_put_model(struct buf *out, struct str name, int64_t created_s) MUST_USE;
