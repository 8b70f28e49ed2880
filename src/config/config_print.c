/* The configuration as text: --print-config, the options of --help, the table of docs/configuration.md. */
#include "config/internal.h"

#include <stdio.h>

/* A string of YAML in double quotes is one of JSON, so one function escapes both. */
bool config_put_quoted(struct buf *out, const char *text)
{
	return buf_json_string(out, str_of(text));
}

/* A URL's user and password are secrets; so are the values of a query. */
bool config_print_url(const char *url, struct buf *out)
{
	const char *start = strstr(url, "://");
	const char *host = start ? start + 3 : url;
	const char *at = memchr(host, '@', strcspn(host, "/?#"));

	if (!at)
		return config_put_quoted(out, url);
	return buf_text(out, "\"") &&
	       buf_json_escape(out, (struct str){ url, (size_t)(host - url) }) &&
	       buf_text(out, "***") && buf_json_escape(out, str_of(at)) && buf_text(out, "\"");
}

static bool put_query(struct buf *out, const char *query)
{
	bool ok = buf_text(out, "\"");

	while (ok && *query) {
		size_t n = strcspn(query, "&");
		size_t name = strcspn(query, "=&");

		ok = buf_json_escape(out, (struct str){ query, name }) &&
		     buf_text(out, name < n ? "=***" : "") && buf_text(out, query[n] ? "&" : "");
		query += n + (query[n] ? 1 : 0);
	}
	return ok && buf_text(out, "\"");
}

static bool config_put_list(struct buf *out, const struct config_list *list)
{
	bool ok = buf_text(out, "[");

	for (size_t i = 0; ok && i < list->count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") && config_put_quoted(out, list->items[i]);
	return ok && buf_text(out, "]");
}

bool config_put_int(struct buf *out, int64_t v, void (*show)(int64_t, char[32]))
{
	char text[32];

	if (!show)
		return buf_int(out, v);
	show(v, text);
	return buf_text(out, text);
}

static bool config_put_value(struct buf *out, const struct config *c, const struct config_option *o)
{
	const void *at = (const char *)c + o->offset;

	switch (o->rule.type) {
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return config_put_quoted(out, *(const char *const *)at);
	case CONFIG_LIST: return config_put_list(out, at);
	case CONFIG_INT: return config_put_int(out, *(const int64_t *)at, NULL);
	case CONFIG_SIZE: return config_put_int(out, *(const int64_t *)at, config_value_show_size);
	case CONFIG_DURATION:
		return config_put_int(out, *(const int64_t *)at, config_value_show_duration);
	case CONFIG_BOOL: return buf_text(out, *(const bool *)at ? "true" : "false");
	case CONFIG_ENUM: return buf_str(out, config_value_name(o->rule.names, *(const int *)at));
	}
	return false;
}

static bool config_put_source(struct buf *out, const struct config *c, enum config_option_id i)
{
	char name[64];

	switch (c->memory->source[i]) {
	case CONFIG_FROM_DEFAULT: return buf_text(out, "default");
	case CONFIG_FROM_FILE:
		return buf_fmt(out, "%s:%d", c->memory->file, c->memory->node[i]->line);
	case CONFIG_FROM_ENVIRONMENT:
		return buf_text(out, config_place_env(config_options[i].name, name));
	case CONFIG_FROM_FLAG:
		return buf_text(out, config_place_flag(config_options[i].name, name));
	}
	return false;
}

static bool put_row_source(struct buf *out, const struct config *c, const struct config_node *node,
			   const char *built_in, const char *name)
{
	if (node)
		return buf_fmt(out, " # %s:%d\n", c->memory->file, node->line);
	return buf_fmt(out, " # %s\n",
		       strcmp(name, built_in) == 0 ? "built in" : "PARLEY_UPSTREAM_URL");
}

static bool config_put_text_member(struct buf *out, const char *key, const char *value)
{
	if (!value)
		return true;
	return buf_fmt(out, "    %s: ", key) && config_put_quoted(out, value) &&
	       buf_text(out, "\n");
}

static bool put_timeouts(struct buf *out, const struct provider_options *p)
{
	return buf_text(out, "    timeouts: {connect: ") &&
	       config_put_int(out, p->connect_us, config_value_show_duration) &&
	       buf_text(out, ", first_byte: ") &&
	       config_put_int(out, p->first_byte_us, config_value_show_duration) &&
	       buf_text(out, ", idle: ") &&
	       config_put_int(out, p->idle_us, config_value_show_duration) &&
	       buf_text(out, ", total: ") &&
	       config_put_int(out, p->total_us, config_value_show_duration) && buf_text(out, "}\n");
}

static bool put_echo(struct buf *out, const struct provider_options *p)
{
	return config_put_text_member(out, "reply", p->reply) &&
	       buf_fmt(out, "    piece: %lld\n    delay: ", (long long)p->piece) &&
	       config_put_int(out, p->delay_us, config_value_show_duration) &&
	       buf_fmt(out, "\n    error_at: %lld\n", (long long)p->error_at);
}

static bool put_retries(struct buf *out, const struct provider_options *p)
{
	const struct health_rules *h = &p->health;

	return buf_fmt(out, "    retries: %lld\n    health: {failures: %lld, window: ",
		       (long long)p->retries, (long long)h->failures) &&
	       config_put_int(out, h->window_us, config_value_show_duration) &&
	       buf_text(out, ", pause: ") &&
	       config_put_int(out, h->pause_us, config_value_show_duration) &&
	       buf_text(out, ", cooling: ") &&
	       config_put_int(out, h->cooling_us, config_value_show_duration) &&
	       buf_text(out, ", dead_key: ") &&
	       config_put_int(out, h->dead_us, config_value_show_duration) && buf_text(out, "}\n");
}

static bool put_network(struct buf *out, const struct provider_options *p)
{
	bool ok = buf_text(out, "    base_url: ") &&
		  config_print_url(p->base_url ? p->base_url : "", out) &&
		  (p->key_count > 0 ? buf_fmt(out, "\n    # api_keys: %zu\n", p->key_count)
				    : buf_fmt(out, "\n    # key: %s\n", p->key ? "***" : "none")) &&
		  config_put_text_member(out, "hosting", p->hosting) &&
		  config_put_text_member(out, "key_header", p->key_header) &&
		  config_put_text_member(out, "key_scheme", p->key_scheme) &&
		  config_auth_print(p->auth, out) &&
		  config_put_text_member(out, "ca_file", p->ca_file) &&
		  config_put_text_member(out, "http2", p->http2) &&
		  config_put_text_member(out, "max_tokens_field", p->max_tokens_field) &&
		  config_put_text_member(out, "system_messages", p->system_messages);

	if (ok && p->header_count > 0)
		ok = buf_text(out, "    headers: {");
	for (size_t i = 0; ok && i < p->header_count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") &&
		     config_put_quoted(out, p->headers[i].name) && buf_text(out, ": \"***\"");
	if (ok && p->header_count > 0)
		ok = buf_text(out, "}\n");
	if (ok && p->query)
		ok = buf_text(out, "    query: ") && put_query(out, p->query) &&
		     buf_text(out, "\n");
	if (ok && p->proxy)
		ok = buf_text(out, "    proxy: ") && config_print_url(p->proxy, out) &&
		     buf_text(out, "\n");
	return ok && put_timeouts(out, p) && put_retries(out, p) &&
	       buf_fmt(out,
		       "    forward_store: %s\n    completions: %s\n    stream_usage: %s\n"
		       "    propagate_trace: %s\n    truncate: %s\n",
		       p->forward_store ? "true" : "false", p->completions ? "true" : "false",
		       p->stream_usage ? "true" : "false", p->propagate_trace ? "true" : "false",
		       p->truncate ? "true" : "false");
}

static bool put_provider(struct buf *out, const struct config *c, size_t i)
{
	const struct provider_options *p = &c->providers[i];
	bool                           echo = strcmp(p->dialect, "echo") == 0;

	return buf_text(out, "  - name: ") && config_put_quoted(out, p->name) &&
	       put_row_source(out, c, c->memory->provider_node[i], "echo", p->name) &&
	       config_put_text_member(out, "dialect", p->dialect) &&
	       (echo ? put_echo(out, p) : put_network(out, p));
}

static bool put_targets(struct buf *out, const struct model_options *m)
{
	bool ok = m->target_count == 0 || buf_text(out, "    targets:\n");

	for (size_t i = 0; ok && i < m->target_count; i++) {
		const struct target_options *t = &m->targets[i];

		ok = buf_text(out, "      - {provider: ") && config_put_quoted(out, t->provider);
		if (ok && t->upstream_model)
			ok = buf_text(out, ", upstream_model: ") &&
			     config_put_quoted(out, t->upstream_model);
		ok = ok && buf_fmt(out, ", weight: %lld}\n", (long long)t->weight);
	}
	if (ok && m->fallback_count > 0)
		ok = buf_text(out, "    fallback: [");
	for (size_t i = 0; ok && i < m->fallback_count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") && config_put_quoted(out, m->fallback[i]);
	return ok && (m->fallback_count == 0 || buf_text(out, "]\n"));
}

static bool put_price(struct buf *out, const struct model_options *m)
{
	if (m->max_output > 0 && !buf_fmt(out, "    max_output: %lld\n", (long long)m->max_output))
		return false;
	return config_price_put(out, &m->price);
}

static bool put_defaults(struct buf *out, const struct model_defaults *d)
{
	bool any = d->member_count > 0 || d->max_tokens.n > 0;
	bool ok = (!any && d->instruction.n == 0) || buf_text(out, "    defaults:\n");

	if (ok && d->instruction.n > 0)
		ok = buf_text(out, "      instruction: ") &&
		     config_put_quoted(out, d->instruction.p) && buf_text(out, "\n");
	if (!ok || !any)
		return ok;
	ok = buf_text(out, "      config: {");
	if (ok && d->max_tokens.n > 0)
		ok = buf_text(out, "max_tokens: ") && buf_str(out, d->max_tokens);
	for (size_t i = 0; ok && i < d->member_count; i++) {
		struct str  m = d->members[i];
		const char *colon = memchr(m.p, ':', m.n);
		struct str  key = { m.p + 1, (size_t)(colon - m.p) - 2 };

		ok = (i == 0 && d->max_tokens.n == 0 ? true : buf_text(out, ", ")) &&
		     buf_str(out, key) && buf_text(out, ": ") &&
		     buf_str(out, (struct str){ colon + 1, m.n - key.n - 3 });
	}
	return ok && buf_text(out, "}\n");
}

static bool config_put_cache(struct buf *out, const struct model_options *m)
{
	return m->cache_ttl_us == 0 ||
	       (buf_text(out, "    cache: {ttl: ") &&
		config_put_int(out, m->cache_ttl_us, config_value_show_duration) &&
		buf_text(out, "}\n"));
}

static bool put_resume(struct buf *out, unsigned resume)
{
	static const char *const lists[] = {
		[MODEL_RESUME_FALLBACK] = "fallback",
		[MODEL_RESUME_RESTART] = "restart",
		[MODEL_RESUME_FALLBACK | MODEL_RESUME_RESTART] = "[fallback, restart]",
	};

	return resume == 0 || buf_fmt(out, "    resume: %s\n", lists[resume]);
}

static bool config_put_model(struct buf *out, const struct config *c, size_t i)
{
	const struct model_options *m = &c->models[i];

	return buf_text(out, "  - name: ") && config_put_quoted(out, m->name) &&
	       put_row_source(out, c, c->memory->model_node[i], "echo", m->name) &&
	       config_put_text_member(out, "provider", m->provider) &&
	       config_put_text_member(out, "upstream_model", m->upstream_model) &&
	       config_put_text_member(out, "affinity", m->affinity) &&
	       config_put_text_member(out, "prompt_cache", m->prompt_cache) &&
	       put_resume(out, m->resume) &&
	       (!m->prefill || buf_text(out, "    prefill: true\n")) &&
	       (m->tools || buf_text(out, "    tools: false\n")) &&
	       (m->context_window == 0 ||
		buf_fmt(out, "    context_window: %lld\n", (long long)m->context_window)) &&
	       config_put_text_member(out, "display_name", m->display_name) &&
	       put_targets(out, m) &&
	       buf_fmt(out,
		       "    images: %s\n    audio: %s\n    pdf: %s\n    reasons: %s\n"
		       "    no_sampling: %s\n",
		       m->images ? "true" : "false", m->audio ? "true" : "false",
		       m->pdf ? "true" : "false", m->reasons ? "true" : "false",
		       m->no_sampling ? "true" : "false") &&
	       put_price(out, m) && config_put_cache(out, m) && put_defaults(out, &m->defaults);
}

static bool config_put_rate(struct buf *out, const char *name, int64_t count, int64_t us)
{
	return count == 0 ||
	       (buf_fmt(out, "  %s: {count: %lld, window: ", name, (long long)count) &&
		allowance_put_time(out, us) && buf_text(out, "}\n"));
}

static bool put_limits(struct buf *out, const struct allowance *a)
{
	if (a->requests == 0 && a->tokens == 0 && a->concurrent == 0 && a->max_body == 0)
		return true;
	return buf_text(out, "limits:\n") &&
	       config_put_rate(out, "requests", a->requests, a->requests_window_us) &&
	       config_put_rate(out, "tokens", a->tokens, a->tokens_window_us) &&
	       (a->concurrent == 0 ||
		buf_fmt(out, "  concurrent: %lld\n", (long long)a->concurrent)) &&
	       (a->max_body == 0 ||
		(buf_text(out, "  max_body: ") &&
		 config_put_int(out, a->max_body, config_value_show_size) && buf_text(out, "\n")));
}

bool config_print(const struct config *c, struct buf *out)
{
	bool ok = true;

	for (int i = 0; ok && i < CONFIG_OPTION__COUNT; i++)
		ok = buf_fmt(out, "%s: ", config_options[i].name) &&
		     config_put_value(out, c, &config_options[i]) && buf_text(out, " # ") &&
		     config_put_source(out, c, (enum config_option_id)i) && buf_text(out, "\n");
	ok = ok && config_runner_print(c, out) && put_limits(out, &c->limits) &&
	     buf_text(out, "providers:\n");
	for (size_t i = 0; ok && i < c->provider_count; i++)
		ok = put_provider(out, c, i);
	ok = ok && buf_text(out, "models:\n");
	for (size_t i = 0; ok && i < c->model_count; i++)
		ok = config_put_model(out, c, i);
	return ok && config_hooks_print(c, out) && config_tokens_print(c, out) &&
	       buf_fmt(out, "# api_keys: %zu\n", c->api_keys.count);
}

bool config_help(struct buf *out)
{
	bool ok = true;

	for (int i = 0; ok && i < CONFIG_OPTION__COUNT; i++) {
		const struct config_option *o = &config_options[i];
		char                        flag[64];
		char                        left[96];

		snprintf(left, sizeof left, "%s %s", config_place_flag(o->name, flag),
			 config_option_value(o));
		ok = buf_fmt(out, "  %-22s %s%s%s%s\n", left, o->help,
			     o->preset[0] ? " (default: " : "", o->preset, o->preset[0] ? ")" : "");
	}
	return ok;
}

bool config_markdown(struct buf *out)
{
	bool ok = buf_text(out, "| key in the file | flag | environment | default | on reload | "
				"meaning |\n|---|---|---|---|---|---|\n");

	for (int i = 0; ok && i < CONFIG_OPTION__COUNT; i++) {
		const struct config_option *o = &config_options[i];
		char                        flag[64];
		char                        env[64];

		ok = buf_fmt(out, "| `%s` | `%s` | `%s` | %s%s%s | %s | %s |\n", o->name,
			     config_place_flag(o->name, flag), config_place_env(o->name, env),
			     o->preset[0] ? "`" : "", o->preset[0] ? o->preset : "none",
			     o->preset[0] ? "`" : "", o->reloadable ? "applied" : "restart",
			     o->help);
	}
	return ok;
}
