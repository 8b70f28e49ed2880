/* Two routes that write and read notes. */
#include "tests/scratch/notes/notes.h"

#include "base/limits.h"
#include "routes/kit/handlers.h"
#include "routes/kit/lookup.h"

struct put {
	struct lookup             lookup;
	struct scratch_note_write write;
};

struct get {
	struct lookup            lookup;
	struct scratch_note_read read;
};

static bool print_before(struct lookup *l, struct buf *out)
{
	const struct scratch_note_write *j = &container_of(l, struct put, lookup)->write;

	return buf_text(out, "{\"before\":") &&
	       (j->replaced ? buf_json_string(out, j->before) : buf_text(out, "null")) &&
	       buf_text(out, "}");
}

static bool print_text(struct lookup *l, struct buf *out)
{
	return buf_text(out, "{\"text\":") &&
	       buf_json_string(out, container_of(l, struct get, lookup)->read.text) &&
	       buf_text(out, "}");
}

static const struct lookup_kind put_kind = { LOOKUP(struct put, write),
					     LOOKUP_ARENA(struct put, write.arena, MIB),
					     .print = print_before };
static const struct lookup_kind get_kind = { LOOKUP(struct get, read),
					     LOOKUP_ARENA(struct get, read.arena, MIB),
					     .print = print_text };

void scratch_note_put(struct request *r, void *app)
{
	struct gateway *g = app;
	struct put     *x = lookup_make(&put_kind, r, g);

	if (!x)
		return;
	x->write.owner = request_owner(r);
	x->write.name = arena_str(&x->write.arena, request_param(r, 0));
	x->write.text = arena_str(&x->write.arena, request_param(r, 1));
	lookup_start(&x->lookup, store_scratch_note_write(g->store, &x->write));
}

void scratch_note_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct get     *x = lookup_make(&get_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.name = arena_str(&x->read.arena, request_param(r, 0));
	lookup_start(&x->lookup, store_scratch_note_read(g->store, &x->read));
}
