/* Contents, as messages of OpenAI's. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "msg/prompt.h"
#include "routes/kit/check.h"

/* --- the instruction --- */

static enum errc contents_read_system(struct content_list *t, json_at system, struct err *e)
{
	struct gemini_reading *x = t->x;
	struct part_sink       s = { .gap = "\\n\\n" };
	json_at                parts;
	size_t                 n = 0;
	enum errc rc = content_walk_parts(x->doc, system, "systemInstruction", &parts, e);

	if (rc != ERR_OK || parts == JSON_ABSENT)
		return rc;
	if (!content_walk_open(t, "{\"role\":\"system\",\"content\":\""))
		return content_walk_no_memory(e);
	for (json_at i = proto_first(x->doc, parts); rc == ERR_OK && i != json_end(x->doc, parts);
	     i = json_next(x->doc, i)) {
		struct part p;
		char        path[160];

		rc = part_read(x->doc, i, false, &p, e);
		if (rc == ERR_OK && p.kind != PART_EMPTY && !part_is_text(x, &p))
			rc = err_set(e, ERR_INVALID_VALUE, "", "must be a text");
		if (rc == ERR_OK)
			rc = part_put(x, &s, &p, e);
		if (rc != ERR_OK) {
			check_path(path, "systemInstruction.parts[%zu]", n);
			err_at(e, path);
		}
		n++;
	}
	if (rc == ERR_OK && s.count == 0)
		x->out.len = t->start;
	else if (rc == ERR_OK)
		rc = content_walk_done(buf_text(&x->out, "\"") && content_walk_close(t), e);
	return rc;
}

/* --- all --- */

enum who { WHO_USER, WHO_MODEL, WHO_NOBODY };

static enum who who_of(const struct json_doc *d, json_at content)
{
	json_at role = json_get_some(d, content, "role");

	/* The last two are older names for results. */
	if (role == JSON_ABSENT || json_is(d, role, "user") || json_is(d, role, "function") ||
	    json_is(d, role, "tool"))
		return WHO_USER;
	return json_is(d, role, "model") ? WHO_MODEL : WHO_NOBODY;
}

static enum errc contents_check_content(const struct json_doc *d, json_at content, size_t n,
					struct err *e)
{
	char path[160];

	check_path(path, "contents[%zu]", n);
	if (json_kind(d, content) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	check_path(path, "contents[%zu].role", n);
	if (who_of(d, content) == WHO_NOBODY)
		return err_set(e, ERR_INVALID_VALUE, path, "must be one of: user, model");
	return ERR_OK;
}

/* has_response: whether a content has a result of a function. */
static bool has_response(const struct json_doc *d, json_at content)
{
	json_at parts = json_get_some(d, content, "parts");

	if (proto_list(d, parts))
		for (json_at i = proto_first(d, parts); i != json_end(d, parts);
		     i = json_next(d, i))
			if (proto_get(d, i, "functionResponse") != JSON_ABSENT)
				return true;
	return false;
}

/* contents_run_end: the first content that does not belong to the same message as this one. */
static enum errc contents_run_end(const struct json_doc *d, json_at contents, json_at from,
				  size_t place, json_at *ret, size_t *ret_place, struct err *e)
{
	enum errc rc = contents_check_content(d, from, place, e);
	bool      joins = rc == ERR_OK && (who_of(d, from) == WHO_MODEL || has_response(d, from));
	json_at   i = json_next(d, from);

	for (place++; rc == ERR_OK && joins && i != json_end(d, contents); place++) {
		rc = contents_check_content(d, i, place, e);
		if (rc != ERR_OK || who_of(d, i) != who_of(d, from) ||
		    (who_of(d, i) == WHO_USER && !has_response(d, i)))
			break;
		i = json_next(d, i);
	}
	*ret = i;
	*ret_place = place;
	return rc;
}

static enum errc read_all(struct content_list *t, json_at system, json_at contents, struct err *e)
{
	const struct json_doc *d = t->x->doc;
	enum errc rc = system != JSON_ABSENT ? contents_read_system(t, system, e) : ERR_OK;
	json_at   i = proto_first(d, contents);
	size_t    place = 0;

	while (rc == ERR_OK && i != json_end(d, contents)) {
		struct walk w = { .d = d,
				  .native = t->x->native,
				  .content = i,
				  .place = place,
				  .next = JSON_ABSENT };

		t->place = (uint32_t)place;
		rc = contents_run_end(d, contents, i, place, &w.end, &place, e);
		if (rc == ERR_OK)
			rc = who_of(d, i) == WHO_MODEL ? content_model_read(t, w, e)
						       : content_user_read(t, w, e);
		i = w.end;
	}
	if (rc == ERR_OK && t->count == 0)
		rc = err_set(e, ERR_INVALID_VALUE, "contents", "must not be empty");
	return rc;
}

/* list_max: no content makes more than one message for each part, and one besides. */
static size_t list_max(const struct json_doc *d, json_at contents)
{
	size_t n = 2;

	for (json_at i = proto_first(d, contents); i != json_end(d, contents);
	     i = json_next(d, i)) {
		json_at parts = json_get(d, i, "parts");

		n += 2;
		if (proto_list(d, parts))
			n += proto_count(d, parts);
	}
	return n;
}

enum errc contents_read(struct gemini_reading *x, json_at system, json_at contents,
			const struct str **ret, size_t *ret_count, const uint32_t **ret_origins,
			struct err *e)
{
	struct content_list t = { .x = x, .place = PROMPT_SYSTEM };
	size_t              max = list_max(x->doc, contents);

	t.list = arena_alloc(x->arena, max * sizeof *t.list);
	t.origins = arena_alloc(x->arena, max * sizeof *t.origins);
	t.pending = arena_alloc(x->arena, LIMIT_TOOLS * sizeof *t.pending);
	if (!t.list || !t.origins || !t.pending)
		return content_walk_no_memory(e);
	enum errc rc = read_all(&t, system, contents, e);
	if (rc != ERR_OK)
		return rc;

	struct str made = arena_str(x->arena, buf_view(&x->out));
	if (!made.p)
		return content_walk_no_memory(e);
	buf_clear(&x->out);
	for (size_t i = 0; i < t.count; i++) {
		t.list[i].p = made.p;
		made.p += t.list[i].n;
	}
	*ret = t.list;
	*ret_count = t.count;
	*ret_origins = t.origins;
	return ERR_OK;
}
