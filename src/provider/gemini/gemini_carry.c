/* The provider's own objects, for clients that are sent them as they are. */
#include "provider/gemini/gemini.h"

#include "base/limits.h"
#include "provider/secret_mask.h"

static bool carry_is_secret(const struct decode *d, json_at object, const char *key)
{
	char       masked[LIMIT_MASK_TEXT];
	struct str text = json_get_inner(d->doc, object, key);

	return text.n > 0 &&
	       (text.n >= sizeof masked || mask_text(d->mask, text, masked, sizeof masked));
}

/* carry_look: the first finishReason; false: what the object says of its end, which is not the model's word, has a
 * secret. */
static bool carry_look(const struct decode *d, json_at *ret_finish)
{
	const struct json_doc *doc = d->doc;
	json_at                feedback = json_get(doc, 0, "promptFeedback");
	json_at                list = json_get(doc, 0, "candidates");
	bool                   clean = true;

	*ret_finish = JSON_ABSENT;
	if (json_is_kind(doc, feedback, JSON_OBJECT))
		clean = !carry_is_secret(d, feedback, "blockReason") &&
			!carry_is_secret(d, feedback, "blockReasonMessage");
	if (!json_is_kind(doc, list, JSON_ARRAY))
		return clean;
	JSON_EACH (i, doc, list) {
		if (json_kind(doc, i) != JSON_OBJECT)
			continue;
		json_at finish = json_get(doc, i, "finishReason");

		if (*ret_finish == JSON_ABSENT && json_is_kind(doc, finish, JSON_STRING))
			*ret_finish = finish;
		clean = clean && !carry_is_secret(d, i, "finishReason") &&
			!carry_is_secret(d, i, "finishMessage");
	}
	return clean;
}

void gemini_carry(struct decode *d)
{
	const struct json_doc *doc = d->doc;
	json_at                finish, id;

	if (!d->native || json_kind(doc, 0) != JSON_OBJECT)
		return;
	if (!carry_look(d, &finish)) {
		d->native = false;
		return;
	}
	id = json_get(doc, 0, "responseId");
	d->form = RAW_GEMINI;
	d->raw = json_raw(doc, 0);
	d->raw_id = json_is_kind(doc, id, JSON_STRING) ? json_raw(doc, id) : STR_NONE;
	d->raw_created = d->stream && finish != JSON_ABSENT ? json_raw(doc, finish) : STR_NONE;
}
