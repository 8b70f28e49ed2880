/* A provider over HTTP: joins a dialect with a target, and makes the requests of calls. */
#include "provider/remote.h"

#include "base/limits.h"
#include "base/trace.h"
#include "json/member.h"
#include "provider/catalog.h"
#include "provider/credential.h"
#include "provider/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { CALL_HEADERS = 2 };

struct remote {
	struct provider         provider;
	struct provider_ops     ops; /* with the dialect's name */
	const struct dialect   *dialect;
	struct provider_options options; /* only those that dialects and calls need */
	struct upstream_target *target;
	char *base;  /* owned; base_url, for dialects whose path depends on the prompt */
	char *query; /* owned; NULL: none */
	char *key;   /* owned; for a dialect that signs; NULL: none */
	/* Owned; the configured values of dialect->call_headers; NULL: none. */
	char *brought[CALL_HEADERS];
	bool  fixed; /* the first of them is configured, and holds for all calls */
};

/* --- the request --- */

/* name_refusal: puts the provider's name into the error of a refused request, because the client
 * may not know which provider a model's name leads to. */
static void name_refusal(const char *name, struct err *e)
{
	char text[sizeof e->text];

	if (err_http(e) != 400 || remote_call_name(name, "a provider", e) ||
	    remote_call_name(name, "this provider", e) || remote_call_name(name, "the provider", e))
		return;
	snprintf(text, sizeof text, "the provider '%s': %.230s", name, e->text);
	memcpy(e->text, text, sizeof text);
}

static bool remote_is_native(const struct remote *r, const struct prompt *prompt)
{
	return prompt_is_native(prompt, r->dialect->takes);
}

static bool remote_is_count(const struct remote *r, const struct prompt *prompt)
{
	return remote_is_native(r, prompt) && prompt->native->count && r->dialect->count_path;
}

/* remote_dialect: the dialect of a prompt; NULL: the provider's API has none for it. */
static const struct dialect *remote_dialect(const struct remote *r, const struct prompt *prompt)
{
	return prompt->text > 0 ? r->dialect->text : r->dialect;
}

/* remote_make_place: makes the URL of a call, if it depends on the prompt. */
static enum errc remote_make_place(const struct remote *r, const struct prompt *prompt,
				   struct buf *url, struct err *e)
{
	const struct dialect_embed *embed = prompt->embed ? r->dialect->embed : NULL;
	const struct dialect       *dialect = remote_dialect(r, prompt);
	size_t                      query;
	bool (*place)(const struct provider_options *o, const struct prompt *prompt,
		      struct buf *out) = embed ? embed->place : dialect->place;
	const char *path = embed                        ? embed->path
			   : remote_is_count(r, prompt) ? r->dialect->count_path
			   : dialect != r->dialect      ? dialect->path
							: NULL;

	if (!path && !place)
		return ERR_OK;
	bool ok = buf_text(url, r->base) &&
		  (place ? place(&r->options, prompt, url) : buf_text(url, path));
	query = url->len;
	if (ok && r->query)
		ok = buf_text(url, memchr(url->data, '?', query) ? "&" : "?") &&
		     buf_text(url, r->query);
	if (ok && buf_add(url, "", 1))
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, "model",
		       "the model's name can't be part of this provider's URL: it is too long, "
		       "empty, \".\" or \"..\"");
}

/* remote_check_members: dialects find members by their keys, so two that were printed as one would be one
 * with a wrong value.  Scanning costs what a release does not pay. */
static void remote_check_members(const struct prompt *prompt)
{
#ifndef NDEBUG
	for (size_t i = 0; i < prompt->member_count; i++)
		CHECK(json_member_is_one(prompt->members[i]));
#else
	(void)prompt;
#endif
}

/* remote_has_brief: whether long names of functions become short ones. */
static bool remote_has_brief(const struct remote *r, const struct prompt *prompt)
{
	if (prompt->text > 0 || prompt->embed || remote_is_native(r, prompt))
		return false;
	return r->dialect->names == NAMES_BRIEF ||
	       (r->dialect->names == NAMES_BRIEF_MADE && !prompt->as_sent);
}

static enum errc remote_encode_brief(const struct remote *r, const struct prompt *prompt,
				     struct buf *out, struct err *e)
{
	struct prompt own = *prompt;
	struct arena  arena;

	arena_init(&arena, 2 * (size_t)LIMIT_UPSTREAM_ASK);
	enum errc rc = names_shorten(&own, &arena, e);
	if (rc == ERR_OK)
		rc = r->dialect->encode(&r->options, &own, out, e);
	arena_finish(&arena);
	return rc;
}

static enum errc remote_encode_prompt(const struct remote *r, const struct prompt *prompt,
				      struct buf *out, struct err *e)
{
	const struct dialect *dialect = remote_dialect(r, prompt);

	remote_check_members(prompt);
	if (prompt->text > 0 && !dialect)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "model",
			       "a provider of dialect %s has no completions of a prompt",
			       r->dialect->name);
	if (!prompt->embed)
		return remote_has_brief(r, prompt) ? remote_encode_brief(r, prompt, out, e)
						   : dialect->encode(&r->options, prompt, out, e);
	if (!dialect->embed)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "model",
			       "a provider of dialect %s makes no embeddings", dialect->name);
	return dialect->embed->encode(&r->options, prompt, out, e);
}

static enum errc remote_encode(const struct provider *p, const struct prompt *prompt,
			       struct buf *out, struct err *e)
{
	const struct remote *r = container_of(p, const struct remote, provider);
	enum errc            rc;

	out->max = LIMIT_UPSTREAM_ASK;
	rc = remote_encode_prompt(r, prompt, out, e);
	if (rc != ERR_OK)
		name_refusal(p->name, e);
	return rc;
}

/* remote_take_body: takes the body that was encoded before, or encodes it now. */
static enum errc remote_take_body(struct remote_ask *a, const struct remote *r,
				  const struct prompt *prompt, struct err *e)
{
	if (prompt->embed) {
		a->want = embed_want_create(prompt);
		if (!a->want)
			return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	}
	if (!prompt->body)
		return remote_encode_prompt(r, prompt, &a->body, e);
	a->body = *prompt->body;
	buf_init(prompt->body, LIMIT_UPSTREAM_ASK);
	return ERR_OK;
}

static enum errc remote_make_ask(struct remote_ask *a, const struct remote *r,
				 const struct prompt *prompt, struct err *e)
{
	const struct provider_options *o = &r->options;

	remote_ask_init(a);
	a->provider = &r->provider;
	a->dialect = remote_dialect(r, prompt);
	a->target = r->target;
	a->credential = r->provider.credential;
	a->stream = prompt->stream;
	a->native = remote_is_native(r, prompt);
	a->count = remote_is_count(r, prompt);
	a->limits = (struct upstream_limits){
		.first_byte_us = prompt->stream ? o->first_byte_us : o->first_byte_plain_us,
		.idle_us = o->idle_us,
		.total_us = o->total_us,
	};
	enum errc rc = remote_take_body(a, r, prompt, e);
	if (rc == ERR_OK && remote_has_brief(r, prompt))
		rc = names_read(prompt, &a->names, e);
	if (rc == ERR_OK)
		rc = remote_make_place(r, prompt, &a->url, e);
	if (rc != ERR_OK)
		name_refusal(r->provider.name, e);
	return rc;
}

static bool remote_put_line(struct buf *out, const char *name, const char *own, struct str brought)
{
	if (!own && brought.n == 0)
		return true;
	return buf_text(out, "\r\n") && buf_text(out, name) && buf_text(out, ": ") &&
	       (!own || buf_text(out, own)) && buf_text(out, own && brought.n > 0 ? "," : "") &&
	       buf_str(out, brought);
}

/* put_brought: the configuration decides the version; its marks of beta features and those of the
 * client hold together. */
static bool put_brought(const struct remote *r, const struct prompt *prompt, struct buf *out)
{
	struct str version = remote_is_native(r, prompt) ? prompt->native->version : STR_NONE;
	struct str beta = remote_is_native(r, prompt) ? prompt->native->beta : STR_NONE;
	const char *const *names = r->dialect->call_headers;
	struct buf         known;

	if (!names || r->dialect->brings_in_body)
		return true;
	if (r->brought[0] && (r->fixed || version.n == 0))
		version = STR_NONE;
	buf_init(&known, LIMIT_CALL_HEADERS);
	bool ok = true;
	if (r->dialect->put_flags) {
		ok = r->dialect->put_flags(&r->options, beta, &known);
		beta = buf_view(&known);
	}
	ok = ok && remote_put_line(out, names[0], version.n > 0 ? NULL : r->brought[0], version) &&
	     remote_put_line(out, names[1], r->brought[1], beta);
	buf_finish(&known);
	return ok;
}

/* remote_put_own: the header lines of one call, as a dialect's sign appends them. */
static bool remote_put_own(const struct remote *r, const struct prompt *prompt, struct buf *out)
{
	char trace[TRACE_HEADER + 1];

	if (!put_brought(r, prompt, out))
		return false;
	if (r->options.propagate_trace && prompt->trace && prompt->trace->id[0]) {
		trace_header(prompt->trace, trace);
		if (!remote_put_line(out, "traceparent", trace, STR_NONE))
			return false;
	}
	return true;
}

/* sign_ask: lets the dialect sign a request with the header lines in out. */
static enum errc sign_ask(const struct remote *r, const struct remote_ask *a, struct buf *out,
			  struct err *e)
{
	const char *own = NULL;

	enum errc  rc = ERR_OVERLOADED;
	struct buf head;

	/* The NUL does not count. */
	if (out->len > 0 && buf_add(out, "", 1)) {
		out->len--;
		own = out->data + 2;
	}
	buf_init(&head, LIMIT_UPSTREAM_HEAD + LIMIT_CALL_HEADERS);
	if (remote_sign_head(a->target, a->stream, own, &head))
		rc = a->dialect->sign(&r->options,
				      &(struct dialect_ask){
					      .method = "POST",
					      .url = a->url.len > 0
							     ? a->url.data
							     : upstream_target_url(a->target),
					      .head = head.data,
					      .body = buf_view(&a->body),
				      },
				      out, e);
	else
		err_no_memory(e);
	buf_finish(&head);
	return rc;
}

/* make_header: the header lines of one call, with CRLF before each; empty: there are none. */
static enum errc make_header(const struct remote *r, const struct prompt *prompt,
			     struct remote_ask *a, struct buf *out, struct err *e)
{
	if (!remote_put_own(r, prompt, out))
		return err_no_memory(e);
	if (a->dialect->sign && !a->credential) {
		enum errc rc = sign_ask(r, a, out, e);

		if (rc != ERR_OK)
			return rc;
	}
	if (out->len > 0 && !buf_add(out, "", 1))
		return err_no_memory(e);
	a->header = out->len > 0 ? out->data + 2 : NULL;
	return ERR_OK;
}

static enum errc remote_start(const struct provider *p, const struct provider_env *env,
			      const struct prompt *prompt, provider_event_fn on_event, void *arg,
			      struct provider_call **ret, struct err *e)
{
	const struct remote *r = container_of(p, const struct remote, provider);
	struct remote_ask    a;
	struct buf           header;
	enum errc            rc = remote_make_ask(&a, r, prompt, e);

	buf_init(&header, LIMIT_CALL_HEADERS);
	if (rc == ERR_OK)
		rc = make_header(r, prompt, &a, &header, e);
	if (rc == ERR_OK)
		rc = remote_call_start(&a, env, on_event, arg, ret, e);
	remote_ask_finish(&a);
	buf_finish(&header);
	return rc;
}

/* --- creation --- */

static void remote_destroy(struct provider *p)
{
	struct remote *r = container_of(p, struct remote, provider);

	upstream_target_destroy(r->target);
	catalog_destroy(p->catalog);
	free(r->base);
	free(r->query);
	free(r->key);
	for (size_t i = 0; i < CALL_HEADERS; i++)
		free(r->brought[i]);
	free(r);
}

static const struct provider_ops remote_ops = {
	.encode = remote_encode,
	.start = remote_start,
	.cancel = remote_call_cancel,
	.pause = remote_call_pause,
	.destroy = remote_destroy,
};

static enum errc make_credential(struct remote *r, const struct provider_options *o, struct err *e)
{
	struct credential_options own;

	if (!o->auth)
		return ERR_OK;
	if (o->key)
		return err_set(e, ERR_INVALID_VALUE, "auth",
			       "fetches the keys, so the entry can't have one of its own");
	if (o->key_header || o->key_scheme)
		return err_set(e, ERR_INVALID_VALUE, o->key_header ? "key_header" : "key_scheme",
			       "the header of the credentials of `auth` is fixed");
	if (endpoint_value(o, r->dialect, "authorization"))
		return err_set(e, ERR_INVALID_VALUE, "headers",
			       "the header authorization is for the credentials of `auth`");
	own = *o->auth;
	own.name = o->name;
	own.base_url = o->base_url;
	own.proxy = o->proxy;
	return credential_create(&own, &r->provider.credential, e);
}

static enum errc make_catalog(struct remote *r, const struct provider_options *o, struct err *e)
{
	struct upstream_target *target = NULL;

	if (!r->dialect->models)
		return ERR_OK;
	enum errc rc = endpoint_target(o, r->dialect, r->dialect->models, true, &target, e);
	if (rc != ERR_OK)
		return rc;
	r->provider.catalog = catalog_create_take(target, r->provider.credential);
	return r->provider.catalog ? ERR_OK : err_set(e, ERR_OVERLOADED, NULL, "out of memory");
}

static bool keep_brought(struct remote *r, const struct provider_options *o)
{
	const char *const *names = r->dialect->call_headers;

	for (size_t i = 0; names && names[i]; i++) {
		const char *value = endpoint_value(o, r->dialect, names[i]);

		r->brought[i] = value ? strdup(value) : NULL;
		if (value && !r->brought[i])
			return false;
	}
	for (size_t i = 0; names && names[0] && i < o->header_count; i++)
		r->fixed = r->fixed || strcasecmp(o->headers[i].name, names[0]) == 0;
	return true;
}

static bool remote_keep_key(struct remote *r, const struct provider_options *o)
{
	if (r->dialect->sign && o->key)
		r->options.key = r->key = strdup(o->key);
	return !r->dialect->sign || !o->key || r->key;
}

static bool keep_base(struct remote *r, const struct provider_options *o)
{
	r->base = strndup(o->base_url, endpoint_base(o, r->dialect));
	r->options.base_url = r->base;
	if (o->query && o->query[0])
		r->query = strdup(o->query);
	return r->base && (r->query || !o->query || !o->query[0]);
}

/* remote_systems: as in the options, but as a literal, which outlives them. */
static const char *remote_systems(const struct provider_options *o)
{
	static const char *const words[] = { "keep", "one" };

	for (size_t i = 0; o->system_messages && i < ARRAY_LEN(words); i++)
		if (strcmp(o->system_messages, words[i]) == 0)
			return words[i];
	return NULL;
}

enum errc remote_create(const struct provider_options *o, const struct dialect *dialect,
			struct provider **ret, struct err *e)
{
	enum errc rc = endpoint_check(o, e);

	if (rc == ERR_OK && dialect->check)
		rc = dialect->check(o, e);
	if (rc != ERR_OK)
		return rc;

	struct remote *r = calloc(1, sizeof *r);
	if (!r)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	r->ops = remote_ops;
	r->ops.dialect = dialect->name;
	r->provider.ops = &r->ops;
	r->dialect = dialect;
	r->options = (struct provider_options){
		.hosting = dialect->hosting,
		.max_tokens_field = !o->max_tokens_field ? NULL
				    : strcmp(o->max_tokens_field, "max_tokens") == 0
					    ? "max_tokens"
					    : "max_completion_tokens",
		.system_messages = remote_systems(o),
		.vendor = endpoint_is_vendor(o, dialect),
		.forward_store = o->forward_store,
		.propagate_trace = o->propagate_trace,
		.stream_usage = o->stream_usage,
		.truncate = o->truncate,
		.first_byte_us = o->first_byte_us,
		.first_byte_plain_us = o->first_byte_plain_us,
		.idle_us = o->idle_us,
		.total_us = o->total_us,
	};
	rc = make_credential(r, o, e);
	if (rc == ERR_OK)
		rc = endpoint_target(o, dialect, dialect->path, false, &r->target, e);
	r->provider.target = r->target;
	if (rc == ERR_OK)
		rc = make_catalog(r, o, e);
	if (rc == ERR_OK &&
	    ((dialect->place || dialect->embed || dialect->text || dialect->count_path) &&
	     !keep_base(r, o)))
		rc = err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	if (rc == ERR_OK && (!keep_brought(r, o) || !remote_keep_key(r, o)))
		rc = err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	if (rc != ERR_OK) {
		credential_release(r->provider.credential);
		remote_destroy(&r->provider);
		return rc;
	}
	r->options.flags = dialect->brings_in_body ? r->brought[1] : NULL;
	*ret = &r->provider;
	return ERR_OK;
}
