/* Prints a list of OpenAI's embeddings as those of other APIs. */
#include "shape/encoders.h"

#include "base/clock.h"
#include "base/limits.h"
#include "json/scan.h"

#include <stdlib.h>

/* The text around the vectors. */
struct vector_form {
	const char *begin, *before, *between, *after, *end;
	bool        list;   /* all vectors are printed; else the first one alone */
	bool        ollama; /* the list has the model, tokens and durations; else Gemini's usage */
};

static const struct vector_form form_gemini = {
	.begin = "\"embedding\":{\"values\":",
	.end = "}",
};
static const struct vector_form form_gemini_list = {
	.begin = "\"embeddings\":[",
	.before = "{\"values\":",
	.between = ",",
	.after = "}",
	.end = "]",
	.list = true,
};
static const struct vector_form form_ollama = {
	.begin = "\"embedding\":",
	.end = "",
	.ollama = true,
};
static const struct vector_form form_ollama_list = {
	.begin = "\"embeddings\":[",
	.before = "",
	.between = ",",
	.after = "",
	.end = "]",
	.list = true,
	.ollama = true,
};

struct vector_printer {
	struct encoder            encoder;
	const struct vector_form *form;
	struct str                model;
	int64_t                   begun_us;
};

static struct vector_printer *vector_printer_of(struct encoder *n)
{
	return container_of(n, struct vector_printer, encoder);
}

/* Embeddings have no streams. */
static bool vector_event(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out)
{
	(void)n;
	(void)ev;
	(void)seq;
	(void)out;
	return true;
}

static bool vector_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	(void)n;
	(void)seq;
	(void)out;
	return true;
}

static bool vector_error(struct encoder *n, const struct err *e, struct str request_id,
			 uint64_t seq, struct buf *out)
{
	(void)seq;
	return vector_printer_of(n)->form->ollama ? ollama_error_put(e, request_id, out)
						  : gemini_error_put(e, request_id, out);
}

/* vectors_sort: the vectors in the order of their texts, in which some providers don't give them.  *ret, which the
 * caller owns: JSON_ABSENT: there is none for the text.  False: no memory. */
static bool vectors_sort(const struct json_doc *d, json_at data, json_at **ret)
{
	size_t  count = d->tok[data].count;
	int64_t n = 0;

	*ret = calloc(count + 1, sizeof **ret);
	if (!*ret)
		return false;
	JSON_EACH (i, d, data) {
		json_at index = json_get(d, i, "index");
		int64_t place = n++;

		if (index != JSON_ABSENT)
			(void)json_int(d, index, &place);
		if (place >= 0 && (uint64_t)place < count)
			(*ret)[place] = json_get(d, i, "embedding");
	}
	return true;
}

static bool put_vectors(const struct vector_form *f, const struct json_doc *d, json_at data,
			struct buf *out)
{
	size_t   count = f->list ? d->tok[data].count : 1;
	json_at *list;
	bool     ok = vectors_sort(d, data, &list);

	for (size_t i = 0; ok && i < count; i++)
		ok = (!f->list ||
		      (buf_text(out, i > 0 ? f->between : "") && buf_text(out, f->before))) &&
		     (json_is_kind(d, list[i], JSON_ARRAY) ? block_raw(json_raw(d, list[i]), out)
							   : buf_text(out, "[]")) &&
		     (!f->list || buf_text(out, f->after));
	free(list);
	return ok;
}

/* put_vector_head, put_vector_tail: what else an answer has. */
static bool put_vector_head(const struct vector_printer *p, struct buf *out)
{
	return buf_text(out, "{") && (!p->form->ollama || !p->form->list ||
				      (buf_text(out, "\"model\":") &&
				       buf_json_string(out, p->model) && buf_text(out, ",")));
}

static bool put_vector_tail(const struct vector_printer *p, int64_t tokens, struct buf *out)
{
	int64_t took = clock_mono_us() - p->begun_us;

	if (!p->form->ollama)
		return buf_text(out, ",\"usageMetadata\":{\"promptTokenCount\":") &&
		       buf_int(out, tokens) && buf_text(out, "}}");
	if (!p->form->list)
		return buf_text(out, "}");
	return buf_text(out, ",\"total_duration\":") && buf_int(out, took > 0 ? took * 1000 : 1) &&
	       buf_text(out, ",\"load_duration\":1,\"prompt_eval_count\":") &&
	       buf_int(out, tokens) && buf_text(out, "}");
}

static bool vector_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	const struct vector_printer *p = vector_printer_of(n);
	struct json_doc              d = { 0 };
	struct err                   e;
	size_t                       start = out->len;
	bool ok = json_scan(&d, w->raw.p, w->raw.n, &json_limits_vectors, &e) == ERR_OK &&
		  put_vector_head(p, out) && buf_text(out, p->form->begin);
	json_at data = ok ? json_get(&d, 0, "data") : JSON_ABSENT;

	ok = ok && json_is_kind(&d, data, JSON_ARRAY) && put_vectors(p->form, &d, data, out) &&
	     buf_text(out, p->form->end) && put_vector_tail(p, w->usage->in, out);
	json_doc_finish(&d);
	if (!ok)
		out->len = start;
	return ok;
}

static void vector_destroy(struct encoder *n)
{
	free(vector_printer_of(n));
}

static const struct encoder_ops vector_ops = {
	.event = vector_event,
	.done = vector_done,
	.error = vector_error,
	.whole = vector_whole,
	.destroy = vector_destroy,
};

static struct encoder *vector_encoder(const struct encoder_about *about,
				      const struct vector_form   *form)
{
	struct vector_printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = &vector_ops;
	p->encoder.raws = 1u << RAW_OPENAI;
	p->encoder.vectors = true;
	p->form = form;
	p->model = about->model;
	p->begun_us = clock_mono_us();
	return &p->encoder;
}

struct encoder *vectors_create_gemini(const struct encoder_about *about)
{
	return vector_encoder(about, &form_gemini);
}

struct encoder *vectors_create_gemini_list(const struct encoder_about *about)
{
	return vector_encoder(about, &form_gemini_list);
}

struct encoder *vectors_create_ollama(const struct encoder_about *about)
{
	return vector_encoder(about, &form_ollama);
}

struct encoder *vectors_create_ollama_list(const struct encoder_about *about)
{
	return vector_encoder(about, &form_ollama_list);
}
