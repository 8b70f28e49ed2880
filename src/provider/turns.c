/* One walk over the messages for all APIs with turns; their differences are in struct turns. */
#include "provider/ask.h"

#include "lmc/warnings.h"
#include "provider/ask_param.h"

bool turns_put_mark(struct str cache, struct buf *out)
{
	return cache.n == 0 || (buf_text(out, ",\"cache_control\":") && buf_str(out, cache));
}

void turns_mark_last(const struct ask *a, struct str mark)
{
	for (size_t i = a->count; mark.n > 0 && i > 0; i--) {
		struct ask_message *m = &a->messages[i - 1];
		struct str         *to = m->role == ASK_TOOL ? &m->cache
					 : m->part_count > 0 ? &m->parts[m->part_count - 1].cache
							     : NULL;

		if (!to)
			continue;
		if (to->n == 0)
			*to = mark;
		return;
	}
}

static bool turns_put_text(const struct turns *t, struct str name, const struct ask_part *part,
			   struct buf *out)
{
	return buf_text(out, t->text) &&
	       (name.n == 0 || (buf_str(out, name) && buf_text(out, ": "))) &&
	       buf_str(out, part->text) && buf_text(out, "\"") &&
	       (!t->marks || turns_put_mark(part->cache, out)) && buf_text(out, "}");
}

enum errc turns_put_parts(const struct turns *t, const struct ask_message *m, bool *first,
			  struct buf *out, struct err *e)
{
	/* The APIs have no other place for the name of a user. */
	struct str name = m->role == ASK_USER ? m->name : STR_NONE;

	for (size_t i = 0; i < m->part_count; i++) {
		const struct ask_part *part = &m->parts[i];
		enum errc              rc = ERR_OK;

		if (!ask_put_comma(first, out))
			return ask_too_large(e);
		if (part->kind != ASK_TEXT)
			rc = t->put_part(m, part, out, e);
		else if (!turns_put_text(t, name, part, out))
			rc = ask_too_large(e);
		else
			name = STR_NONE;
		if (rc == ERR_OK && t->put_point && part->cache.n > 0 &&
		    !t->put_point(part->cache, out))
			rc = ask_too_large(e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc turns_put_message(const struct turns *t, const struct ask_message *m, bool *first,
				   struct buf *out, struct err *e)
{
	if (m->role == ASK_TOOL)
		return t->put_result(t, m, first, out, e);
	if (t->put_before && !t->put_before(m, first, out))
		return ask_too_large(e);
	enum errc rc = turns_put_parts(t, m, first, out, e);
	return rc != ERR_OK || t->put_behind(m, first, out) ? rc : ask_too_large(e);
}

static bool has_images(const struct ask_message *m)
{
	for (size_t i = 0; i < m->image_count; i++)
		if (m->images[i].data.n > 0)
			return true;
	return false;
}

static bool is_turn(const struct turns *t, const struct ask_message *m)
{
	switch (m->role) {
	case ASK_SYSTEM: return false;
	case ASK_TOOL: return true;
	case ASK_USER:
	case ASK_ASSISTANT:
		return m->part_count + m->call_count > 0 || (t->images && has_images(m));
	case ASK_ROLE__COUNT: break;
	}
	return false;
}

/* has_turns: whether the messages have more than instructions. */
static bool has_turns(const struct turns *t, const struct ask *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (is_turn(t, &a->messages[i]))
			return true;
	return false;
}

/* put_begin: a turn of the user's before the assistant's first one. */
static bool put_begin(const struct turns *t, const struct ask *a, const struct ask_message *m,
		      struct buf *out)
{
	warnings_add(a->prompt->warnings, m->index, "message_added",
		     "a user's \"%s\" was sent before it, as this provider takes no assistant's "
		     "message first",
		     t->begin);
	return buf_text(out, t->user) && buf_text(out, t->text) && buf_text(out, t->begin) &&
	       buf_text(out, "\"}]},");
}

enum errc turns_put(const struct turns *t, const struct ask *a, struct buf *out, struct err *e)
{
	enum ask_role open = ASK_ROLE__COUNT;
	enum errc     rc = buf_text(out, t->list) ? ERR_OK : ask_too_large(e);
	bool          alone = !has_turns(t, a);
	bool          first = true;

	for (size_t i = 0; rc == ERR_OK && i < a->count; i++) {
		const struct ask_message *m = &a->messages[i];
		enum ask_role             role = m->role;

		if (alone ? m->part_count == 0 : !is_turn(t, m))
			continue;
		if (alone || (role == ASK_TOOL && !t->results_apart))
			role = ASK_USER;
		if (t->put_steps) {
			rc = t->put_steps(t, m, role, &first, out, e);
			open = role;
			continue;
		}
		if (open == ASK_ROLE__COUNT && role == ASK_ASSISTANT && t->begin &&
		    !put_begin(t, a, m, out))
			return ask_too_large(e);
		if (role != open) {
			if (!buf_text(out, open != ASK_ROLE__COUNT ? "]}," : "") ||
			    !buf_text(out, role == ASK_ASSISTANT ? t->assistant : t->user))
				return ask_too_large(e);
			first = true;
			open = role;
		}
		rc = turns_put_message(t, m, &first, out, e);
	}
	if (rc == ERR_OK && open == ASK_ROLE__COUNT)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "none of them has content other than white space, which this "
			       "provider needs");
	return rc != ERR_OK || buf_text(out, t->put_steps ? "]" : "]}]") ? rc : ask_too_large(e);
}

/* turns_put_joined: a system message as a part of one text. */
static enum errc turns_put_joined(const struct turns *t, const struct ask_message *m, bool first,
				  struct buf *out, struct err *e)
{
	for (size_t i = 0; i < m->part_count; i++) {
		if (m->parts[i].kind != ASK_TEXT)
			return ask_refuse_part(m, &m->parts[i], t->joins, e);
		if (!((first && i == 0) || buf_text(out, "\\n\\n")) ||
		    !buf_str(out, m->parts[i].text))
			return ask_too_large(e);
	}
	return ERR_OK;
}

enum errc turns_put_system(const struct turns *t, const struct ask *a, struct buf *out,
			   struct err *e)
{
	bool alone = !has_turns(t, a);
	bool any = false;
	bool turns = false;

	for (size_t i = 0; i < a->count; i++) {
		const struct ask_message *m = &a->messages[i];
		bool                      first = true;

		turns = turns || is_turn(t, m);
		if (m->role != ASK_SYSTEM || m->part_count == 0)
			continue;
		if (alone) {
			warnings_add(a->prompt->warnings, m->index, "system_moved",
				     "it was sent as the user's message, as there is no other one, "
				     "which this provider needs");
			continue;
		}
		if (turns)
			warnings_add(
				a->prompt->warnings, m->index, "system_moved",
				"a system message among the others was put in front of them, as "
				"this provider takes none there");
		if (!buf_text(out, !any ? t->system : t->joins ? "" : ","))
			return ask_too_large(e);
		enum errc rc = t->joins ? turns_put_joined(t, m, !any, out, e)
					: turns_put_parts(t, m, &first, out, e);
		any = true;
		if (rc != ERR_OK)
			return rc;
	}
	return !any || buf_text(out, t->system_end) ? ERR_OK : ask_too_large(e);
}
