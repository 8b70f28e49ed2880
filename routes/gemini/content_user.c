/* The words of the user, and results of functions. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "routes/kit/check.h"

/* answer_call: the call that a result is of: by its id, or else the first one of this name that has no answer. */
static struct pending *answer_call(const struct content_list *t, struct str id, struct str name)
{
	struct pending *found = NULL;

	for (size_t i = 0; i < t->pending_count; i++) {
		struct pending *c = &t->pending[i];

		if (c->answered)
			continue;
		if (id.n > 0 && !c->made && str_eq(c->id, id))
			return c;
		if (!found && (id.n == 0 || c->made) && str_eq(c->name, name))
			found = c;
	}
	return found;
}

static enum errc contents_read_response(struct content_list *t, const struct part *p, struct err *e)
{
	struct gemini_reading *x = t->x;
	json_at                response = json_get_some(x->doc, p->value, "response");
	struct str             name = json_get_inner(x->doc, p->value, "name");
	struct pending        *call = answer_call(t, json_get_inner(x->doc, p->value, "id"), name);

	if (!call)
		return err_set(e, ERR_INVALID_VALUE, "functionResponse",
			       "must follow a functionCall with this id or name that has no "
			       "response yet");
	call->answered = true;
	return content_walk_done(
		content_walk_open(t, "{\"role\":\"tool\",\"tool_call_id\":\"") &&
			buf_str(&x->out, call->id) && buf_text(&x->out, "\",\"content\":\"") &&
			buf_json_escape(&x->out, response == JSON_ABSENT
							 ? STR("{}")
							 : json_raw(x->doc, response)) &&
			buf_text(&x->out, "\"") && content_walk_close(t),
		e);
}

/* contents_response_media: the parts of a result that are no object; JSON_ABSENT: there are none. */
static json_at contents_response_media(const struct json_doc *d, const struct part *p)
{
	json_at parts = json_get_some(d, p->value, "parts");

	return proto_list(d, parts) && proto_count(d, parts) > 0 ? parts : JSON_ABSENT;
}

static bool contents_is_rest(const struct part *p)
{
	return p->kind == PART_DATA || p->kind == PART_FILE ||
	       (p->kind == PART_TEXT && !p->thought);
}

/* contents_put_response_media: what a result has besides its object, after a text that says where it is from. */
static enum errc contents_put_response_media(struct content_list *t, struct part_sink *s,
					     const struct part *response, struct err *e)
{
	struct gemini_reading *x = t->x;
	json_at                parts = contents_response_media(x->doc, response);
	struct buf             head;
	size_t                 n = 0;

	if (parts == JSON_ABSENT)
		return ERR_OK;
	buf_init(&head, LIMIT_BODY_MAX);
	bool ok = buf_text(&head, "From the result of ") &&
		  buf_str(&head, json_get_inner(x->doc, response->value, "name")) &&
		  buf_text(&head, ":") && part_put_text(x, s, buf_view(&head));
	buf_finish(&head);
	enum errc rc = content_walk_done(ok, e);
	for (json_at i = proto_first(x->doc, parts); rc == ERR_OK && i != json_end(x->doc, parts);
	     i = json_next(x->doc, i)) {
		struct part p;
		char        at[160];

		rc = part_read(x->doc, i, false, &p, e);
		if (rc == ERR_OK && p.kind != PART_EMPTY && !contents_is_rest(&p))
			rc = err_set(e, ERR_INVALID_VALUE, "", "must have inlineData or fileData");
		if (rc == ERR_OK)
			rc = part_put(x, s, &p, e);
		if (rc != ERR_OK) {
			check_path(at, "functionResponse.parts[%zu]", n);
			err_at(e, at);
		}
		n++;
	}
	return rc;
}

/* read_responses: the results of the run; *ret_array: the rest has more than texts. */
static enum errc read_responses(struct content_list *t, struct walk w, bool *ret_array,
				struct err *e)
{
	struct part p;
	bool        more;
	enum errc   rc = content_walk_next(&w, &p, &more, e);

	*ret_array = false;
	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e)) {
		if (p.kind == PART_CALL) {
			err_set(e, ERR_INVALID_VALUE, "",
				"a functionCall is the model's: the content's role must be "
				"model");
			return content_walk_at(&w, e);
		}
		if (p.kind == PART_FOREIGN)
			content_walk_warn(t);
		*ret_array = *ret_array || (contents_is_rest(&p) && !part_is_text(t->x, &p)) ||
			     (p.kind == PART_RESPONSE &&
			      contents_response_media(t->x->doc, &p) != JSON_ABSENT);
		if (p.kind == PART_RESPONSE && contents_read_response(t, &p, e) != ERR_OK)
			return content_walk_at(&w, e);
	}
	return rc;
}

enum errc content_user_read(struct content_list *t, struct walk w, struct err *e)
{
	struct gemini_reading *x = t->x;
	struct part_sink       s = { .gap = "\\n\\n" };
	struct part            p;
	bool                   more = false;
	enum errc              rc = read_responses(t, w, &s.array, e);

	if (rc == ERR_OK)
		rc = content_walk_done(
			content_walk_open(t, s.array ? "{\"role\":\"user\",\"content\":["
						     : "{\"role\":\"user\",\"content\":\""),
			e);
	if (rc == ERR_OK)
		rc = content_walk_next(&w, &p, &more, e);
	while (rc == ERR_OK && more) {
		if (p.kind == PART_RESPONSE)
			rc = contents_put_response_media(t, &s, &p, e);
		else if (contents_is_rest(&p))
			rc = part_put(x, &s, &p, e);
		if (rc != ERR_OK)
			return content_walk_at(&w, e);
		rc = content_walk_next(&w, &p, &more, e);
	}
	if (rc != ERR_OK)
		return rc;
	if (s.count == 0) {
		x->out.len = t->start;
		return ERR_OK;
	}
	return content_walk_done(buf_text(&x->out, s.array ? "]" : "\"") && content_walk_close(t),
				 e);
}
