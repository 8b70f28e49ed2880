/* Reads OpenAI's stream chunks into a turn, with tolerance for the known faults of providers. */
#include "lmc/translate.h"

#include "base/limits.h"
#include "lmc/text.h"

/* The state of reading one chunk. */
struct reading {
	struct delta          *s;
	const struct json_doc *d;
	struct speech         *speech;
	struct warnings       *warnings;
	size_t                 index;
	struct buf             text; /* scratch: decoded text */
};

static void delta_ignored(const struct reading *r, const char *what)
{
	warnings_add(r->warnings, r->index, "ignored", "%s and is ignored", what);
}

/* --- content --- */

static bool delta_add_text(struct reading *r, json_at i)
{
	struct str text;

	if (!text_view(r->d, i, &r->text, &text))
		return false;
	if (text.n == 0)
		return true;
	r->s->any = true;
	return speech_text(r->speech, text);
}

static bool delta_add_parts(struct reading *r, json_at parts)
{
	const struct json_doc *d = r->d;

	JSON_EACH (i, d, parts) {
		json_at type = json_get(d, i, "type");
		json_at text = json_get(d, i, "text");

		if (type == JSON_ABSENT || !json_is(d, type, "text") || text == JSON_ABSENT ||
		    json_kind(d, text) != JSON_STRING) {
			delta_ignored(r, "a part of the content is no text");
			continue;
		}
		if (!delta_add_text(r, text))
			return false;
	}
	return true;
}

static bool delta_add_content(struct reading *r, json_at content)
{
	if (content == JSON_ABSENT)
		return true;
	if (json_kind(r->d, content) == JSON_STRING)
		return delta_add_text(r, content);
	if (json_kind(r->d, content) == JSON_ARRAY)
		return delta_add_parts(r, content);
	delta_ignored(r, "the content is neither a string nor a list of parts");
	return true;
}

/* --- calls --- */

/* delta_member_of: json_get_some for an object that may be absent; json_get_some itself would take
 * that for the root. */
static json_at delta_member_of(const struct json_doc *d, json_at object, const char *key)
{
	return object == JSON_ABSENT ? JSON_ABSENT : json_get_some(d, object, key);
}

/* delta_add_function: adds name and arguments. A call without either is still a call. */
static bool delta_add_function(struct reading *r, json_at function, uint32_t index)
{
	const struct json_doc *d = r->d;
	json_at                name = delta_member_of(d, function, "name");
	json_at                args = delta_member_of(d, function, "arguments");
	struct str             text = STR_NONE;

	r->s->any = true;
	if (name != JSON_ABSENT && json_kind(d, name) != JSON_STRING) {
		delta_ignored(r, "the name of a function is no string");
		name = JSON_ABSENT;
	}
	if (name != JSON_ABSENT && !text_view(d, name, &r->text, &text))
		return false;
	if (!speech_name(r->speech, index, text))
		return false;
	if (args == JSON_ABSENT)
		return true;
	return text_view(d, args, &r->text, &text) && speech_args(r->speech, index, text);
}

/* index_of: the index of a call, or else its place in the list (K3). */
static uint32_t index_of(const struct reading *r, json_at call, uint32_t place)
{
	json_at i = json_get_some(r->d, call, "index");
	int64_t v;

	if (i == JSON_ABSENT)
		return place;
	if (json_int(r->d, i, &v) && v >= 0 && v <= (int64_t)UINT32_MAX)
		return (uint32_t)v;
	delta_ignored(r, "the index of a tool call is no number from 0");
	return place;
}

static bool delta_add_calls(struct reading *r, json_at calls)
{
	const struct json_doc *d = r->d;
	uint32_t               place = 0;

	if (calls == JSON_ABSENT)
		return true;
	if (json_kind(d, calls) != JSON_ARRAY) {
		delta_ignored(r, "tool_calls is no array");
		return true;
	}
	JSON_EACH (i, d, calls) {
		uint32_t here = place++;

		if (json_kind(d, i) != JSON_OBJECT) {
			delta_ignored(r, "a tool call is no object");
			continue;
		}

		json_at function = json_get_some(d, i, "function");
		if (function != JSON_ABSENT && json_kind(d, function) != JSON_OBJECT)
			delta_ignored(r, "the function of a tool call is no object");
		if (!delta_add_function(r, function, index_of(r, i, here)))
			return false;
	}
	return true;
}

static bool add_legacy(struct reading *r, json_at function)
{
	if (function == JSON_ABSENT)
		return true;
	if (json_kind(r->d, function) == JSON_OBJECT)
		return delta_add_function(r, function, 0);
	delta_ignored(r, "function_call is no object");
	return true;
}

/* --- chunks --- */

/* delta_add_delta: reads the content first, because content beside a call still belongs to the
 * early text (K2). */
static bool delta_add_delta(struct reading *r, json_at delta)
{
	const struct json_doc *d = r->d;

	if (json_kind(d, delta) != JSON_OBJECT) {
		delta_ignored(r, "the delta of a choice is no object");
		return true;
	}
	return delta_add_content(r, json_get_some(d, delta, "content")) &&
	       delta_add_calls(r, json_get_some(d, delta, "tool_calls")) &&
	       add_legacy(r, json_get_some(d, delta, "function_call"));
}

static bool is_first_choice(const struct json_doc *d, json_at choice)
{
	json_at i = json_get_some(d, choice, "index");
	int64_t v;

	return i == JSON_ABSENT || (json_int(d, i, &v) && v == 0);
}

static bool add_choice(struct reading *r, json_at choice)
{
	const struct json_doc *d = r->d;

	if (json_kind(d, choice) != JSON_OBJECT) {
		delta_ignored(r, "a choice is no object");
		return true;
	}
	if (!is_first_choice(d, choice)) {
		warnings_add(r->warnings, r->index, "other_choice",
			     "only the choice with index 0 is translated: another one is dropped");
		return true;
	}

	json_at delta = json_get_some(d, choice, "delta");
	json_at message = json_get_some(d, choice, "message");
	if (delta != JSON_ABSENT)
		return delta_add_delta(r, delta);
	return message == JSON_ABSENT || r->s->any || delta_add_delta(r, message);
}

/* is_error: true: the chunk is an error and ends the stream. The warning quotes its message,
 * cut. */
static bool is_error(const struct json_doc *d, json_at chunk, struct reading *r)
{
	json_at    error = json_get_some(d, chunk, "error");
	struct str text = STR("no message");

	if (error == JSON_ABSENT ||
	    (json_kind(d, error) != JSON_OBJECT && json_kind(d, error) != JSON_STRING))
		return false;

	json_at message = json_get_some(d, error, "message");
	message = json_kind(d, error) == JSON_STRING ? error : message;
	/* Without memory for its message, the chunk is still an error. */
	if (message != JSON_ABSENT && json_kind(d, message) == JSON_STRING &&
	    text_view(d, message, &r->text, &text) && text.n > 120) {
		text.n = 120;
		text.n = text_whole(text);
	}
	warnings_add(r->warnings, r->index, "stream_error",
		     "the stream ends here with an error: %.*s", STR_ARG(text));
	return true;
}

static bool add_chunk(struct reading *r, json_at chunk)
{
	const struct json_doc *d = r->d;

	if (is_error(d, chunk, r)) {
		r->s->ended = true;
		return true;
	}

	json_at choices = json_get_some(d, chunk, "choices");
	if (choices == JSON_ABSENT)
		return true;
	if (json_kind(d, choices) != JSON_ARRAY) {
		delta_ignored(r, "choices is no array");
		return true;
	}
	JSON_EACH (i, d, choices)
		if (!add_choice(r, i))
			return false;
	return true;
}

bool delta_add(struct delta *s, const struct json_doc *d, json_at chunk, size_t index,
	       struct speech *speech, struct warnings *warnings)
{
	struct reading r = {
		.s = s, .d = d, .speech = speech, .warnings = warnings, .index = index
	};

	if (s->ended)
		return true;
	speech_at(speech, index);
	buf_init(&r.text, LIMIT_TRANSLATION);
	bool ok = add_chunk(&r, chunk);
	buf_finish(&r.text);
	return ok;
}
