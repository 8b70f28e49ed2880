/* Media that a model can't read where they stand: of addresses, and in the results of tools. */
#include "provider/gemini/gemini.h"

#include "base/limits.h"
#include "provider/ask.h"
#include "provider/ask_param.h"

#include <stdio.h>

static enum errc refuse_url(const struct ask_message *m, const struct ask_part *part, struct err *e)
{
	char path[96];

	snprintf(path, sizeof path, "messages[%zu].content[%zu]", m->index, part->index);
	return err_set(
		e, ERR_UNSUPPORTED_PARAMETER, path,
		"a provider of dialect gemini does not fetch this address; it takes a file as a "
		"data URL, a gs:// URI, the URI of a file that was uploaded to it, or, from "
		"models after 2.0, by https");
}

/* is_googles: whether the URI is that of a file in Google's storage, which all models read. */
static bool is_googles(struct str uri)
{
	return str_starts(uri, STR("gs://")) ||
	       str_starts(uri, STR("https://generativelanguage.googleapis.com/"));
}

/* check_uri: newer models' files are fetched by https. */
static enum errc check_uri(const struct gemini_model *model, const struct ask_message *m,
			   const struct ask_part *part, struct err *e)
{
	struct buf uri;
	enum errc  rc = ERR_OK;

	buf_init(&uri, part->url.n + 1);
	if (!json_unescape(part->url, &uri))
		rc = ask_too_large(e);
	else if (!is_googles(buf_view(&uri)) &&
		 !(model->fetches && str_starts(buf_view(&uri), STR("https://"))))
		rc = refuse_url(m, part, e);
	buf_finish(&uri);
	return rc;
}

static bool gemini_media_has(const struct ask_message *m)
{
	for (size_t i = 0; i < m->part_count; i++)
		if (m->parts[i].kind != ASK_TEXT)
			return true;
	return false;
}

/* check_media: *ret_apart: results have media, which this model takes only after them. */
static enum errc check_media(const struct gemini_model *model, const struct ask *a, bool *ret_apart,
			     struct err *e)
{
	enum errc rc = ERR_OK;

	*ret_apart = false;
	for (size_t i = 0; rc == ERR_OK && i < a->count; i++) {
		const struct ask_message *m = &a->messages[i];

		*ret_apart =
			*ret_apart || (m->role == ASK_TOOL && !model->newer && gemini_media_has(m));
		for (size_t k = 0; rc == ERR_OK && k < m->part_count; k++)
			if (m->parts[k].url.n > 0)
				rc = check_uri(model, m, &m->parts[k], e);
	}
	return rc;
}

/* take_media: moves the media of a result into a message of the user, after a text that says where they
 * are from; as of a request of Anthropic's API. */
static bool take_media(struct ask_message *m, struct ask_message *ret, struct arena *arena)
{
	struct ask_part *texts = arena_alloc(arena, m->part_count * sizeof *texts);
	struct ask_part *media = arena_alloc(arena, (m->part_count + 1) * sizeof *media);
	struct buf       head;
	size_t           n = 0;

	*ret = (struct ask_message){ .role = ASK_USER, .index = m->index, .parts = media };
	buf_init(&head, m->call_id.n + 64);
	if (texts && media && buf_text(&head, "From the result of the call ") &&
	    buf_str(&head, m->call_id) && buf_text(&head, ":")) {
		media[0].text = arena_str(arena, buf_view(&head));
		ret->part_count = media[0].text.p != NULL;
	}
	buf_finish(&head);
	for (size_t i = 0; ret->part_count > 0 && i < m->part_count; i++) {
		if (m->parts[i].kind == ASK_TEXT)
			texts[n++] = m->parts[i];
		else
			media[ret->part_count++] = m->parts[i];
	}
	m->parts = texts;
	m->part_count = n;
	return ret->part_count > 0;
}

/* set_apart: puts what take_media makes after all results that follow each other. */
static enum errc set_apart(struct ask *a, struct arena *arena, struct err *e)
{
	struct ask_message *list = arena_alloc(arena, 2 * a->count * sizeof *list);
	struct ask_message *waiting = arena_alloc(arena, a->count * sizeof *waiting);
	size_t              n = 0;
	size_t              w = 0;

	if (!list || !waiting)
		return err_no_memory(e);
	for (size_t i = 0; i <= a->count; i++) {
		bool result = i < a->count && a->messages[i].role == ASK_TOOL;

		for (size_t k = 0; !result && k < w; k++)
			list[n++] = waiting[k];
		w = result ? w : 0;
		if (i == a->count)
			break;
		list[n] = a->messages[i];
		if (result && gemini_media_has(&list[n]) &&
		    !take_media(&list[n], &waiting[w++], arena))
			return err_no_memory(e);
		n++;
	}
	a->messages = list;
	a->count = n;
	return ERR_OK;
}

enum errc gemini_media_fit(struct ask *a, struct arena *arena, struct err *e)
{
	bool      apart = false;
	enum errc rc = check_media(gemini_model_of(a->prompt), a, &apart, e);

	return rc == ERR_OK && apart ? set_apart(a, arena, e) : rc;
}
