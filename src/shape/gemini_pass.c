/* A provider's own objects on their way to the client. */
#include "shape/gemini_pass.h"

#include "base/limits.h"
#include "json/cut.h"
#include "json/scan.h"

void gemini_pass_init(struct gemini_pass *p, struct blocks *blocks, struct str own_id)
{
	p->blocks = blocks;
	p->own_id = own_id;
	buf_init(&p->held, LIMIT_SSE_EVENT);
}

void gemini_pass_finish(struct gemini_pass *p)
{
	buf_finish(&p->held);
}

bool gemini_pass_put(const struct gemini_pass *p, struct str raw, struct str id, struct buf *out)
{
	if (id.n == 0 || p->own_id.n == 0)
		return buf_str(out, raw);

	struct str before = { raw.p, (size_t)(id.p - raw.p) };
	struct str after = { id.p + id.n, raw.n - before.n - id.n };
	return buf_str(out, before) && buf_text(out, "\"") && buf_str(out, p->own_id) &&
	       buf_text(out, "\"") && buf_str(out, after);
}

static bool pass_piece(struct gemini_pass *p, struct str raw, struct str id, struct buf *out)
{
	if (!block_open(p->blocks, STR_NONE, out))
		return false;
	size_t start = out->len;
	if (!gemini_pass_put(p, raw, id, out))
		return false;
	block_one_line(out, start);
	return block_close(p->blocks, out);
}

bool gemini_pass_end(struct gemini_pass *p, struct buf *out)
{
	bool ok = p->held.len == 0 || pass_piece(p, buf_view(&p->held), STR_NONE, out);

	buf_clear(&p->held);
	return ok;
}

bool gemini_pass_event(struct gemini_pass *p, const struct event *ev, struct buf *out)
{
	p->on = true;
	if (ev->raw.n == 0)
		return true;
	if (!gemini_pass_end(p, out))
		return false;
	return ev->raw_created.n > 0 ? gemini_pass_put(p, ev->raw, ev->raw_id, &p->held)
				     : pass_piece(p, ev->raw, ev->raw_id, out);
}

/* pass_unended: the candidates of an object, without their finishReason. */
static void pass_unended(const struct json_doc *d, struct cut *c)
{
	json_at list = json_get(d, 0, "candidates");

	if (!json_is_kind(d, list, JSON_ARRAY))
		return;
	JSON_EACH (i, d, list) {
		struct cut_walk w = { .cut = c };

		if (json_kind(d, i) != JSON_OBJECT)
			continue;
		JSON_EACH_MEMBER (k, d, i)
			if (json_is(d, k, "finishReason"))
				cut_leave(&w, json_member(d, k));
			else
				cut_stay(&w, json_member(d, k));
		cut_over(&w);
	}
}

bool gemini_pass_break(struct gemini_pass *p, struct buf *out)
{
	struct str      raw = buf_view(&p->held);
	struct json_doc doc = { 0 };
	struct buf      text;
	struct cut      cut = { .out = &text, .at = raw.p };
	struct err      e;
	bool            ok = true;

	p->on = false;
	buf_init(&text, LIMIT_SSE_EVENT);
	if (raw.n > 0 && json_scan(&doc, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK) {
		pass_unended(&doc, &cut);
		cut_bytes(&cut, cut_end_of(raw), cut_end_of(raw), STR_NONE);
		ok = !cut.failed && pass_piece(p, buf_view(&text), STR_NONE, out);
	}
	json_doc_finish(&doc);
	buf_finish(&text);
	buf_clear(&p->held);
	return ok;
}

static bool pass_part_binds(const struct json_doc *d, json_at part)
{
	if (json_kind(d, part) != JSON_OBJECT)
		return true;
	JSON_EACH_MEMBER (k, d, part)
		if (!json_is(d, k, "text") && !json_is(d, k, "thought") &&
		    !json_is(d, k, "thoughtSignature"))
			return true;
	return false;
}

static bool pass_candidate_binds(const struct json_doc *d, json_at candidate)
{
	json_at content = json_get(d, candidate, "content");
	json_at parts =
		json_is_kind(d, content, JSON_OBJECT) ? json_get(d, content, "parts") : JSON_ABSENT;

	if (json_is_kind(d, parts, JSON_ARRAY))
		JSON_EACH (i, d, parts)
			if (pass_part_binds(d, i))
				return true;
	return false;
}

bool gemini_pass_binds(struct str raw)
{
	struct json_doc doc = { 0 };
	struct err      e;
	bool            binds = true;

	if (json_scan(&doc, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK) {
		json_at list = json_get(&doc, 0, "candidates");
		bool    some = json_is_kind(&doc, list, JSON_ARRAY) && doc.tok[list].count > 0;

		binds = some && (doc.tok[list].count > 1 ||
				 pass_candidate_binds(&doc, json_first(&doc, list)));
	}
	json_doc_finish(&doc);
	return binds;
}
