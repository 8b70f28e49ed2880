/* See vet.h.  What a hook has changed is changed in the client's own words as well, where they have the same text in one piece;
 * where they don't, they are not sent. */
#include "run/vet.h"

#include "shape/gemini_texts.h"

#include <stdlib.h>

bool vet_goes_native(const struct run *r)
{
	return prompt_is_native(&r->rq->what.prompt, PROVIDER_GEMINI);
}

enum errc vet_unpass(struct run *r, const char *why, struct err *e)
{
	struct call_what *what = &r->rq->what;
	int64_t           n;

	if (what->untranslated || !budget_answers(&what->prompt, &n) || n != 1)
		return err_set(e, ERR_CONTENT_BLOCKED, "",
			       "%s, and it can't be translated, because it has %s", why,
			       what->untranslated ? "what only its own API can be told"
						  : "a candidateCount above 1");
	what->prompt.native = NULL;
	return warnings_join(&r->warnings, what->warnings, what->warning_count) ? ERR_OK
										: err_no_memory(e);
}

/* vet_misses: whether a text of a message was changed that is not shown to the provider as it stands in the client's own words:
 * one that was joined from several, or made of arguments or results.  The same text may stand elsewhere, too.  True, too:
 * no memory. */
static bool vet_misses(const struct run *r, const struct vet *v)
{
	const struct json_doc *d = r->rq->what.prompt.native->doc;
	size_t                *left = calloc(v->seen_count + 1, sizeof *left);
	unsigned char         *marks = gemini_marks(d, 0);
	bool                   misses = !left || !marks;

	for (json_at i = 0; !misses && i < d->count; i++) {
		if (marks[i] != GEMINI_ALONE || json_inner_of(d, i).n == 0)
			continue;
		size_t text = vet_find(v, json_inner(d, i));
		if (text != SIZE_MAX)
			left[text]++;
	}
	for (size_t i = 0; left && i < v->source_count; i++) {
		const struct source *s = &v->sources[i];

		for (size_t k = 0; !misses && s->of == OF_MESSAGE && k < s->count; k++) {
			const struct found *f = &v->list[s->first + k];

			misses = !str_eq(f->was, v->now[f->text]) && left[f->text]-- == 0;
		}
	}
	free(left);
	free(marks);
	return misses;
}

/* vet_is_joined: whether a text is made of those of the client's own words from this one on, with an empty line between two,
 * or nothing.  *ret_kept: their new texts make the new text in the same way. */
static bool vet_is_joined(const struct vet *v, const struct source *own, size_t from,
			  struct str was, struct str now, bool *ret_kept)
{
	static const struct str gap = { "\\n\\n", 4 };
	bool                    kept = true;

	for (size_t i = from; i < own->count && was.n > 0; i++) {
		const struct found *f = &v->list[own->first + i];
		struct str          part = f->was;
		struct str          fresh = v->now[f->text];

		if (i > from && !str_starts(was, part) && str_starts(was, gap)) {
			was = (struct str){ was.p + gap.n, was.n - gap.n };
			kept = kept && str_starts(now, gap);
			now = kept ? (struct str){ now.p + gap.n, now.n - gap.n } : now;
		}
		if (!str_starts(was, part))
			return false;
		was = (struct str){ was.p + part.n, was.n - part.n };
		kept = kept && str_starts(now, fresh);
		now = kept ? (struct str){ now.p + fresh.n, now.n - fresh.n } : now;
	}
	*ret_kept = kept && now.n == 0;
	return was.n == 0;
}

static const struct source *vet_own(const struct vet *v)
{
	for (size_t i = 0; i < v->source_count; i++)
		if (v->sources[i].of == OF_NATIVE)
			return &v->sources[i];
	return NULL;
}

/* vet_tears: whether a text of a message was changed across the pieces that the client's own words have of it: these would be
 * sent as they were. */
static bool vet_tears(const struct vet *v)
{
	const struct source *own = vet_own(v);
	bool                 tears = false;

	for (size_t i = 0; own && i < v->source_count; i++) {
		const struct source *s = &v->sources[i];

		for (size_t k = 0; s->of == OF_MESSAGE && k < s->count; k++) {
			const struct found *f = &v->list[s->first + k];
			struct str          now = v->now[f->text];
			bool                kept;

			for (size_t n = 0; !tears && !str_eq(f->was, now) && n < own->count; n++)
				tears = vet_is_joined(v, own, n, f->was, now, &kept) && !kept;
		}
	}
	return tears;
}

bool vet_own_stays(const struct run *r, const struct vet *v)
{
	return vet_goes_native(r) ? vet_misses(r, v) : vet_tears(v);
}

bool vet_whole_stays(const struct vet *v, size_t place)
{
	const struct source *own = vet_own(v);
	bool                 stays = true, kept;

	for (size_t i = 0; own && i < v->source_count; i++) {
		const struct source *s = &v->sources[i];

		for (size_t k = 0; stays && s->of == OF_MESSAGE && k < s->count; k++) {
			const struct found *f = &v->list[s->first + k];
			struct str          now = v->now[f->text];

			stays = str_eq(f->was, now) ||
				!vet_is_joined(v, own, place - own->first, f->was, now, &kept);
		}
	}
	return stays;
}
