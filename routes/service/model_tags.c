/* GET /api/version and /api/ps, POST /api/show, and the names of Ollama's models.  Of the facts that Ollama tells of a
 * model's file, the gateway knows none. */
#include "routes/service/model_tags.h"

#include "base/hash.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"
#include "routes/service/model_facts.h"
#include "schema/schema.h"

#include <stdlib.h>
#include <time.h>

#define TAG "latest"
/* The architecture of every model: clients put its name before that of a fact. */
#define KIND "parley"

/* --- names --- */

static bool tags_finds(const struct registry *r, const struct identity *who, struct str name,
		       struct target *ret)
{
	struct err e;

	return name.n > 0 && name.n <= LIMIT_MODEL &&
	       registry_find_for(r, name, who, ret, &e) == ERR_OK;
}

static bool is_latest(struct str name)
{
	return name.n > sizeof TAG &&
	       str_is((struct str){ name.p + name.n - sizeof TAG, sizeof TAG }, ":" TAG);
}

/* with_latest: the name with the tag; empty: no memory, or it has one. */
static struct str with_latest(struct str name, struct arena *arena)
{
	char text[LIMIT_MODEL + sizeof ":" TAG];

	if (name.n > LIMIT_MODEL || memchr(name.p, ':', name.n))
		return STR_NONE;
	memcpy(text, name.p, name.n);
	memcpy(text + name.n, ":" TAG, sizeof ":" TAG);
	return arena_str(arena, str_of(text));
}

/* A name with a star takes the tag for a part of the name, but of what the tag was added to, nobody knows the tag. */
struct str model_tags_name(const struct registry *r, const struct identity *who, struct str asked,
			   struct arena *arena)
{
	struct target t;
	bool          found = tags_finds(r, who, asked, &t);

	if (!is_latest(asked)) {
		struct str tagged = found || asked.n == 0 ? STR_NONE : with_latest(asked, arena);

		return tagged.n > 0 && tags_finds(r, who, tagged, &t) ? tagged : asked;
	}
	struct str bare = { asked.p, asked.n - sizeof TAG };
	bool       own = found && str_eq(t.label, asked);

	return !own && tags_finds(r, who, bare, &t) ? bare : asked;
}

/* --- lists --- */

bool model_tags_put_time(struct buf *out, int64_t s)
{
	char      text[40];
	struct tm t;
	time_t    at = (time_t)s;

	return gmtime_r(&at, &t) &&
	       strftime(text, sizeof text, "\"%Y-%m-%dT%H:%M:%S.000Z\"", &t) > 0 &&
	       buf_text(out, text);
}

/* put_facts_of_file: context: tokens; 0: none are told. */
static bool put_facts_of_file(struct buf *out, int64_t context)
{
	return buf_text(out,
			",\"details\":{\"parent_model\":\"\",\"format\":\"\",\"family\":\"" KIND
			"\",\"families\":[\"" KIND "\"],\"parameter_size\":\"\","
			"\"quantization_level\":\"\"") &&
	       (context == 0 || (buf_text(out, ",\"context_length\":") && buf_int(out, context))) &&
	       buf_text(out, "}");
}

static bool put_abilities(struct buf *out, const struct model_facts *f)
{
	static const struct {
		unsigned    can;
		const char *word;
	} rows[] = {
		{ CATALOG_TOOLS, ",\"tools\"" },
		{ CATALOG_IMAGES, ",\"vision\"" },
		{ CATALOG_REASONING, ",\"thinking\"" },
	};
	bool ok = buf_text(out, ",\"capabilities\":[") &&
		  buf_text(out, f->embeds ? "\"embedding\"" : "\"completion\"");

	for (size_t i = 0; ok && !f->embeds && i < ARRAY_LEN(rows); i++)
		ok = !(f->can & rows[i].can) || buf_text(out, rows[i].word);
	return ok && buf_text(out, "]");
}

/* Clients tell models apart by their digests. */
bool model_tags_put(struct buf *out, struct str name, const struct model_facts *f, int64_t made_s)
{
	unsigned char digest[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	bool          tagged = memchr(name.p, ':', name.n);

	hash_sha256(name.p, name.n, digest);
	hash_hex(digest, HASH_BYTES, hex);
	for (int i = 0; i < 2; i++)
		if (!buf_text(out, i == 0 ? "{\"name\":\"" : "\",\"model\":\"") ||
		    !buf_json_escape(out, name) || !buf_text(out, tagged ? "" : ":" TAG))
			return false;
	return buf_text(out, "\",\"modified_at\":") && model_tags_put_time(out, made_s) &&
	       buf_text(out, ",\"size\":0,\"digest\":\"") && buf_text(out, hex) &&
	       buf_text(out, "\"") && put_facts_of_file(out, f->context) && put_abilities(out, f) &&
	       buf_text(out, "}");
}

/* --- one model --- */

static bool model_tags_put_shown(struct buf *out, struct str name, const struct model_facts *f,
				 int64_t made_s)
{
	return buf_text(out, "{\"license\":\"\",\"modelfile\":\"\",\"parameters\":\"\","
			     "\"template\":\"\"") &&
	       put_facts_of_file(out, 0) &&
	       buf_text(out, ",\"model_info\":{\"general.architecture\":\"" KIND
			     "\",\"general.basename\":") &&
	       buf_json_string(out, f->display[0] ? str_of(f->display) : name) &&
	       (f->context == 0 ||
		(buf_text(out, ",\"" KIND ".context_length\":") && buf_int(out, f->context))) &&
	       buf_text(out, "}") && put_abilities(out, f) && buf_text(out, ",\"modified_at\":") &&
	       model_tags_put_time(out, made_s) && buf_text(out, "}");
}

/* A request about a model; a worker reads a long one. */
struct asked_model {
	struct request_aside       aside;
	struct gateway            *gateway;
	struct input              *in; /* owned */
	struct ollama_show_request c;
};

static enum errc asked_model_read(struct request_aside *a, struct err *e)
{
	struct asked_model *x = container_of(a, struct asked_model, aside);

	return fields_read(&ollama_show_request_fields, &x->in->doc, 0, "", &x->in->arena, &x->c,
			   e);
}

static void model_tags_answer(struct request *r, struct asked_model *x, struct err *e)
{
	const struct registry *registry = x->gateway->now->registry;
	const struct identity *who = request_view(r)->by.who;
	struct str             asked = x->c.model.n > 0 ? x->c.model : x->c.name;
	struct model_facts     f;
	struct target          t;
	struct buf             body;
	enum errc              rc = e->code;

	if (rc == ERR_OK && asked.n == 0)
		rc = err_set(e, ERR_MISSING_PARAMETER, "model", "is required");
	struct str name = model_tags_name(registry, who, asked, &x->in->arena);
	if (rc == ERR_OK) {
		rc = registry_find_for(registry, name, who, &t, e);
		err_at(e, "model");
	}
	buf_init(&body, 16 * KIB);
	if (rc != ERR_OK)
		reply_error(r, e);
	else if (model_facts_find(registry, who, name, &f) &&
		 model_tags_put_shown(&body, name, &f, x->gateway->now->made_s))
		reply_json_take(r, 200, &body);
	else
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
	buf_finish(&body);
}

static void asked_model_done(struct request_aside *a)
{
	struct asked_model *x = container_of(a, struct asked_model, aside);

	if (a->request)
		model_tags_answer(a->request, x, &a->err);
	input_destroy(x->in);
	free(x);
}

void model_tags_show(struct request *r, void *app)
{
	struct asked_model *x = calloc(1, sizeof *x);
	struct err          e = { .code = ERR_OK };

	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the request");
		return;
	}
	x->gateway = app;
	x->in = request_input_take(r);
	x->c = ollama_show_request_init;
	if (x->in->body.len <= LIMIT_LOOP_JSON)
		e.code = asked_model_read(&x->aside, &e);
	else if (request_aside_start(&x->aside, r, x->gateway->cpu, asked_model_read,
				     asked_model_done, &e) == ERR_OK)
		return;
	model_tags_answer(r, x, &e);
	input_destroy(x->in);
	free(x);
}

/* --- the server --- */

/* Clients compare this with the first version that had what they use.  So it promises schemas in `format` (0.5), the
 * `capabilities` of /api/show (0.6.4), calls in streams (0.8), `think` (0.9) with its levels (0.11) and the ids of calls
 * (0.12.10).  It is below 0.12.11, which has log probabilities. */
void model_tags_version(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/json", STR("{\"version\":\"0.12.10\"}"));
}

/* No model is in the memory of this machine. */
void model_tags_running(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "application/json", STR("{\"models\":[]}"));
}

void model_tags_refuse(struct request *r, void *app)
{
	(void)app;
	reply_refuse(
		r, ERR_BAD_REQUEST, "",
		"models are the operator's: this gateway lists and calls them, but can't create, "
		"copy, pull, push or delete one");
}
