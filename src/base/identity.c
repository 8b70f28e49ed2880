/* Identities with a count of references. */
#include "base/identity.h"

#include <stdlib.h>

static const char *const names[SCOPE_COUNT] = { "chat", "read", "files", "admin", "execute" };

struct identity identity_open = { .scopes = SCOPES_OPEN };
struct identity identity_nobody = { .scopes = 0 };

const char *scope_name(unsigned i)
{
	CHECK(i < SCOPE_COUNT);
	return names[i];
}

unsigned scope_find(struct str name)
{
	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (str_is(name, names[i]))
			return 1u << i;
	return 0;
}

/* The identity, its models and their bytes are one block of memory. */
struct identity *identity_create(const struct identity_options *o)
{
	size_t bytes = 0;

	for (size_t i = 0; i < o->model_count; i++)
		bytes += o->models[i].n;

	struct identity *who = calloc(1, sizeof *who + o->model_count * sizeof(struct str) + bytes);
	if (!who)
		return NULL;
	struct str *models = (struct str *)(void *)(who + 1);
	char       *at = (char *)(models + o->model_count);
	for (size_t i = 0; i < o->model_count; i++) {
		if (o->models[i].n > 0)
			memcpy(at, o->models[i].p, o->models[i].n);
		models[i] = (struct str){ at, o->models[i].n };
		at += o->models[i].n;
	}
	atomic_init(&who->refs, 1);
	atomic_init(&who->used_ms, o->used_ms);
	atomic_init(&who->noted_ms, o->used_ms);
	str_copy(who->id, sizeof who->id, o->id);
	who->number = o->number;
	who->owner = o->owner;
	who->scopes = o->scopes;
	who->models = models;
	who->model_count = o->model_count;
	who->allowance = o->allowance;
	return who;
}

struct identity *identity_hold(struct identity *i)
{
	if (atomic_load_explicit(&i->refs, memory_order_relaxed) > 0)
		atomic_fetch_add_explicit(&i->refs, 1, memory_order_relaxed);
	return i;
}

void identity_release(struct identity *i)
{
	if (!i || atomic_load_explicit(&i->refs, memory_order_relaxed) == 0)
		return;
	if (atomic_fetch_sub_explicit(&i->refs, 1, memory_order_acq_rel) == 1)
		free(i);
}

bool identity_sees(const struct identity *i, struct str model)
{
	for (size_t at = 0; at < i->model_count; at++) {
		struct str m = i->models[at];

		if (m.n > 0 && m.p[m.n - 1] == '*' ? str_starts(model, (struct str){ m.p, m.n - 1 })
						   : str_eq(model, m))
			return true;
	}
	return i->model_count == 0;
}
