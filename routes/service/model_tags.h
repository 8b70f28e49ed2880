/* model_tags: models in the words of Ollama's API, which knows each by a name and a tag: `latest` where nobody says
 * one. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/identity.h"
#include "provider/registry.h"
#include "routes/service/model_facts.h"

/* model_tags_name: the name by which the gateway has the model that `asked` means; asked if it has none.  It is asked, or
 * a part of it, or in the arena. */
struct str model_tags_name(const struct registry *r, const struct identity *who, struct str asked,
			   struct arena *arena);
/* model_tags_put: appends an element of the list of models.  False: no memory. */
bool model_tags_put(struct buf *out, struct str name, const struct model_facts *f,
		    int64_t made_s) MUST_USE;
/* model_tags_put_time: appends a time, in quotes; s: since 1970. */
bool model_tags_put_time(struct buf *out, int64_t s) MUST_USE;
