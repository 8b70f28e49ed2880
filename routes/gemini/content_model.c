/* The model's own contents. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "shape/carry.h"
#include "shape/encoders.h"

#include <stdio.h>
#include <string.h>

/* add_pending: keeps a call, with its id or one that is made. */
static enum errc add_pending(struct content_list *t, struct str id, struct str name,
			     struct pending **ret, struct err *e)
{
	char text[32];

	if (t->pending_count == LIMIT_TOOLS)
		return err_set(e, ERR_INVALID_VALUE, "",
			       "the model has more than %d calls in a row", LIMIT_TOOLS);
	*ret = &t->pending[t->pending_count++];
	**ret = (struct pending){ .id = id, .name = name, .made = id.n == 0 };
	if (id.n > 0)
		return ERR_OK;
	snprintf(text, sizeof text, GEMINI_MADE_ID "%u", ++t->made);
	(*ret)->id = arena_str(t->x->arena, str_of(text));
	return content_walk_done((*ret)->id.p, e);
}

/* contents_read_carried: adds what a signature has that the gateway put in the place of one (shape/gemini_stream).  False: memory is short. */
static bool contents_read_carried(struct content_list *t, struct str signature, struct carry *ret)
{
	struct buf base64, text, escaped;
	struct err e;
	bool       ours = false;
	bool       ok = true;

	buf_init(&base64, signature.n + 4);
	buf_init(&text, signature.n + 4);
	buf_init(&escaped, 6 * (signature.n + 4));
	if (proto_base64(signature, "", &base64, &e) == ERR_OK)
		ok = media_decode(buf_view(&base64), &text) &&
		     (!utf8_valid(text.data, text.len) ||
		      buf_json_escape(&escaped, buf_view(&text)));
	else
		ok = e.code != ERR_OVERLOADED;
	if (ok && carry_is(buf_view(&escaped)))
		ok = carry_read(ret, buf_view(&escaped), &ours);
	if (ok && !ours)
		warnings_add(&t->x->warnings, t->place, "reasoning_dropped",
			     "a thoughtSignature was not sent: it is not as the gateway gave it");
	buf_finish(&base64);
	buf_finish(&text);
	buf_finish(&escaped);
	return ok;
}

/* put_signed: what the provider must get back with a call. */
static bool put_signed(struct content_list *t, struct str signature)
{
	struct carry *carry;

	if (!carry_is_coded(signature))
		return extra_put(signature, &t->x->out);
	carry = carry_create();
	bool ok = carry && contents_read_carried(t, signature, carry) &&
		  carry_put_extra(carry, STR(GEMINI_CARRIED), &t->x->out);
	carry_destroy(carry);
	return ok;
}

static enum errc put_call(struct content_list *t, const struct part *p, bool first, struct err *e)
{
	struct gemini_reading *x = t->x;
	json_at                args = json_get_some(x->doc, p->value, "args");
	struct str             name = json_get_inner(x->doc, p->value, "name");
	struct pending        *call = NULL;

	if (name.n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, "functionCall.name", "must be a string");
	if (args != JSON_ABSENT && json_kind(x->doc, args) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "functionCall.args", "must be an object");
	enum errc rc = add_pending(t, json_get_inner(x->doc, p->value, "id"), name, &call, e);
	if (rc != ERR_OK)
		return rc;
	return content_walk_done(
		buf_text(&x->out, first ? ",\"tool_calls\":[{\"id\":\"" : ",{\"id\":\"") &&
			buf_str(&x->out, call->id) && buf_text(&x->out, "\"") &&
			put_signed(t, p->signature) &&
			buf_text(&x->out, ",\"type\":\"function\",\"function\":{\"name\":\"") &&
			buf_str(&x->out, name) && buf_text(&x->out, "\",\"arguments\":\"") &&
			buf_json_escape(&x->out,
					args == JSON_ABSENT ? STR("{}") : json_raw(x->doc, args)) &&
			buf_text(&x->out, "\"}}"),
		e);
}

/* The kinds of parts that a run of the model's contents has. */
struct made {
	struct part_sink texts;
	bool             thoughts, images, calls, carries;
};

/* read_texts: appends the texts, and finds what else there is. */
static enum errc read_texts(struct content_list *t, struct walk w, struct made *m, struct err *e)
{
	struct part p;
	bool        more;
	enum errc   rc = content_walk_next(&w, &p, &more, e);

	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e)) {
		switch (p.kind) {
		case PART_TEXT:
			m->thoughts = m->thoughts || p.thought;
			rc = p.thought ? ERR_OK : part_put(t->x, &m->texts, &p, e);
			break;
		case PART_DATA:
			if (part_is_text(t->x, &p))
				rc = part_put(t->x, &m->texts, &p, e);
			else
				m->images = true;
			break;
		case PART_CALL:
			m->calls = true;
			m->carries = m->carries || carry_is_coded(p.signature);
			break;
		case PART_FOREIGN: content_walk_warn(t); break;
		case PART_FILE:
		case PART_RESPONSE:
			if (t->x->native) {
				content_walk_warn(t);
				break;
			}
			rc = err_set(e, ERR_INVALID_VALUE, "",
				     "a content of the model can't have such a part");
			break;
		case PART_EMPTY: break;
		}
		if (rc != ERR_OK)
			return content_walk_at(&w, e);
	}
	return rc;
}

/* contents_put_thoughts: what the model thought, in the member in which it gave it: some models want it back with the calls to
 * which it led. */
static enum errc contents_put_thoughts(struct content_list *t, struct walk w, struct err *e)
{
	struct buf *out = &t->x->out;
	struct part p;
	bool        any = false, more, ok = true;
	enum errc   rc = content_walk_next(&w, &p, &more, e);

	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e)) {
		if (p.kind != PART_TEXT || !p.thought || json_inner(w.d, p.value).n == 0)
			continue;
		ok = ok && (any || buf_text(out, ",\"reasoning_content\":\"")) &&
		     buf_str(out, json_inner(w.d, p.value));
		any = true;
	}
	return rc == ERR_OK ? content_walk_done(ok && (!any || buf_text(out, "\"")), e) : rc;
}

static enum errc put_images(struct content_list *t, struct walk w, struct err *e)
{
	struct part p;
	bool        any = false, more;
	enum errc   rc = content_walk_next(&w, &p, &more, e);

	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e)) {
		if (p.kind != PART_DATA || part_is_text(t->x, &p))
			continue;
		if (!buf_text(&t->x->out, any ? "," : ",\"images\":["))
			return content_walk_no_memory(e);
		any = true;
		if (part_put_made(t->x, &p, e) != ERR_OK)
			return content_walk_at(&w, e);
	}
	return rc == ERR_OK ? content_walk_done(buf_text(&t->x->out, "]"), e) : rc;
}

/* contents_put_details: the reasoning_details that the signatures of the calls have together. */
static enum errc contents_put_details(struct content_list *t, struct walk w, struct err *e)
{
	struct carry *carry = carry_create();
	struct part   p;
	bool          more, ok = carry;
	enum errc     rc = content_walk_next(&w, &p, &more, e);

	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e))
		if (p.kind == PART_CALL && carry_is_coded(p.signature))
			ok = ok && contents_read_carried(t, p.signature, carry);
	if (rc == ERR_OK)
		rc = content_walk_done(ok && carry_put_details(carry, &t->x->out), e);
	carry_destroy(carry);
	return rc;
}

static enum errc contents_put_calls(struct content_list *t, struct walk w, struct err *e)
{
	struct part p;
	bool        first = true, more;
	enum errc   rc = content_walk_next(&w, &p, &more, e);

	for (; rc == ERR_OK && more; rc = content_walk_next(&w, &p, &more, e)) {
		if (p.kind != PART_CALL)
			continue;
		if (put_call(t, &p, first, e) != ERR_OK)
			return content_walk_at(&w, e);
		first = false;
	}
	return rc == ERR_OK ? content_walk_done(buf_text(&t->x->out, "]"), e) : rc;
}

enum errc content_model_read(struct content_list *t, struct walk w, struct err *e)
{
	struct buf *out = &t->x->out;
	struct made m = { .texts = { .gap = "" } };
	enum errc   rc = content_walk_done(
		  content_walk_open(t, "{\"role\":\"assistant\",\"content\":\""), e);

	t->pending_count = 0;
	if (rc == ERR_OK)
		rc = read_texts(t, w, &m, e);
	if (rc != ERR_OK)
		return rc;
	if (m.texts.count == 0 && !m.calls && !m.images) { /* nothing but thoughts, perhaps */
		out->len = t->start;
		return ERR_OK;
	}
	out->len -= m.texts.count == 0; /* the quote */
	rc = content_walk_done(buf_text(out, m.texts.count == 0 ? "null" : "\""), e);
	if (rc == ERR_OK && m.thoughts)
		rc = contents_put_thoughts(t, w, e);
	if (rc == ERR_OK && m.images)
		rc = put_images(t, w, e);
	if (rc == ERR_OK && m.carries)
		rc = contents_put_details(t, w, e);
	if (rc == ERR_OK && m.calls)
		rc = contents_put_calls(t, w, e);
	return rc == ERR_OK ? content_walk_done(content_walk_close(t), e) : rc;
}
