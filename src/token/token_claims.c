/* Reads the claims of a token, which anybody may have written until its signature is checked. */
#include "token/token_claims.h"

#include "base/api_key.h"
#include "base/limits.h"

enum { CLAIM_MAX = 255 }; /* bytes of a claim that becomes an owner */

#define YEAR_9999 INT64_C(253402300799)

/* token_claim: a name as it stands, or else a path with dots: realm_access.roles. */
static json_at token_claim(const struct json_doc *d, const char *name)
{
	struct str rest = str_of(name);
	json_at    at = json_get_str(d, 0, rest);

	for (json_at in = 0; at == JSON_ABSENT && rest.n > 0;) {
		const char *dot = memchr(rest.p, '.', rest.n);
		struct str  step = { rest.p, dot ? (size_t)(dot - rest.p) : rest.n };

		in = json_get_str(d, in, step);
		if (in == JSON_ABSENT)
			return JSON_ABSENT;
		rest = dot ? (struct str){ dot + 1, rest.n - step.n - 1 } : STR_NONE;
		at = dot ? JSON_ABSENT : in;
	}
	return at;
}

/* token_is_line: neither control characters, nor the one that stands for what can't be written: two texts would be
 * one. */
static bool token_is_line(struct str text)
{
	if (memmem(text.p, text.n, "\xef\xbf\xbd", 3))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
			return false;
	return true;
}

/* text_of: a claim that is a text of 1 to 255 bytes. */
static bool text_of(const struct json_doc *d, json_at i, struct arena *a, struct str *ret)
{
	return i != JSON_ABSENT && json_text(d, i, a, ret) && ret->n > 0 && ret->n <= CLAIM_MAX &&
	       token_is_line(*ret);
}

bool token_claims_text(const struct json_doc *d, const char *name, struct arena *a, struct str *ret)
{
	return text_of(d, token_claim(d, name), a, ret);
}

/* The words of a claim that is a list of texts, or a text with spaces between words (RFC 8693, 4.2). */
struct claim_words {
	const struct json_doc *d;
	struct arena          *arena;
	json_at                at, end; /* where the list goes on */
	struct str             rest;    /* a text's, after the last word */
	bool                   failed;  /* no memory: there are more words than were told */
};

/* words_text: false: no memory.  What is no text has none. */
static bool words_text(struct claim_words *w, json_at i, struct str *ret)
{
	*ret = STR_NONE;
	w->failed = json_is_kind(w->d, i, JSON_STRING) && !json_text(w->d, i, w->arena, ret);
	return !w->failed;
}

/* words_begin: a text is unescaped once, not for each word. */
static struct claim_words words_begin(const struct json_doc *d, const char *name, struct arena *a)
{
	struct claim_words w = { .d = d, .arena = a, .rest = STR_NONE };
	json_at            claim = name ? token_claim(d, name) : JSON_ABSENT;

	if (json_is_kind(d, claim, JSON_ARRAY)) {
		w.at = json_first(d, claim);
		w.end = json_end(d, claim);
	} else {
		(void)!words_text(&w, claim, &w.rest);
	}
	return w;
}

/* words_next: false: there are no more, or no memory. */
static bool words_next(struct claim_words *w, struct str *ret)
{
	if (w->at != w->end) {
		json_at i = w->at;

		w->at = json_next(w->d, i);
		return words_text(w, i, ret);
	}
	while (w->rest.n > 0 && w->rest.p[0] == ' ')
		w->rest = (struct str){ w->rest.p + 1, w->rest.n - 1 };
	if (w->rest.n == 0)
		return false;
	const char *space = memchr(w->rest.p, ' ', w->rest.n);
	*ret = (struct str){ w->rest.p, space ? (size_t)(space - w->rest.p) : w->rest.n };
	w->rest = (struct str){ w->rest.p + ret->n, w->rest.n - ret->n };
	return true;
}

bool token_claims_scopes(const struct token_options *o, const struct json_doc *d, struct arena *a,
			 unsigned *ret)
{
	struct claim_words w = words_begin(d, o->scopes_claim, a);
	struct str         word;
	unsigned           scopes = 0;
	bool               any = false;

	while (words_next(&w, &word))
		for (size_t i = 0; i < o->scope_count; i++)
			if (str_is(word, o->scopes[i].value)) {
				scopes |= o->scopes[i].scopes;
				any = true;
			}
	*ret = any ? scopes : o->scopes_default;
	return !w.failed;
}

/* A text is one name: a group's may have spaces, and a part of somebody's name is none. */
bool token_claims_group(const struct token_options *o, const struct json_doc *d, struct arena *a,
			struct str *ret)
{
	struct claim_words w = words_begin(d, o->groups_claim, a);
	bool               one = w.rest.n > 0;
	struct str         word = w.rest;
	size_t             first = o->group_count;

	while (one || words_next(&w, &word)) {
		for (size_t i = 0; i < first; i++)
			if (str_is(word, o->groups[i].value))
				first = i;
		if (one)
			break;
	}
	*ret = STR_NONE;
	return !w.failed &&
	       (first == o->group_count || api_key_group(str_of(o->groups[first].group), ret));
}

bool token_claims_audience(const struct json_doc *d, const char *audience)
{
	json_at aud = json_get(d, 0, "aud");

	if (json_is_kind(d, aud, JSON_ARRAY))
		aud = d->tok[aud].count == 1 ? json_first(d, aud) : JSON_ABSENT;
	return json_is_kind(d, aud, JSON_STRING) && json_is(d, aud, audience);
}

/* The numbers are anybody's, the clock is not: what clocks may differ is added to the clock, which can't overflow. */
const char *token_claims_times(const struct json_doc *d, int64_t now_s, int64_t *ret_until_s)
{
	json_at not_before = json_get(d, 0, "nbf");
	int64_t exp, nbf = 0;

	if (!json_int(d, json_get(d, 0, "exp"), &exp) || exp > YEAR_9999 ||
	    (not_before != JSON_ABSENT && (!json_int(d, not_before, &nbf) || nbf > YEAR_9999)))
		return "form";
	if (exp <= now_s - LIMIT_TOKEN_SKEW_SECONDS)
		return "expired";
	if (nbf > now_s + LIMIT_TOKEN_SKEW_SECONDS)
		return "not_yet";
	*ret_until_s = exp + LIMIT_TOKEN_SKEW_SECONDS;
	return NULL;
}

void token_claims_name(const struct token_options *o, const struct json_doc *d, struct arena *a,
		       char ret[TOKEN_CLAIMS_NAME])
{
	struct str name;

	if (!o->name || !token_claims_text(d, o->name, a, &name))
		return;
	size_t n = name.n < TOKEN_CLAIMS_NAME - 1 ? name.n : TOKEN_CLAIMS_NAME - 1;
	while (n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80) /* within a character */
		n--;
	name.n = n;
	str_copy(ret, TOKEN_CLAIMS_NAME, name);
}
