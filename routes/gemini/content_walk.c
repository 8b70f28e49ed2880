/* Walks over the parts of contents, and puts messages together. */
#include "routes/gemini/internal.h"

#include "lmc/warnings.h"
#include "routes/kit/check.h"

enum errc content_walk_no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the contents");
}

enum errc content_walk_done(bool ok, struct err *e)
{
	return ok ? ERR_OK : content_walk_no_memory(e);
}

bool content_walk_open(struct content_list *t, const char *text)
{
	t->start = t->x->out.len;
	return buf_text(&t->x->out, text);
}

bool content_walk_close(struct content_list *t)
{
	if (!buf_text(&t->x->out, "}"))
		return false;
	t->origins[t->count] = t->place;
	t->list[t->count++] = (struct str){ NULL, t->x->out.len - t->start };
	return true;
}

enum errc content_walk_parts(const struct json_doc *d, json_at content, const char *path,
			     json_at *ret, struct err *e)
{
	char at[160];

	*ret = json_get_some(d, content, "parts");
	if (*ret == JSON_ABSENT || proto_list(d, *ret))
		return ERR_OK;
	check_path(at, "%s.parts", path);
	return err_set(e, ERR_INVALID_TYPE, at, "must be an array");
}

enum errc content_walk_at(const struct walk *w, struct err *e)
{
	char path[160];

	check_path(path, "contents[%zu].parts[%zu]", w->place, w->nth - 1);
	err_at(e, path);
	return e->code;
}

/* content_walk_enter: the parts of the next content. */
static enum errc content_walk_enter(struct walk *w, struct err *e)
{
	char path[160];

	w->nth = 0;
	w->list = json_get_some(w->d, w->content, "parts");
	w->next = w->list != JSON_ABSENT ? proto_first(w->d, w->list) : JSON_ABSENT;
	if (w->list == JSON_ABSENT || proto_list(w->d, w->list))
		return ERR_OK;
	check_path(path, "contents[%zu].parts", w->place);
	return err_set(e, ERR_INVALID_TYPE, path, "must be an array");
}

enum errc content_walk_next(struct walk *w, struct part *ret, bool *ret_more, struct err *e)
{
	*ret_more = false;
	while (w->content != w->end) {
		if (w->next == JSON_ABSENT && content_walk_enter(w, e) != ERR_OK)
			return e->code;
		if (w->list != JSON_ABSENT && w->next != json_end(w->d, w->list)) {
			json_at at = w->next;

			*ret_more = true;
			w->nth++;
			w->next = json_next(w->d, at);
			return part_read(w->d, at, w->native, ret, e) == ERR_OK
				       ? ERR_OK
				       : content_walk_at(w, e);
		}
		w->content = json_next(w->d, w->content);
		w->place++;
		w->next = JSON_ABSENT;
	}
	return ERR_OK;
}

void content_walk_warn(const struct content_list *t)
{
	warnings_add(&t->x->warnings, t->place, "part_dropped",
		     "a part of a tool that Google runs was not sent");
}
