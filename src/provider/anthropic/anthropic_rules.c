/* The rules, one after the other. */
#include "provider/anthropic/anthropic.h"

#include "base/hash.h"
#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask_param.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_TOKENS = 4096, /* the API requires a limit; the highest one of the oldest models */
	LEAST_BUDGET = 1024,
};

/* --- what a model refuses --- */

/* Parts of names of models that refuse temperature (but for 1, the default), top_p and top_k, whether they think or
 * not.  Source: the section "Sampling parameters" of the page on thinking, 2026-11.  An entry with no_sampling
 * says the same of any other model. */
static const char *const unsampled[] = {
	"claude-opus-4-7", "claude-opus-4-8", "claude-opus-5",  "claude-sonnet-5",
	"claude-haiku-5",  "claude-fable-",   "claude-mythos-",
};

static bool refuses_sampling(struct str model)
{
	for (size_t i = 0; i < ARRAY_LEN(unsampled); i++)
		if (model.n > 0 && memmem(model.p, model.n, unsampled[i], strlen(unsampled[i])))
			return true;
	return false;
}

static void rules_dropped(const struct prompt *p, const char *what, const char *why)
{
	warnings_add(p->warnings, 0, "parameter_dropped", "%s was not sent: %s", what, why);
}

static bool rules_is_number(struct str raw, double n)
{
	char  text[64];
	char *end;

	if (raw.n == 0 || raw.n >= sizeof text)
		return false;
	str_copy(text, sizeof text, raw);
	return strtod(text, &end) == n && *end == '\0';
}

static void rules_sampling(const struct prompt *p, bool thinks, struct anthropic_rules *r)
{
	struct str  temperature = ask_param_value(p, "temperature");
	struct str  top_p = ask_param_value(p, "top_p");
	bool        refuses = refuses_sampling(p->model);
	const char *why =
		refuses ? "this model refuses it" : "this provider takes it without thinking alone";

	r->temperature = temperature.n > 0;
	r->top_p = top_p.n > 0;
	r->top_k = ask_param_value(p, "top_k").n > 0;
	if (refuses || thinks) {
		bool usual = rules_is_number(temperature, 1);

		if (r->temperature && !usual)
			rules_dropped(p, "temperature", why);
		if (r->top_p)
			rules_dropped(p, "top_p", why);
		if (r->top_k)
			rules_dropped(p, "top_k", why);
		r->temperature = usual;
		r->top_p = r->top_k = false;
	} else if (r->temperature && r->top_p) {
		rules_dropped(p, "top_p", "this provider takes either temperature or top_p");
		r->top_p = false;
	}
}

/* --- thinking in the history --- */

bool anthropic_rules_thinking(const struct ask_call *c, bool *first, struct buf *out)
{
	static const char *const types[] = { "thinking", "redacted_thinking", NULL };

	return ask_put_extra(c, "anthropic", "thinking_blocks", types, first, out);
}

static bool has_thought(const struct ask_call *c)
{
	struct buf out;
	bool       first = true;

	buf_init(&out, LIMIT_UPSTREAM_ASK);
	bool ok = anthropic_rules_thinking(c, &first, &out) && out.len > 0;
	buf_finish(&out);
	return ok;
}

static bool rules_is_nothing(const struct ask_message *m)
{
	return m->role == ASK_SYSTEM || (m->role != ASK_TOOL && m->part_count + m->call_count == 0);
}

static bool is_answer(const struct ask_message *m)
{
	return m->role == ASK_ASSISTANT && !rules_is_nothing(m);
}

/* rules_continues: whether the last message is an answer that the model is to continue. */
static bool rules_continues(const struct ask *a)
{
	size_t i = a->count;

	while (i > 0 && rules_is_nothing(&a->messages[i - 1]))
		i--;
	return i > 0 && is_answer(&a->messages[i - 1]);
}

/* lacks_thinking: whether the history ends with calls and their results whose first call has no thinking.  The API
 * takes all calls since the user's last question for one turn, which has to begin with thinking. */
static bool lacks_thinking(const struct ask *a)
{
	const struct ask_message *first = NULL;

	for (size_t i = a->count;;) {
		bool results = false;

		for (; i > 0 && !is_answer(&a->messages[i - 1]); i--)
			results = results || a->messages[i - 1].role == ASK_TOOL;
		if (i == 0 || !results)
			break;
		for (; i > 0 &&
		       (is_answer(&a->messages[i - 1]) || rules_is_nothing(&a->messages[i - 1]));
		     i--)
			if (is_answer(&a->messages[i - 1]))
				first = &a->messages[i - 1];
	}
	return first && (first->call_count == 0 || !has_thought(&first->calls[0]));
}

/* --- the budget --- */

/* rules_limit: the request's limit of tokens; 0: it has none that can be compared. */
static int64_t rules_limit(const struct prompt *p)
{
	char text[32];

	if (p->max_tokens.n == 0 || p->max_tokens.n >= sizeof text)
		return 0;
	str_copy(text, sizeof text, p->max_tokens);
	return strtoll(text, NULL, 10);
}

/* rules_budget: makes room for the budget, or the budget smaller; false: there is no room to think. */
static bool rules_budget(const struct prompt *p, int64_t budget, struct anthropic_rules *r)
{
	int64_t limit = rules_limit(p);
	int64_t held = budget < LEAST_BUDGET ? LEAST_BUDGET : budget;

	if (p->max_tokens.n == 0) {
		r->max = held > LIMIT_TOKENS ? MAX_TOKENS : held + MAX_TOKENS;
		if (p->max_output > 0 && r->max > p->max_output)
			r->max = p->max_output;
		limit = r->max;
	}
	if (limit > 0 && held >= limit)
		held = limit - 1;
	if (held < LEAST_BUDGET)
		return false;
	if (held != budget) {
		warnings_add(
			p->warnings, 0, "parameter_clamped",
			"thinking.budget_tokens: this provider takes %d and more, and less than "
			"max_tokens; %lld was sent",
			LEAST_BUDGET, (long long)held);
		r->budget = held;
	}
	return true;
}

/* rules_thinks: whether the thinking that the client wants can be. */
static bool rules_thinks(const struct ask *a, const struct json_doc *d, struct anthropic_rules *r)
{
	const struct prompt *p = a->prompt;
	int64_t              budget;

	if (a->tool_count > 0 && (a->choice == ASK_CHOICE_ANY || a->choice == ASK_CHOICE_ONE)) {
		rules_dropped(p, "thinking", "this provider can't think where a tool is forced");
		return false;
	}
	if (rules_continues(a)) {
		rules_dropped(p, "thinking",
			      "this provider can't think where it continues an answer");
		return false;
	}
	/* The rest holds for a budget; a model that decides itself how much it thinks bears all. */
	if (!json_get_is(d, 0, "type", "enabled"))
		return true;
	if (lacks_thinking(a)) {
		rules_dropped(
			p, "thinking",
			"the history's last answer begins without the thinking that this provider wants "
			"there");
		return false;
	}
	if (json_int(d, json_get(d, 0, "budget_tokens"), &budget) && !rules_budget(p, budget, r)) {
		rules_dropped(p, "thinking", "max_tokens leaves it no room");
		return false;
	}
	return true;
}

enum errc anthropic_rules_read(const struct ask *a, struct anthropic_rules *ret, struct err *e)
{
	const struct prompt *p = a->prompt;
	struct str           value = ask_param_value(p, "thinking");
	struct json_doc      d = { 0 };
	bool                 thinks = false;

	*ret = (struct anthropic_rules){ .max = p->max_tokens.n > 0 ? 0 : MAX_TOKENS };
	if (anthropic_effort_read(p, &ret->effort, e) != ERR_OK)
		return e->code;
	if (ret->effort.thinking)
		value = str_of(ret->effort.thinking);
	if (value.n > 0) {
		if (json_scan(&d, value.p, value.n, &json_limits_upstream, e) != ERR_OK) {
			json_doc_finish(&d);
			return e->code;
		}
		bool object = json_kind(&d, 0) == JSON_OBJECT;
		bool off = json_get_is(&d, 0, "type", "disabled");

		thinks = object && !off && rules_thinks(a, &d, ret);
		ret->thinking = thinks || off ? value : STR_NONE;
		ret->unthought = !thinks && !off;
		json_doc_finish(&d);
		if (!object)
			return err_set(e, ERR_INVALID_TYPE, "thinking", "must be an object");
	}
	rules_sampling(p, thinks, ret);
	return ERR_OK;
}

bool anthropic_rules_put(const struct anthropic_rules *r, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	const char     *before = ",\"thinking\":{";

	if (r->thinking.n == 0)
		return true;
	if (r->budget == 0)
		return buf_text(out, ",\"thinking\":") && buf_str(out, r->thinking);
	bool ok = json_scan(&d, r->thinking.p, r->thinking.n, &json_limits_upstream, &e) == ERR_OK;
	for (json_at k = ok ? json_first(&d, 0) : 0; ok && k != json_end(&d, 0);
	     k = json_next_member(&d, k)) {
		ok = buf_text(out, before) &&
		     (json_is(&d, k, "budget_tokens")
			      ? buf_fmt(out, "\"budget_tokens\":%lld", (long long)r->budget)
			      : buf_str(out, json_member(&d, k)));
		before = ",";
	}
	json_doc_finish(&d);
	return ok && buf_text(out, "}");
}

/* --- anthropic_ids: A table of the ids that the calls of a request had so far. */

#define PREFIX "toolu_"

enum { FIRST_CAP = 32, DIGITS = 24 };

struct anthropic_id {
	struct str id; /* p is NULL in an empty slot */
	uint64_t   hash;
	size_t     message; /* the newest message with such a call */
	uint32_t   calls;   /* with this id, so far */
	uint32_t   first;   /* the number of that message's first call with this id */
	uint32_t   results; /* results of that message's calls with this id, so far */
};

void anthropic_ids_init(struct anthropic_ids *s)
{
	*s = (struct anthropic_ids){ 0 };
	arena_init(&s->arena, LIMIT_UPSTREAM_ASK);
}

void anthropic_ids_finish(struct anthropic_ids *s)
{
	arena_finish(&s->arena);
}

/* The digest keeps a client from choosing ids that all meet in one slot. */
static uint64_t ids_hash(struct str id)
{
	unsigned char digest[HASH_BYTES];
	uint64_t      h;

	hash_sha256(id.p, id.n, digest);
	memcpy(&h, digest, sizeof h);
	return h;
}

static struct anthropic_id *ids_slot(const struct anthropic_ids *s, struct str id, uint64_t hash)
{
	size_t i = hash & (s->cap - 1);

	while (s->table[i].id.p && (s->table[i].hash != hash || !str_eq(s->table[i].id, id)))
		i = (i + 1) & (s->cap - 1);
	return &s->table[i];
}

static bool ids_grow(struct anthropic_ids *s)
{
	struct anthropic_ids more = { .cap = s->cap ? 2 * s->cap : FIRST_CAP };

	if (2 * s->count < s->cap)
		return true;
	more.table = arena_alloc(&s->arena, more.cap * sizeof *more.table);
	if (!more.table)
		return false;
	for (size_t i = 0; i < s->cap; i++)
		if (s->table[i].id.p)
			*ids_slot(&more, s->table[i].id, s->table[i].hash) = s->table[i];
	s->table = more.table;
	s->cap = more.cap;
	return true;
}

static bool ids_fit(const struct anthropic_ids *s, struct str id)
{
	if (s->most > 0 && id.n > s->most)
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (!isalnum((unsigned char)id.p[i]) && id.p[i] != '_' && id.p[i] != '-')
			return false;
	return id.n > 0;
}

/* name: the id that the nth call with this id is sent with. */
static bool ids_name(struct anthropic_ids *s, struct str id, uint32_t n, struct str *ret)
{
	unsigned char both[2 * HASH_BYTES] = { 0 };
	unsigned char digest[HASH_BYTES];
	char          text[sizeof PREFIX + HASH_HEX] = PREFIX;

	*ret = id;
	if (n == 0 && ids_fit(s, id))
		return true;
	hash_sha256(id.p, id.n, both);
	for (size_t i = 0; i < sizeof n; i++)
		both[HASH_BYTES + i] = (unsigned char)(n >> 8 * i);
	hash_sha256(both, sizeof both, digest);
	hash_hex(digest, DIGITS / 2, text + sizeof PREFIX - 1);
	*ret = arena_str(&s->arena, str_of(text));
	return ret->p != NULL;
}

bool anthropic_ids_call(struct anthropic_ids *s, size_t message, struct str id, struct str *ret)
{
	if (!id.p)
		id = STR("");

	uint64_t hash = ids_hash(id);
	if (!ids_grow(s))
		return false;
	struct anthropic_id *t = ids_slot(s, id, hash);
	if (!t->id.p) {
		*t = (struct anthropic_id){ .id = id, .hash = hash };
		s->count++;
	}
	if (t->calls == 0 || t->message != message) {
		t->message = message;
		t->first = t->calls;
		t->results = 0;
	}
	return ids_name(s, id, t->calls++, ret);
}

bool anthropic_ids_result(struct anthropic_ids *s, struct str id, struct str *ret)
{
	if (!id.p)
		id = STR("");

	struct anthropic_id *t = s->cap ? ids_slot(s, id, ids_hash(id)) : NULL;
	if (!t || !t->id.p) /* no call has it, which the provider will say */
		return ids_name(s, id, 0, ret);
	uint32_t n = t->first + t->results;
	if (n + 1 < t->calls)
		t->results++;
	return ids_name(s, id, n, ret);
}

bool anthropic_ids_name_all(struct anthropic_ids *s, const struct ask *a)
{
	for (size_t i = 0; i < a->count; i++) {
		struct ask_message *m = &a->messages[i];

		for (size_t k = 0; k < m->call_count; k++)
			if (!anthropic_ids_call(s, i, m->calls[k].id, &m->calls[k].id))
				return false;
		if (m->role == ASK_TOOL && !anthropic_ids_result(s, m->call_id, &m->call_id))
			return false;
	}
	return true;
}
