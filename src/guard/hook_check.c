/* Asks hooks, one after the other. */
#include "guard/hook_check.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "json/scan.h"
#include "upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>

struct check {
	struct hooks         *hooks; /* held */
	struct upstream_pool *pool;
	struct upstream_call *call; /* NULL: none is on its way */
	uint32_t              left; /* bits of the hooks that were not asked yet */
	const struct hook    *now;
	enum hook_phase       phase;
	check_note_fn        *note;
	check_done_fn        *done;
	void                 *arg;
	struct buf            texts; /* the next hook's */
	size_t                count;
	bool                  replaced;
	struct buf            images, tools;
	struct buf            calls; /* with the words of `texts` */
	struct buf            call_id, trace_id, model, key, request;
	bool                  whole;
	struct buf      body;    /* where it is signed, its timestamp and a dot stand before it, */
	size_t          body_at; /* and it begins here */
	struct buf      answer;
	int             status;
	bool            long_answer;
	int64_t         begun_us;
	struct json_doc doc;
	struct str     *list; /* owned; the texts of the last answer */
};

static void check_free(struct check *c)
{
	if (c->call)
		upstream_cancel(c->call);
	hooks_release(c->hooks);
	buf_finish(&c->texts);
	buf_finish(&c->images);
	buf_finish(&c->tools);
	buf_finish(&c->calls);
	buf_finish(&c->call_id);
	buf_finish(&c->trace_id);
	buf_finish(&c->model);
	buf_finish(&c->key);
	buf_finish(&c->request);
	buf_finish(&c->body);
	buf_finish(&c->answer);
	json_doc_finish(&c->doc);
	free(c->list);
	free(c);
}

void check_cancel(struct check *c)
{
	if (c)
		check_free(c);
}

static void check_end(struct check *c, enum check_verdict v, const struct err *e)
{
	check_done_fn *done = c->done;
	void          *arg = c->arg;
	struct str    *list = v == CHECK_REPLACE ? c->list : NULL;

	/* The receiver may free what holds the check. */
	done(arg, v, list, e);
	check_free(c);
}

/* --- the request --- */

static bool check_put_string(struct buf *out, const char *before, const struct buf *text)
{
	return buf_text(out, before) &&
	       (text->len > 0 ? buf_json_string(out, buf_view(text)) : buf_text(out, "null"));
}

static bool check_put_list(struct buf *out, const char *before, const struct buf *list)
{
	return buf_text(out, before) &&
	       (list->len > 0
			? buf_text(out, "[") && buf_str(out, buf_view(list)) && buf_text(out, "]")
			: buf_text(out, "null"));
}

/* check_scan: list: values with commas between them, as an array. */
static bool check_scan(struct json_doc *d, const struct buf *list, struct buf *text)
{
	struct err e;

	buf_init(text, list->len + 2);
	return buf_text(text, "[") && buf_str(text, buf_view(list)) && buf_text(text, "]") &&
	       json_scan(d, text->data, text->len, &json_limits_upstream, &e) == ERR_OK;
}

static bool check_put_call(const struct json_doc *d, json_at call, size_t n, struct buf *out)
{
	return buf_text(out, n > 0 ? ",{\"id\":" : "{\"id\":") &&
	       buf_str(out, json_raw(d, json_get(d, call, "id"))) &&
	       buf_fmt(out, ",\"type\":\"function\",\"index\":%zu,\"function\":{\"name\":", n) &&
	       buf_str(out, json_raw(d, json_get(d, call, "name"))) &&
	       buf_text(out, ",\"arguments\":") &&
	       buf_str(out, json_raw(d, json_get(d, call, "arguments"))) && buf_text(out, "}}");
}

/* put_calls: the calls of tools once more, whole, for a hook that looks for them and not at texts. */
static bool put_calls(const struct check *c, struct buf *out)
{
	struct json_doc d = { 0 };
	struct buf      text;
	size_t          n = 0;

	if (c->calls.len == 0)
		return buf_text(out, ",\"tool_calls\":null");
	bool ok = check_scan(&d, &c->calls, &text) && buf_text(out, ",\"tool_calls\":[");
	if (ok)
		JSON_EACH (i, &d, 0)
			ok = ok && check_put_call(&d, i, n++, out);
	json_doc_finish(&d);
	buf_finish(&text);
	return ok && buf_text(out, "]");
}

static bool put_litellm(struct check *c, struct buf *out)
{
	struct buf none = { 0 };

	return check_put_string(out, ",\"litellm_call_id\":", &c->call_id) &&
	       check_put_string(out, ",\"litellm_trace_id\":", &c->trace_id) &&
	       check_put_list(out, ",\"images\":", c->now->images ? &c->images : &none) &&
	       buf_text(out, ",\"tools\":") &&
	       (c->now->tools && c->tools.len > 0 ? buf_str(out, buf_view(&c->tools))
						  : buf_text(out, "null")) &&
	       put_calls(c, out) &&
	       buf_text(out, ",\"structured_messages\":null,\"request_headers\":null") &&
	       check_put_string(out, ",\"litellm_version\":null,\"model\":", &c->model) &&
	       check_put_string(out, ",\"request_data\":{\"user_api_key_alias\":", &c->key) &&
	       buf_text(out, "},\"additional_provider_specific_params\":") &&
	       buf_text(out, c->now->params);
}

static bool put_parley(struct check *c, struct buf *out)
{
	struct buf none = { 0 };

	return check_put_string(out, ",\"call_id\":", &c->call_id) &&
	       check_put_string(out, ",\"trace_id\":", &c->trace_id) &&
	       check_put_string(out, ",\"request_id\":", &c->request) &&
	       buf_text(out, c->whole ? ",\"last\":true" : ",\"last\":false") &&
	       check_put_list(out, ",\"images\":", c->now->images ? &c->images : &none) &&
	       buf_text(out, ",\"tools\":") &&
	       (c->now->tools && c->tools.len > 0 ? buf_str(out, buf_view(&c->tools))
						  : buf_text(out, "null")) &&
	       put_calls(c, out) && check_put_string(out, ",\"model\":", &c->model) &&
	       check_put_string(out, ",\"request_data\":{\"key\":", &c->key) &&
	       buf_text(out, "},\"params\":") && buf_text(out, c->now->params);
}

static bool check_put_body(struct check *c)
{
	struct buf *out = &c->body;

	buf_clear(out);
	if (c->now->secret && !buf_fmt(out, "%lld.", (long long)(clock_wall_ms() / 1000)))
		return false;
	c->body_at = out->len;
	return buf_text(out, c->phase == HOOK_REQUEST
				     ? "{\"input_type\":\"request\",\"texts\":["
				     : "{\"input_type\":\"response\",\"texts\":[") &&
	       buf_str(out, buf_view(&c->texts)) && buf_text(out, "]") &&
	       (c->now->protocol == HOOK_LITELLM ? put_litellm(c, out) : put_parley(c, out)) &&
	       buf_text(out, "}");
}

/* put_signature: the headers by which the hook knows that the gateway has sent the body, and when: the HMAC is of
 * TIMESTAMP.BODY, which are one in `body`. */
static void put_signature(const struct check *c, char *ret, size_t size)
{
	unsigned char sum[HASH_BYTES];
	char          hex[HASH_HEX + 1];

	hash_hmac_of(str_of(c->now->secret), c->body.data, c->body.len, sum);
	hash_hex(sum, sizeof sum, hex);
	snprintf(ret, size, "x-parley-timestamp: %.*s\r\nx-parley-signature: sha256=%s",
		 (int)(c->body_at - 1), c->body.data, hex);
}

/* --- the answer --- */

static void check_ask_next(struct check *c);

/* check_told: what became of the question, for the log, the metrics and the run. */
static void check_told(const struct check *c, const char *verdict)
{
	const char     *phase = c->phase == HOOK_REQUEST ? "request" : "response";
	int64_t         us = clock_mono_us() - c->begun_us;
	struct log_line l;

	metric_add(METRIC_HOOK, (const char *[]){ c->now->name, phase, verdict }, 1);
	metric_observe(METRIC_HOOK_TIME, (const char *[]){ c->now->name, "", "" }, us);
	c->note(c->arg, c->now->name, c->phase, verdict, us / 1000);
	if (strcmp(verdict, "allow") == 0 && !log_on(LOG_DEBUG))
		return;
	log_begin(&l, strcmp(verdict, "error") == 0 ? LOG_WARN : LOG_INFO, "hook");
	log_str(&l, "hook", str_of(c->now->name));
	log_str(&l, "phase", str_of(phase));
	log_str(&l, "verdict", str_of(verdict));
	log_str(&l, "run", buf_view(&c->call_id));
	log_str(&l, "request_id", buf_view(&c->request));
	log_int(&l, "ms", us / 1000);
	log_end(&l);
}

/* check_fails: the hook has no verdict; why is for the log alone, as it may have the hook's words. */
static void check_fails(struct check *c, const char *why)
{
	struct err e;

	log_note(LOG_WARN, "hook_failed", "the hook '%s' has no verdict: %s", c->now->name, why);
	check_told(c, "error");
	if (c->now->allows) {
		check_ask_next(c);
		return;
	}
	err_set(&e, ERR_HOOK_UNAVAILABLE, "",
		"the hook '%s', which has to allow this, has no verdict; try again", c->now->name);
	check_end(c, CHECK_FAIL, &e);
}

static void check_blocked(struct check *c)
{
	struct err e;

	check_told(c, "block");
	err_set(&e, ERR_CONTENT_BLOCKED, "", "the hook '%s' does not allow this content",
		c->now->name);
	check_end(c, CHECK_BLOCK, &e);
}

/* put_new_word: the string that stands in the place of one of the old texts; of any other one, itself, with its quotes. */
static bool put_new_word(const struct check *c, const struct json_doc *old, struct str raw,
			 struct buf *out)
{
	size_t n = 0;

	JSON_EACH (i, old, 0) {
		if (str_eq(json_raw(old, i), raw))
			return buf_text(out, "\"") && buf_str(out, c->list[n]) &&
			       buf_text(out, "\"");
		n++;
	}
	return buf_str(out, raw);
}

/* change_calls: the calls have the words that stand in the texts now. */
static bool change_calls(struct check *c, const struct buf *old_texts)
{
	static const char *const members[] = { "{\"id\":", ",\"name\":", ",\"arguments\":" };
	static const char *const names[] = { "id", "name", "arguments" };
	struct json_doc          calls = { 0 }, old = { 0 };
	struct buf               calls_text, old_text, made;

	if (c->calls.len == 0)
		return true;
	buf_init(&made, c->texts.max + LIMIT_UPSTREAM_ASK);
	bool ok = check_scan(&calls, &c->calls, &calls_text);
	ok = check_scan(&old, old_texts, &old_text) && ok;
	if (ok)
		JSON_EACH (i, &calls, 0) {
			ok = ok && (made.len == 0 || buf_text(&made, ","));
			for (size_t m = 0; ok && m < ARRAY_LEN(names); m++)
				ok = buf_text(&made, members[m]) &&
				     put_new_word(c, &old,
						  json_raw(&calls, json_get(&calls, i, names[m])),
						  &made);
			ok = ok && buf_text(&made, "}");
		}
	json_doc_finish(&calls);
	json_doc_finish(&old);
	buf_finish(&calls_text);
	buf_finish(&old_text);
	buf_finish(&c->calls);
	c->calls = made;
	return ok;
}

/* take_texts: the texts of an answer, one for each that was sent.  Of an answer that is none, nothing stays: the next hook
 * has the texts that there were. */
static bool take_texts(struct check *c)
{
	json_at     texts = json_get(&c->doc, 0, "texts");
	struct str *list;
	struct buf  made;
	size_t      n = 0;

	if (!json_is_kind(&c->doc, texts, JSON_ARRAY) || c->doc.tok[texts].count != c->count)
		return false;
	buf_init(&made, c->texts.max);
	list = calloc(c->count + 1, sizeof *list);
	bool ok = list != NULL;
	JSON_EACH (i, &c->doc, texts)
		ok = ok && json_kind(&c->doc, i) == JSON_STRING &&
		     buf_text(&made, n++ > 0 ? ",\"" : "\"") &&
		     buf_str(&made, json_inner(&c->doc, i)) && buf_text(&made, "\"");
	if (!ok) {
		buf_finish(&made);
		free(list);
		return false;
	}
	/* The buffer has moved while it grew. */
	const char *at = made.data;
	n = 0;
	JSON_EACH (i, &c->doc, texts) {
		at += n > 0 ? 2 : 1;
		list[n] = (struct str){ at, json_inner(&c->doc, i).n };
		at += list[n++].n + 1;
	}
	struct buf old = c->texts;
	c->texts = made;
	free(c->list);
	c->list = list;
	ok = change_calls(c, &old);
	buf_finish(&old);
	return ok;
}

static void check_read(struct check *c)
{
	static const char *const actions[2][3] = {
		[HOOK_PARLEY] = { "allow", "replace", "block" },
		[HOOK_LITELLM] = { "NONE", "GUARDRAIL_INTERVENED", "BLOCKED" },
	};
	const char *const *words = actions[c->now->protocol];
	struct err         e;
	char               status[32];

	if (c->status != 200) {
		snprintf(status, sizeof status, "status %d", c->status);
		check_fails(c, status);
		return;
	}
	if (json_scan(&c->doc, c->answer.data ? c->answer.data : "", c->answer.len,
		      &json_limits_upstream, &e) != ERR_OK ||
	    json_kind(&c->doc, 0) != JSON_OBJECT) {
		check_fails(c, "its answer is no JSON object");
	} else if (json_get_is(&c->doc, 0, "action", words[2])) {
		check_blocked(c);
	} else if (json_get_is(&c->doc, 0, "action", words[0])) {
		check_told(c, "allow");
		check_ask_next(c);
	} else if (!json_get_is(&c->doc, 0, "action", words[1])) {
		check_fails(c, "its answer has no action that there is");
	} else if (json_get_some(&c->doc, 0, "images") != JSON_ABSENT ||
		   json_get_some(&c->doc, 0, "tools") != JSON_ABSENT) {
		check_fails(c, "it has changed images or tools, which can't be put back");
	} else if (!take_texts(c)) {
		check_fails(c, "its texts are not as many as it was sent");
	} else {
		c->replaced = true;
		check_told(c, "replace");
		check_ask_next(c);
	}
}

static void check_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	(void)content_type;
	(void)retry_after_ms;
	((struct check *)arg)->status = status;
}

static bool check_on_data(void *arg, const char *bytes, size_t len)
{
	struct check *c = arg;

	if (buf_add(&c->answer, bytes, len))
		return true;
	c->long_answer = true;
	return false;
}

static void check_on_done(void *arg, const struct err *e)
{
	struct check *c = arg;

	c->call = NULL;
	if (c->long_answer)
		check_fails(c, "its answer is too long");
	else if (e->code != ERR_OK)
		check_fails(c, err_code_wire(e->code));
	else
		check_read(c);
}

static enum errc check_send_next(struct check *c, struct err *e)
{
	static const struct upstream_callbacks callbacks = { check_on_head, check_on_data,
							     check_on_done };
	char                                   signature[192];
	struct upstream_limits                 limits;

	c->now = &c->hooks->list[__builtin_ctz(c->left)];
	c->left &= c->left - 1;
	limits = (struct upstream_limits){ .total_us = c->now->timeout_us };
	c->begun_us = clock_mono_us();
	c->status = 0;
	c->long_answer = false;
	buf_finish(&c->answer);
	/* Texts may be replaced by longer ones. */
	buf_init(&c->answer, c->texts.len < LIMIT_HOOK_ASK / 2 ? 4 * c->texts.len + 64 * KIB
							       : 2 * LIMIT_HOOK_ASK + 64 * KIB);
	if (!check_put_body(c))
		return err_set(e, ERR_OVERLOADED, "", "no memory for a hook's request");
	if (c->now->secret)
		put_signature(c, signature, sizeof signature);
	return upstream_start(c->pool, c->now->target,
			      &(struct upstream_ask){ .header = c->now->secret ? signature : NULL,
						      .body = { c->body.data + c->body_at,
								c->body.len - c->body_at } },
			      &limits, &callbacks, c, &c->call, e);
}

static void check_ask_next(struct check *c)
{
	struct err e;

	if (c->left == 0) {
		check_end(c, c->replaced ? CHECK_REPLACE : CHECK_ALLOW, NULL);
		return;
	}
	if (check_send_next(c, &e) != ERR_OK)
		check_fails(c, err_code_wire(e.code));
}

static bool check_keep(struct buf *to, struct str from)
{
	buf_init(to, from.n);
	return buf_str(to, from);
}

enum errc check_begin(const struct check_ask *ask, check_note_fn *note, check_done_fn *done,
		      void *arg, struct check **ret, struct err *e)
{
	struct check *c;

	if (ask->texts.n + ask->images.n + ask->tools.n > LIMIT_HOOK_ASK)
		return err_set(e,
			       ask->phase == HOOK_REQUEST ? ERR_REQUEST_TOO_LARGE
							  : ERR_UPSTREAM_BAD_RESPONSE,
			       "", "what hooks are to see of this call is over %d MiB",
			       LIMIT_HOOK_ASK / MIB);
	c = calloc(1, sizeof *c);
	if (!c)
		return err_set(e, ERR_OVERLOADED, "", "no memory for a hook's request");
	c->hooks = hooks_hold(ask->hooks);
	c->pool = ask->pool;
	c->phase = ask->phase;
	c->left = ask->mask;
	c->count = ask->count;
	c->whole = ask->whole;
	c->note = note;
	c->done = done;
	c->arg = arg;
	buf_init(&c->texts, 5 * ask->texts.n + 64 * KIB);
	buf_init(&c->body, LIMIT_UPSTREAM_ASK);
	bool ok = buf_str(&c->texts, ask->texts) && check_keep(&c->images, ask->images) &&
		  check_keep(&c->tools, ask->tools) && check_keep(&c->calls, ask->calls) &&
		  check_keep(&c->call_id, ask->call) && check_keep(&c->trace_id, ask->trace) &&
		  check_keep(&c->model, ask->model) && check_keep(&c->key, ask->key) &&
		  check_keep(&c->request, ask->request);

	if (ok && check_send_next(c, e) == ERR_OK) {
		*ret = c;
		return ERR_OK;
	}
	check_free(c);
	return err_set(e, ERR_HOOK_UNAVAILABLE, "", "no memory for a hook's request; try again");
}
