/* A prompt as a request of the Gemini API.
 *
 * Turns belong to the user or the model. Neighbouring messages of one role become one turn, but the
 * results of functions make a turn of their own, right after the calls. System messages are not
 * part of the turns. Source: the API's reference, "generateContent" (v1beta), and "Thought
 * signatures". */
#include "provider/gemini/gemini.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"
#include "provider/decode.h"
#include "shape/carry.h"

#include <stdio.h>
#include <strings.h>

enum { ROOT, CONFIG };
enum { STOPS = 5 }; /* the most that the API takes */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .group = CONFIG, .least = 0, .most = 2 },
	{ .key = "top_p", .rule = ASK_SENT, .as = "topP", .group = CONFIG },
	{ .key = "top_k", .rule = ASK_SENT, .as = "topK", .group = CONFIG },
	{ .key = "seed", .rule = ASK_SENT, .group = CONFIG },
	{ .key = "presence_penalty", .rule = ASK_SENT, .as = "presencePenalty", .group = CONFIG },
	{ .key = "frequency_penalty", .rule = ASK_SENT, .as = "frequencyPenalty", .group = CONFIG },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	{ .key = "generationConfig", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	/* Members that this file prints, or other spellings of them. */
	{ .key = "contents", .rule = ASK_REFUSED },
	{ .key = "systemInstruction", .rule = ASK_REFUSED },
	{ .key = "system_instruction", .rule = ASK_REFUSED },
	{ .key = "toolConfig", .rule = ASK_REFUSED },
	{ .key = "tool_config", .rule = ASK_REFUSED },
	{ .key = "generation_config", .rule = ASK_REFUSED },
	{ 0 },
};

/* --- place --- */

struct str gemini_bare(struct str model)
{
	if (str_starts(model, STR("models/")))
		return (struct str){ model.p + 7, model.n - 7 };
	return model;
}

bool gemini_place(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	(void)o;
	if (!buf_text(out, "/models/") || !place_segment(out, gemini_bare(p->model)))
		return false;
	if (prompt_is_native(p, PROVIDER_GEMINI) && p->native->count)
		return buf_text(out, ":countTokens");
	return buf_text(out, p->stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

/* --- parts --- */

/* gemini_request_is_taken: whether the API accepts the part's type. It reads every type of text. */
static bool gemini_request_is_taken(const struct ask_part *part)
{
	static const char *const families[] = { "text/", "image/", "audio/", "video/" };

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (str_starts(part->type, str_of(families[i])))
			return true;
	return str_is(part->type, "application/pdf");
}

static bool gemini_request_put_data(struct buf *out, const struct ask_part *part)
{
	/* The only name of this type that all of Google's lists have. */
	struct str type = str_is(part->type, "audio/mpeg") ? STR("audio/mp3") : part->type;

	return ask_put_string(out, "{\"inlineData\":{\"mimeType\":", type) &&
	       ask_put_string(out, ",\"data\":", part->data) && buf_text(out, "}}");
}

struct str gemini_type_of(struct str uri)
{
	static const struct {
		struct str end;
		struct str type;
	} types[] = {
		{ { ".png", 4 }, { "image/png", 9 } },
		{ { ".jpg", 4 }, { "image/jpeg", 10 } },
		{ { ".jpeg", 5 }, { "image/jpeg", 10 } },
		{ { ".webp", 5 }, { "image/webp", 10 } },
		{ { ".heic", 5 }, { "image/heic", 10 } },
		{ { ".heif", 5 }, { "image/heif", 10 } },
		{ { ".gif", 4 }, { "image/gif", 9 } },
		{ { ".pdf", 4 }, { "application/pdf", 15 } },
	};

	for (size_t i = 0; i < uri.n; i++)
		if (uri.p[i] == '?' || uri.p[i] == '#')
			uri.n = i;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (uri.n >= types[i].end.n && strncasecmp(uri.p + uri.n - types[i].end.n,
							   types[i].end.p, types[i].end.n) == 0)
			return types[i].type;
	return STR_NONE;
}

/* put_uri: prints the URI of a file; gemini_media_fit has refused those that the model
 * can't read. */
static enum errc put_uri(const struct ask_part *part, struct buf *out, struct err *e)
{
	struct buf uri;
	enum errc  rc = ERR_OK;

	buf_init(&uri, part->url.n + 1);
	if (!json_unescape(part->url, &uri))
		rc = ask_too_large(e);

	struct str type = part->url_type.n > 0 ? part->url_type : gemini_type_of(buf_view(&uri));
	if (rc == ERR_OK &&
	    !(buf_text(out, "{\"fileData\":{") &&
	      (type.n == 0 || (ask_put_string(out, "\"mimeType\":", type) && buf_text(out, ","))) &&
	      ask_put_string(out, "\"fileUri\":", part->url) && buf_text(out, "}}")))
		rc = ask_too_large(e);
	buf_finish(&uri);
	return rc;
}

static enum errc gemini_request_put_part(const struct ask_message *m, const struct ask_part *part,
					 struct buf *out, struct err *e)
{
	if (part->data.n == 0)
		return put_uri(part, out, e);
	if (!gemini_request_is_taken(part))
		return ask_refuse_part(m, part, "gemini", e);
	return gemini_request_put_data(out, part) ? ERR_OK : ask_too_large(e);
}

/* --- calls and results --- */

/* gemini_request_put_id: prints the id of a call, unless the gateway made the id: the API would not
 * know it. */
static bool gemini_request_put_id(struct buf *out, struct str id)
{
	return id.n == 0 || str_starts(id, STR(GEMINI_MADE_ID)) ||
	       (ask_put_string(out, "\"id\":", id) && buf_text(out, ","));
}

static bool gemini_request_put_call(const struct ask_call *c, struct str signature, struct buf *out)
{
	return buf_text(out, "{\"functionCall\":{") && gemini_request_put_id(out, c->id) &&
	       ask_put_string(out, "\"name\":", c->name) && buf_text(out, ",\"args\":") &&
	       buf_str(out, c->input) && buf_text(out, "}") &&
	       (signature.n == 0 || ask_put_string(out, ",\"thoughtSignature\":", signature)) &&
	       buf_text(out, "}");
}

/* gemini_request_put_images: prints the images that the model made, with their signatures, because
 * the user may ask for a change of them. */
static bool gemini_request_put_images(const struct ask_message *m, bool *first, struct buf *out)
{
	for (size_t i = 0; i < m->image_count; i++) {
		const struct ask_part *part = &m->images[i];

		if (part->data.n == 0)
			continue;
		if (!ask_put_comma(first, out) ||
		    !ask_put_string(out, "{\"inlineData\":{\"mimeType\":", part->type) ||
		    !ask_put_string(out, ",\"data\":", part->data) || !buf_text(out, "}") ||
		    (part->signature.n > 0 &&
		     !ask_put_string(out, ",\"thoughtSignature\":", part->signature)) ||
		    !buf_text(out, "}"))
			return false;
	}
	return true;
}

static bool gemini_request_put_calls(const struct ask_message *m, bool *first, struct buf *out)
{
	bool is_signed = false;

	for (size_t i = 0; i < m->call_count; i++)
		is_signed = is_signed || m->calls[i].signature.n > 0;
	for (size_t i = 0; i < m->call_count; i++) {
		struct str signature = m->calls[i].signature;

		/* Only the first of parallel calls is signed. */
		if (i == 0 && !is_signed)
			signature = STR(GEMINI_NO_SIGNATURE);
		if (!ask_put_comma(first, out) ||
		    !gemini_request_put_call(&m->calls[i], signature, out))
			return false;
	}
	return true;
}

/* put_made: prints the images and calls of the model. */
static bool put_made(const struct ask_message *m, bool *first, struct buf *out)
{
	return gemini_request_put_images(m, first, out) && gemini_request_put_calls(m, first, out);
}

/* put_response: prints the text of a result: unchanged if the text is a JSON object, else as the
 * member result of an object. */
static bool put_response(const struct ask_message *m, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      escaped, text;
	bool            ok = true;

	buf_init(&escaped, LIMIT_UPSTREAM_ASK);
	buf_init(&text, LIMIT_UPSTREAM_ASK);
	for (size_t i = 0; ok && i < m->part_count; i++)
		if (m->parts[i].kind == ASK_TEXT)
			ok = buf_str(&escaped, m->parts[i].text);
	if (escaped.len > 0)
		ok = ok && json_unescape(buf_view(&escaped), &text);
	if (ok && text.len > 0 &&
	    json_scan(&d, text.data, text.len, &json_limits_upstream, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_OBJECT)
		ok = buf_str(out, json_raw(&d, 0));
	else
		ok = ok && ask_put_string(out, "{\"result\":", buf_view(&escaped)) &&
		     buf_text(out, "}");
	json_doc_finish(&d);
	buf_finish(&escaped);
	buf_finish(&text);
	return ok;
}

/* put_media: prints the parts of a result that are no text. */
static enum errc put_media(const struct ask_message *m, struct buf *out, struct err *e)
{
	const char *before = ",\"parts\":[";

	for (size_t i = 0; i < m->part_count; i++) {
		if (m->parts[i].kind == ASK_TEXT)
			continue;
		if (!buf_text(out, before))
			return ask_too_large(e);
		before = ",";
		enum errc rc = gemini_request_put_part(m, &m->parts[i], out, e);
		if (rc != ERR_OK)
			return rc;
	}
	return before[1] != '\0' || buf_text(out, "]") ? ERR_OK : ask_too_large(e);
}

static enum errc gemini_request_put_result(const struct turns *t, const struct ask_message *m,
					   bool *first, struct buf *out, struct err *e)
{
	char path[64];

	(void)t;
	if (m->call_name.n == 0) {
		snprintf(path, sizeof path, "messages[%zu].tool_call_id", m->index);
		return err_set(
			e, ERR_INVALID_VALUE, path,
			"no call in front of it has this id, and a provider of dialect gemini "
			"needs the function's name");
	}
	if (!ask_put_comma(first, out) || !buf_text(out, "{\"functionResponse\":{") ||
	    !gemini_request_put_id(out, m->call_id) ||
	    !ask_put_string(out, "\"name\":", m->call_name) || !buf_text(out, ",\"response\":") ||
	    !put_response(m, out))
		return ask_too_large(e);
	enum errc rc = put_media(m, out, e);
	return rc != ERR_OK || buf_text(out, "}}") ? rc : ask_too_large(e);
}

static const struct turns turns = {
	.list = "{\"contents\":[",
	.user = "{\"role\":\"user\",\"parts\":[",
	.assistant = "{\"role\":\"model\",\"parts\":[",
	.system = ",\"systemInstruction\":{\"parts\":[",
	.system_end = "]}",
	.text = "{\"text\":\"",
	.images = true,
	.results_apart = true,
	.put_part = gemini_request_put_part,
	.put_result = gemini_request_put_result,
	.put_behind = put_made,
};

/* --- tools --- */

static bool gemini_request_put_tool(const struct ask_tool *t, struct buf *out)
{
	return ask_put_string(out, "{\"name\":", t->name) &&
	       (t->description.n == 0 ||
		ask_put_string(out, ",\"description\":", t->description)) &&
	       (gemini_schema_empty(t->parameters) ||
		gemini_schema_put(t->parameters, "parameters", "parametersJsonSchema", out)) &&
	       buf_text(out, "}");
}

static bool gemini_request_put_choice(const struct ask *a, struct buf *out)
{
	static const char *const modes[] = {
		[ASK_CHOICE_ABSENT] = "AUTO", [ASK_CHOICE_AUTO] = "AUTO",
		[ASK_CHOICE_NONE] = "NONE",   [ASK_CHOICE_ANY] = "ANY",
		[ASK_CHOICE_ONE] = "ANY",
	};

	if (a->choice == ASK_CHOICE_ABSENT)
		return true;
	return buf_fmt(out, ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"%s\"",
		       modes[a->choice]) &&
	       (a->choice != ASK_CHOICE_ONE ||
		(ask_put_string(out, ",\"allowedFunctionNames\":[", a->choice_name) &&
		 buf_text(out, "]"))) &&
	       buf_text(out, "}}");
}

/* json_clashes_with_tools: whether the request has what older models refuse: JSON as the answer beside tools. */
static bool json_clashes_with_tools(const struct ask *a)
{
	return a->tool_count > 0 && a->format != ASK_FORMAT_TEXT &&
	       !gemini_model_of(a->prompt)->newer;
}

void gemini_warn_of_tools(const struct ask *a)
{
	bool strict = false;

	for (size_t i = 0; i < a->tool_count; i++)
		strict = strict || a->tools[i].strict;
	if (strict)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "strict was not sent: this provider has no such member of tools");
	if (a->one_call)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "parallel_tool_calls was not sent: this provider can't be kept from "
			     "several calls at once");
}

bool gemini_takes_tools(const struct ask *a)
{
	/* Tools that can't be called are less than the form of the answer. */
	return a->tool_count > 0 && !(a->choice == ASK_CHOICE_NONE && json_clashes_with_tools(a));
}

static bool gemini_request_put_tools(const struct ask *a, struct buf *out)
{
	if (!gemini_takes_tools(a))
		return true;
	for (size_t i = 0; i < a->tool_count; i++) {
		if (!buf_text(out, i == 0 ? ",\"tools\":[{\"functionDeclarations\":[" : ",") ||
		    !gemini_request_put_tool(&a->tools[i], out))
			return false;
	}
	gemini_warn_of_tools(a);
	return buf_text(out, "]}]") && gemini_request_put_choice(a, out);
}

/* --- generationConfig --- */

static bool put_max(const struct prompt *p, bool *first, struct buf *out)
{
	if (p->max_tokens.n == 0)
		return true;
	*first = false;
	return buf_text(out, "\"maxOutputTokens\":") && buf_str(out, p->max_tokens);
}

bool gemini_takes_format(const struct ask *a)
{
	bool taken = a->choice == ASK_CHOICE_NONE || !json_clashes_with_tools(a);

	if (!taken)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "response_format was not sent: this model takes none beside tools");
	return taken;
}

static bool gemini_request_put_format(const struct ask *a, bool *first, struct buf *out)
{
	if (a->format == ASK_FORMAT_TEXT)
		return true;
	if (!gemini_takes_format(a))
		return true;
	return ask_put_comma(first, out) &&
	       buf_text(out, "\"responseMimeType\":\"application/json\"") &&
	       (a->format != ASK_FORMAT_SCHEMA ||
		gemini_schema_put(a->schema, "responseSchema", "responseJsonSchema", out));
}

enum errc gemini_config_put(const struct ask *a, bool *first, struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;

	if (!put_max(p, first, out) ||
	    !ask_put_stops(p, "\"stopSequences\":", STOPS, false, first, out) ||
	    !gemini_request_put_format(a, first, out))
		return ask_too_large(e);
	enum errc rc = gemini_effort_put(p, first, out, e);
	return rc == ERR_OK ? ask_param_put(p, params, CONFIG, first, out, e) : rc;
}

static enum errc gemini_request_put_config(const struct ask *a, struct buf *out, struct err *e)
{
	struct buf ours;
	bool       first = true;
	enum errc  rc = ERR_OK;

	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	if (!buf_text(&ours, "{"))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = gemini_config_put(a, &first, &ours, e);
	if (rc == ERR_OK && !buf_text(&ours, "}"))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_merge(a->prompt, "generationConfig",
				     first ? STR_NONE : buf_view(&ours), false, out, e);
	buf_finish(&ours);
	return rc;
}

/* --- gemini_media: Media that a model can't read where they stand: of addresses, and in the results of tools. */

static enum errc refuse_url(const struct ask_message *m, const struct ask_part *part, struct err *e)
{
	char path[96];

	snprintf(path, sizeof path, "messages[%zu].content[%zu]", m->index, part->index);
	return err_set(
		e, ERR_UNSUPPORTED_PARAMETER, path,
		"a provider of Gemini's models does not fetch this address; it takes a file as a "
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

/* --- the request --- */

static enum errc gemini_request_put_all(const struct provider_options *o, const struct ask *a,
					struct buf *out, struct err *e)
{
	struct ask   own = *a;
	struct arena arena;
	bool         first = false;

	(void)o;
	arena_init(&arena, LIMIT_UPSTREAM_ASK);
	enum errc rc = gemini_media_fit(&own, &arena, e);
	if (rc == ERR_OK)
		rc = turns_put(&turns, &own, out, e);
	arena_finish(&arena);
	if (rc == ERR_OK)
		rc = turns_put_system(&turns, a, out, e);
	if (rc == ERR_OK && !gemini_request_put_tools(a, out))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = gemini_request_put_config(a, out, e);
	if (rc == ERR_OK)
		rc = ask_param_put(a->prompt, params, ROOT, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(a->prompt, params, "gemini", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc gemini_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e)
{
	if (prompt_is_native(p, PROVIDER_GEMINI))
		return gemini_native(o, p, out, e);
	return ask_print(o, p, "gemini", gemini_request_put_all, out, e);
}
