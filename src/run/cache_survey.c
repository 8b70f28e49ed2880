/* The events of an answer say whether it has ended as one should, and whether a call of the other kind can be given
 * the whole of it.  Only objects of OpenAI's dialect are looked into: what the other providers say has
 * become events, and an event is never lost. */
#include "json/scan.h"
#include "msg/event_code.h"
#include "run/cache.h"

enum { CHOICES_MOST = 64 };

struct survey {
	struct json_doc      doc; /* scratch */
	struct cache_survey *ret;
	uint64_t             ended; /* bits of choices */
	bool                 raw;
};

/* Members that events have, too, or that tell nothing of the answer. */
static const char *const of_body[] = {
	"id",
	"object",
	"created",
	"model",
	"choices",
	"usage",
	"system_fingerprint",
	"error",
	"service_tier",
	"provider",
	"obfuscation",
	NULL,
};
static const char *const of_choice[] = {
	"index", "message", "delta", "finish_reason", "native_finish_reason", NULL,
};
static const char *const of_message[] = {
	"role",       "content", "refusal", "reasoning", "reasoning_content", "reasoning_details",
	"tool_calls", "images",  "lmc",     NULL,
};

static bool survey_knows(struct str key, const char *const *names)
{
	while (*names && !str_is(key, *names))
		names++;
	return *names;
}

/* survey_is_empty: null, or an empty string, array or object. */
static bool survey_is_empty(const struct json_doc *d, json_at i)
{
	enum json_kind kind = json_kind(d, i);

	return kind == JSON_NULL || (kind == JSON_STRING && json_inner(d, i).n == 0) ||
	       ((kind == JSON_ARRAY || kind == JSON_OBJECT) && d->tok[i].count == 0);
}

static void survey_members(struct survey *s, json_at object, const char *const *known)
{
	if (json_kind(&s->doc, object) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (i, &s->doc, object)
		if (!survey_knows(json_inner(&s->doc, i), known) &&
		    !survey_is_empty(&s->doc, json_value(i)))
			s->ret->apart = true;
}

/* survey_message: content that is no string would be left out. */
static void survey_message(struct survey *s, json_at message)
{
	json_at content = json_get_some(&s->doc, message, "content");

	if (message == JSON_ABSENT)
		return;
	survey_members(s, message, of_message);
	if (content != JSON_ABSENT && json_kind(&s->doc, content) != JSON_STRING)
		s->ret->apart = true;
}

static void survey_choice(struct survey *s, json_at choice)
{
	json_at finish = json_get_some(&s->doc, choice, "finish_reason");
	json_at message = json_get_some(&s->doc, choice, "message");
	int64_t n = 0;

	(void)json_int(&s->doc, json_get(&s->doc, choice, "index"), &n);
	survey_members(s, choice, of_choice);
	survey_message(s, message != JSON_ABSENT ? message : json_get(&s->doc, choice, "delta"));
	if (finish == JSON_ABSENT)
		return;
	if (!cache_ends_well(json_inner_of(&s->doc, finish)) || n < 0 || n >= CHOICES_MOST)
		s->ret->broken = true;
	else
		s->ended |= UINT64_C(1) << n;
}

static void survey_raw(struct survey *s, struct str raw)
{
	json_at    choices;
	struct err e;

	s->raw = true;
	if (json_scan(&s->doc, raw.p, raw.n, &json_limits_stored, &e) != ERR_OK) {
		s->ret->broken = true;
		return;
	}
	survey_members(s, 0, of_body);
	choices = json_get(&s->doc, 0, "choices");
	if (!json_is_kind(&s->doc, choices, JSON_ARRAY))
		return;
	JSON_EACH (i, &s->doc, choices)
		survey_choice(s, i);
}

struct cache_survey cache_survey(struct str events, int64_t answers)
{
	struct cache_survey ret = { 0 };
	struct survey       s = { .ret = &ret };
	struct event        ev;
	uint64_t            seq;

	while (event_decode_again(&events, &ev, &seq)) {
		if (ev.raw.n > 0 && ev.form == RAW_OPENAI)
			survey_raw(&s, ev.raw);
		ret.finished = ret.finished || ev.kind == EVENT_FINISH;
	}
	json_doc_finish(&s.doc);
	ret.broken = ret.broken || events.n > 0 || !ret.finished;
	for (int64_t n = 0; s.raw && n < answers; n++)
		if (n >= CHOICES_MOST || !(s.ended >> n & 1))
			ret.broken = true;
	return ret;
}
