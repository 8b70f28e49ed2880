/* Requests that load a model: those without messages, prompt or input.  The answer says that it is loaded, and nothing is
 * called. */
#include "routes/ollama/internal.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/gateway.h"
#include "routes/service/model_tags.h"
#include "schema/schema.h"

/* A long body is read as a call, by a worker, which says what it lacks. */
bool ollama_load_is(const struct input *in, const char *key)
{
	const struct json_doc *d = &in->doc;

	if (in->body.len > LIMIT_LOOP_JSON || d->count == 0 || json_kind(d, 0) != JSON_OBJECT)
		return false;
	json_at value = json_get_some(d, 0, key);

	return value == JSON_ABSENT || json_is(d, value, "") ||
	       (json_kind(d, value) == JSON_ARRAY && d->tok[value].count == 0);
}

/* is_unload: keep_alive is 0, as a number or as a text such as "0s". */
static bool is_unload(const struct json_doc *d)
{
	json_at keep = json_get_some(d, 0, "keep_alive");
	double  n;

	return keep != JSON_ABSENT &&
	       (json_number(d, keep, &n) ? n == 0
					 : json_is(d, keep, "0") || json_is(d, keep, "0s") ||
						   json_is(d, keep, "0m"));
}

static bool load_put_model(struct buf *out, struct str model)
{
	return buf_text(out, "{\"model\":") && buf_json_string(out, model);
}

static bool load_put_done(struct buf *out, struct str model, const char *nothing,
			  const struct json_doc *d)
{
	return load_put_model(out, model) && buf_text(out, ",\"created_at\":") &&
	       model_tags_put_time(out, clock_wall_ms() / 1000) && buf_text(out, nothing) &&
	       buf_fmt(out, ",\"done\":true,\"done_reason\":\"%s\"}\n",
		       is_unload(d) ? "unload" : "load");
}

static bool load_put(struct buf *out, enum ollama_load what, struct str model,
		     const struct json_doc *d)
{
	switch (what) {
	case OLLAMA_LOAD_CHAT:
		return load_put_done(out, model,
				     ",\"message\":{\"role\":\"assistant\",\"content\":\"\"}", d);
	case OLLAMA_LOAD_TEXT: return load_put_done(out, model, ",\"response\":\"\"", d);
	case OLLAMA_LOAD_VECTORS:
		return load_put_model(out, model) && buf_text(out, ",\"embeddings\":[]}\n");
	case OLLAMA_LOAD_VECTOR: return buf_text(out, "{\"embedding\":[]}\n");
	}
	return false;
}

void ollama_load_answer(struct request *r, const struct gateway *g, enum ollama_load what)
{
	struct input              *in = request_input_take(r);
	const struct identity     *who = request_view(r)->by.who;
	struct ollama_show_request c = ollama_show_request_init;
	struct target              t;
	struct buf                 body;
	struct err                 e;
	enum errc                  rc =
		fields_read(&ollama_show_request_fields, &in->doc, 0, "", &in->arena, &c, &e);

	struct str name = model_tags_name(g->now->registry, who, c.model, &in->arena);
	if (rc == ERR_OK) {
		rc = registry_find_for(g->now->registry, name, who, &t, &e);
		err_at(&e, "model");
	}
	buf_init(&body, 4 * KIB);
	if (rc != ERR_OK)
		reply_error(r, &e);
	else if (load_put(&body, what, t.asked, &in->doc))
		reply_json_take(r, 200, &body);
	else
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
	buf_finish(&body);
	input_destroy(in);
}
