/* Takes a whole answer apart into the events of a stream. */
#include "shape/answer.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/carry.h"
#include "lmc/media.h"

struct replay {
	struct json_doc d;
	bool (*fn)(void *arg, const struct event *ev);
	void      *arg;
	bool       from_lmc;
	struct buf chunk; /* scratch: an LMC chunk */
};

static bool replay_give(struct replay *p, enum event_kind kind, uint32_t block, struct str text)
{
	return p->fn(p->arg,
		     &(struct event){
			     .kind = kind, .block = block, .text = text, .from_lmc = p->from_lmc });
}

/* replay_give_text: gives the string of a member as one piece, if there is one. */
static bool replay_give_text(struct replay *p, enum event_kind kind, json_at object,
			     const char *key, uint32_t block)
{
	json_at i = json_get(&p->d, object, key);

	if (i == JSON_ABSENT || json_kind(&p->d, i) != JSON_STRING || json_inner(&p->d, i).n == 0)
		return true;
	return replay_give(p, kind, block, json_inner(&p->d, i));
}

static struct str inner_of(const struct json_doc *d, json_at object, const char *key)
{
	json_at i = json_get(d, object, key);

	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING ? json_inner(d, i) : STR_NONE;
}

static bool replay_give_call(struct replay *p, json_at call, uint32_t block)
{
	const struct json_doc *d = &p->d;
	json_at                function = json_get_some(d, call, "function");
	bool                   custom = function == JSON_ABSENT;

	if (custom)
		function = json_get_some(d, call, "custom");
	if (function == JSON_ABSENT)
		return true;
	struct str args = inner_of(d, function, custom ? "input" : "arguments");
	/* Clients parse arguments as JSON. */
	if (args.n == 0 && !custom)
		args = STR("{}");
	return p->fn(p->arg, &(struct event){ .kind = EVENT_TOOL_START,
					      .block = block,
					      .id = inner_of(d, call, "id"),
					      .name = inner_of(d, function, "name"),
					      .text = extra_of(d, call),
					      .from_lmc = p->from_lmc }) &&
	       (args.n == 0 || replay_give(p, EVENT_TOOL_ARGS, block, args));
}

static bool replay_give_calls(struct replay *p)
{
	const struct json_doc *d = &p->d;
	json_at                calls = json_get(d, 0, "tool_calls");
	uint32_t               n = 0;

	if (calls == JSON_ABSENT || json_kind(d, calls) != JSON_ARRAY)
		return true;
	JSON_EACH (i, d, calls)
		if (!replay_give_call(p, i, n++))
			return false;
	return true;
}

/* --- LMC --- */

/* replay_put_head: prints the members that all chunks of a message share; the object stays open. */
static bool replay_put_head(struct replay *p, json_at message)
{
	static const char *const keys[] = { "role", "type", "format", "recipient" };
	bool                     first = true;

	buf_clear(&p->chunk);
	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		json_at i = json_get_some(&p->d, message, keys[k]);

		if (i == JSON_ABSENT)
			continue;
		if (!buf_text(&p->chunk, first ? "{\"" : ",\"") || !buf_text(&p->chunk, keys[k]) ||
		    !buf_text(&p->chunk, "\":") || !buf_str(&p->chunk, json_raw(&p->d, i)))
			return false;
		first = false;
	}
	return !first;
}

static bool replay_give_chunk(struct replay *p, json_at message, const char *rest, struct str value)
{
	return replay_put_head(p, message) && buf_text(&p->chunk, rest) &&
	       buf_str(&p->chunk, value) && buf_text(&p->chunk, "}") &&
	       p->fn(p->arg, &(struct event){ .kind = EVENT_LMC, .text = buf_view(&p->chunk) });
}

static bool give_lmc(struct replay *p, json_at message)
{
	json_at content = json_get(&p->d, message, "content");
	bool    some = content != JSON_ABSENT && !json_is(&p->d, content, "");

	return replay_give_chunk(p, message, ",\"start\":true", STR_NONE) &&
	       (!some ||
		replay_give_chunk(p, message, ",\"content\":", json_raw(&p->d, content))) &&
	       replay_give_chunk(p, message, ",\"end\":true", STR_NONE);
}

static bool give_lmc_list(struct replay *p)
{
	const struct json_doc *d = &p->d;
	json_at                list = json_get(d, 0, "lmc");

	if (list == JSON_ABSENT || json_kind(d, list) != JSON_ARRAY)
		return true;
	JSON_EACH (i, d, list)
		if (json_get_some(d, i, "role") != JSON_ABSENT && !give_lmc(p, i))
			return false;
	p->from_lmc = d->tok[list].count > 0;
	return true;
}

/* reasoning_key: the name of the reasoning. Plain answers were stored with their provider's name
 * for it. */
static const char *reasoning_key(const struct json_doc *d)
{
	json_at i = json_get(d, 0, "reasoning_content");

	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING ? "reasoning_content"
								  : "reasoning";
}

static bool replay_give_images(struct replay *p)
{
	json_at list = picture_list(&p->d, 0);

	if (list == JSON_ABSENT)
		return true;
	JSON_EACH (i, &p->d, list)
		if (!replay_give(p, EVENT_MEDIA, 0, json_raw(&p->d, i)))
			return false;
	return true;
}

/* replay_give_items: the items of OpenAI's Responses API that the answer was made of. */
static bool replay_give_items(struct replay *p)
{
	json_at list = json_get(&p->d, 0, RAW_ITEMS_KEY);

	if (!json_is_kind(&p->d, list, JSON_ARRAY))
		return true;
	JSON_EACH (i, &p->d, list)
		if (!p->fn(p->arg, &(struct event){ .kind = EVENT_OTHER,
						    .form = RAW_RESPONSES,
						    .text = json_raw(&p->d, i) }))
			return false;
	return true;
}

/* replay_give_details: the reasoning_details of an answer, for clients that send them back. */
static bool replay_give_details(struct replay *p)
{
	json_at list = json_get(&p->d, 0, "reasoning_details");

	if (!json_is_kind(&p->d, list, JSON_ARRAY) || p->d.tok[list].count == 0)
		return true;
	return p->fn(p->arg, &(struct event){ .kind = EVENT_OTHER, .name = json_raw(&p->d, list) });
}

static bool give_all(struct replay *p, struct str finish_reason, const struct usage *usage)
{
	if (!replay_give(p, EVENT_START, 0, STR_NONE) || !give_lmc_list(p) ||
	    !replay_give_text(p, EVENT_REASONING, 0, reasoning_key(&p->d), 0) ||
	    !replay_give_details(p) || !replay_give_text(p, EVENT_TEXT, 0, "content", 0) ||
	    !replay_give_images(p) || !replay_give_items(p) ||
	    !replay_give_text(p, EVENT_REFUSAL, 0, "refusal", 0) || !replay_give_calls(p))
		return false;
	if (!replay_give(p, EVENT_FINISH, 0, finish_reason))
		return false;
	return !usage->known ||
	       p->fn(p->arg, &(struct event){ .kind = EVENT_USAGE, .usage = *usage });
}

bool replay_answer(struct str message, struct str finish_reason, const struct usage *usage,
		   bool (*fn)(void *arg, const struct event *ev), void *arg)
{
	struct replay p = { .fn = fn, .arg = arg };
	struct err    e;

	buf_init(&p.chunk, LIMIT_STORE_ROW);
	bool ok = json_scan(&p.d, message.p, message.n, &json_limits_stored, &e) == ERR_OK &&
		  json_kind(&p.d, 0) == JSON_OBJECT && give_all(&p, finish_reason, usage);
	json_doc_finish(&p.d);
	buf_finish(&p.chunk);
	return ok;
}
