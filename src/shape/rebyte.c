/* Prints runs, their values and errors as Rebyte's clients read them. */
#include "shape/encoders.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/answer.h"

/* --- the value --- */

void rebyte_value_init(struct rebyte_value *v)
{
	*v = (struct rebyte_value){ .open = false };
	buf_init(&v->text, LIMIT_UPSTREAM_BODY);
	buf_init(&v->calls, LIMIT_UPSTREAM_BODY);
}

void rebyte_value_finish(struct rebyte_value *v)
{
	buf_finish(&v->text);
	buf_finish(&v->calls);
}

static bool value_close(struct rebyte_value *v)
{
	bool open = v->open;

	v->open = false;
	return !open || buf_text(&v->calls, "\"}}");
}

static bool value_call(struct rebyte_value *v, const struct event *ev)
{
	/* An event without an id is a further piece of a name, which can't follow arguments. */
	if (v->open && ev->id.n == 0)
		return true;
	bool ok = value_close(v) &&
		  buf_text(&v->calls, v->calls.len > 0 ? ",{\"id\":\"" : "{\"id\":\"") &&
		  buf_str(&v->calls, ev->id) &&
		  buf_text(&v->calls, "\",\"type\":\"function\",\"function\":{\"name\":\"") &&
		  buf_str(&v->calls, ev->name) && buf_text(&v->calls, "\",\"arguments\":\"");
	v->open = true;
	return ok;
}

bool rebyte_value_event(struct rebyte_value *v, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL: return ev->choice > 0 || buf_str(&v->text, ev->text);
	case EVENT_TOOL_START: return ev->choice > 0 || value_call(v, ev);
	case EVENT_TOOL_ARGS: return ev->choice > 0 || !v->open || buf_str(&v->calls, ev->text);
	case EVENT_START:
	case EVENT_REASONING:
	case EVENT_BLOCK_END:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return true;
}

static bool value_take(void *arg, const struct event *ev)
{
	return rebyte_value_event(arg, ev);
}

bool rebyte_value_read(struct rebyte_value *v, struct str message)
{
	static const struct usage none;

	return replay_answer(message, STR_NONE, &none, value_take, v);
}

bool rebyte_value_print(const struct rebyte_value *v, struct buf *out)
{
	return buf_text(out, "[[{\"value\":{\"role\":\"assistant\",\"content\":\"") &&
	       buf_str(out, buf_view(&v->text)) && buf_text(out, "\"") &&
	       (v->calls.len == 0 ||
		(buf_text(out, ",\"tool_calls\":[") && buf_str(out, buf_view(&v->calls)) &&
		 buf_text(out, v->open ? "\"}}]" : "]"))) &&
	       buf_text(out, "},\"error\":null}]]");
}

/* --- the run --- */

/* rebyte_status: a run's status in Rebyte's words. */
static const char *rebyte_status(const char *status)
{
	static const char *const words[][2] = {
		{ "queued", "running" },     { "running", "running" }, { "completed", "succeeded" },
		{ "incomplete", "errored" }, { "failed", "errored" },  { "cancelled", "errored" },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i][0], status) == 0)
			return words[i][1];
	return "errored";
}

/* put_failure: the error of a run is a text. */
static bool put_failure(const struct run_object *o, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct str      text = STR("the run failed");

	if (strcmp(o->status, "cancelled") == 0)
		text = STR("the run was cancelled");
	if (o->error.n > 0 &&
	    json_scan(&d, o->error.p, o->error.n, &json_limits_stored, &e) == ERR_OK &&
	    json_get_inner(&d, 0, "message").n > 0)
		text = json_get_inner(&d, 0, "message"); /* escaped */
	bool ok = buf_text(out, "[[{\"value\":null,\"error\":\"") && buf_str(out, text) &&
		  buf_text(out, "\"}]]");
	json_doc_finish(&d);
	return ok;
}

static bool put_results(const struct run_object *o, const char *status, struct buf *out)
{
	struct rebyte_value v;

	if (strcmp(status, "running") == 0)
		return buf_text(out, "null");
	if (strcmp(status, "errored") == 0)
		return put_failure(o, out);
	rebyte_value_init(&v);
	bool ok = (o->answer.n == 0 || rebyte_value_read(&v, o->answer)) &&
		  rebyte_value_print(&v, out);
	rebyte_value_finish(&v);
	return ok;
}

/* rebyte_put_run: leaves the object open. */
static bool rebyte_put_run(const struct run_object *o, struct buf *out)
{
	char id[ID_MAX];

	return buf_fmt(out, "{\"id\":\"%s\",\"created_at\":%lld", id_text(o->run, ID_RUN, id).p,
		       (long long)o->created_s) &&
	       (id_none(o->conversation) ||
		buf_fmt(out, ",\"thread_id\":\"%s\"",
			id_text(o->conversation, ID_CONVERSATION, id).p)) &&
	       buf_text(out, ",\"agent_id\":") && buf_json_string(out, o->model) &&
	       buf_fmt(out, ",\"status\":\"%s\"", rebyte_status(o->status));
}

bool rebyte_run_row(const struct run_object *o, struct buf *out)
{
	return rebyte_put_run(o, out) && buf_text(out, "}");
}

bool rebyte_run(const struct run_object *o, struct buf *out)
{
	return rebyte_put_run(o, out) && buf_text(out, ",\"results\":") &&
	       put_results(o, rebyte_status(o->status), out) && buf_text(out, "}");
}

bool rebyte_object(const struct run_object *o, struct buf *out)
{
	char id[ID_MAX];

	return buf_fmt(out, "{\"run_id\":\"%s\",\"run\":", id_text(o->run, ID_RUN, id).p) &&
	       rebyte_run(o, out) && buf_text(out, ",\"error\":null}");
}

/* --- errors --- */

static const char *rebyte_error_type(const struct err *e)
{
	static const struct {
		enum errc   code;
		const char *type;
	} types[] = {
		{ ERR_MISSING_API_KEY, "missing_authorization_header_error" },
		{ ERR_MALFORMED_API_KEY, "malformed_authorization_header_error" },
		{ ERR_INVALID_TOKEN, "invalid_api_key_error" },
		{ ERR_INVALID_API_KEY, "invalid_api_key_error" },
		{ ERR_MODEL_NOT_FOUND, "app_not_found" },
		{ ERR_METHOD_NOT_ALLOWED, "method_not_supported_error" },
	};
	int http = err_http(e);

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].code == e->code)
			return types[i].type;
	if (http == 429)
		return "rate_limit_error";
	if (http >= 502 || e->upstream_status > 0)
		return "run_error";
	return http < 499 ? "invalid_request_error" : "internal_server_error";
}

bool rebyte_error_put(const struct err *e, struct str request_id, struct buf *out)
{
	struct err said = *e;

	if (strcmp(said.path, "conversation") == 0) { /* its word in this API */
		str_copy(said.path, sizeof said.path, STR("thread_id"));
		if (said.code == ERR_NOT_FOUND)
			str_copy(said.text, sizeof said.text, STR("there is no such thread"));
	}
	str_copy(said.type, sizeof said.type, str_of(rebyte_error_type(e)));
	return err_object(&said, request_id, out);
}

bool rebyte_error_body(const struct err *e, struct str request_id, struct buf *out)
{
	return buf_text(out, "{\"error\":") && rebyte_error_put(e, request_id, out) &&
	       buf_text(out, "}\n");
}
