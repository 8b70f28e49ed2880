/* The configuration in force as JSON. */
#include "config/config.h"
#include "config/config_option.h"
#include "config/internal.h"

static bool describe_string(struct buf *out, const char *text)
{
	return strstr(text, "://") ? config_print_url(text, out)
				   : buf_json_string(out, str_of(text));
}

static bool put_strings(struct buf *out, const struct config_list *list)
{
	bool ok = buf_text(out, "[");

	for (size_t i = 0; ok && i < list->count; i++)
		ok = buf_text(out, i > 0 ? "," : "") && describe_string(out, list->items[i]);
	return ok && buf_text(out, "]");
}

static bool put_shown(struct buf *out, int64_t v, void (*show)(int64_t, char[32]))
{
	char text[32];

	show(v, text);
	return describe_string(out, text);
}

static bool put_value(struct buf *out, const struct config *c, const struct config_option *o)
{
	const void *at = (const char *)c + o->offset;

	switch (o->rule.type) {
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return describe_string(out, *(const char *const *)at);
	case CONFIG_LIST: return put_strings(out, at);
	case CONFIG_INT: return buf_int(out, *(const int64_t *)at);
	case CONFIG_SIZE: return put_shown(out, *(const int64_t *)at, config_value_show_size);
	case CONFIG_DURATION:
		return put_shown(out, *(const int64_t *)at, config_value_show_duration);
	case CONFIG_BOOL: return buf_text(out, *(const bool *)at ? "true" : "false");
	case CONFIG_ENUM:
		return buf_json_string(out, config_value_name(o->rule.names, *(const int *)at));
	}
	return false;
}

static bool describe_line(struct buf *out, const struct config *c, const struct config_node *node)
{
	return buf_text(out, "\"") && buf_json_escape(out, str_of(c->memory->file)) &&
	       buf_fmt(out, ":%d\"", node->line);
}

static bool describe_place(struct buf *out, const struct config *c, size_t i)
{
	char name[64];

	switch (c->memory->source[i]) {
	case CONFIG_FROM_DEFAULT: return buf_text(out, "null");
	case CONFIG_FROM_FILE: return describe_line(out, c, c->memory->node[i]);
	case CONFIG_FROM_ENVIRONMENT:
		return describe_string(out, config_place_env(config_options[i].name, name));
	case CONFIG_FROM_FLAG:
		return describe_string(out, config_place_flag(config_options[i].name, name));
	}
	return false;
}

/* put_origin: "value":…,"source":…,"place":… */
static bool put_origin(struct buf *out, const struct config *c, size_t i)
{
	static const char *const sources[] = {
		[CONFIG_FROM_DEFAULT] = "default",
		[CONFIG_FROM_FILE] = "file",
		[CONFIG_FROM_ENVIRONMENT] = "environment",
		[CONFIG_FROM_FLAG] = "flag",
	};

	return buf_text(out, "\"value\":") && put_value(out, c, &config_options[i]) &&
	       buf_fmt(out, ",\"source\":\"%s\",\"place\":", sources[c->memory->source[i]]) &&
	       describe_place(out, c, i);
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_list(const struct config_list *a, const struct config_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = same_text(a->items[i], b->items[i]);
	return same;
}

/* config_kept_same: an option has the same value in both. */
static bool config_kept_same(const struct config_option *o, const struct config *a,
			     const struct config *b)
{
	const void *x = (const char *)a + o->offset;
	const void *y = (const char *)b + o->offset;

	switch (o->rule.type) {
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return same_text(*(const char *const *)x, *(const char *const *)y);
	case CONFIG_LIST: return same_list(x, y);
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION: return *(const int64_t *)x == *(const int64_t *)y;
	case CONFIG_BOOL: return *(const bool *)x == *(const bool *)y;
	case CONFIG_ENUM: return *(const int *)x == *(const int *)y;
	}
	return true;
}

bool config_describe_options(const struct config *running, const struct config *read,
			     struct buf *out)
{
	bool ok = buf_text(out, "[");

	for (size_t i = 0; ok && i < CONFIG_OPTION__COUNT; i++) {
		const struct config_option *o = &config_options[i];
		bool pending = !o->reloadable && !config_kept_same(o, running, read);

		ok = buf_fmt(out, "%s{\"name\":\"%s\",", i > 0 ? "," : "", o->name) &&
		     put_origin(out, o->reloadable ? read : running, i) &&
		     buf_fmt(out, ",\"on_reload\":\"%s\",\"pending\":",
			     o->reloadable ? "applied" : "restart") &&
		     (pending ? buf_text(out, "{") && put_origin(out, read, i) &&
					buf_text(out, "}}")
			      : buf_text(out, "null}"));
	}
	return ok && buf_text(out, "]");
}

/* put_row_place: of a row of providers or models. */
static bool put_row_place(struct buf *out, const struct config *c, const struct config_node *node,
			  const char *name)
{
	if (node)
		return describe_line(out, c, node);
	return buf_text(out, strcmp(name, "echo") == 0 ? "null" : "\"PARLEY_UPSTREAM_URL\"");
}

bool config_describe_provider(const struct config *c, size_t i, struct buf *out)
{
	const struct provider_options *p = &c->providers[i];
	bool ok = buf_text(out, "{\"name\":") && describe_string(out, p->name) &&
		  buf_text(out, ",\"dialect\":") && describe_string(out, p->dialect) &&
		  buf_text(out, ",\"base_url\":") &&
		  (p->base_url ? config_print_url(p->base_url, out) : buf_text(out, "null")) &&
		  buf_text(out, ",\"place\":") &&
		  put_row_place(out, c, c->memory->provider_node[i], p->name) &&
		  buf_fmt(out, ",\"key\":\"%s\",\"headers\":[", p->key ? "set" : "not set");

	for (size_t h = 0; ok && h < p->header_count; h++)
		ok = buf_text(out, h > 0 ? "," : "") && describe_string(out, p->headers[h].name);
	return ok && buf_text(out, "]}");
}

bool config_describe_model_place(const struct config *c, size_t i, struct buf *out)
{
	return put_row_place(out, c, c->memory->model_node[i], c->models[i].name);
}

bool config_describe_file(const struct config *c, struct buf *out)
{
	return c->memory->file ? buf_json_string(out, str_of(c->memory->file))
			       : buf_text(out, "null");
}

/* --- config_kept: Finds the changed options that a reload can't apply, by the rows of config.def. */

bool config_kept(const struct config *running, const struct config *read, struct buf *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < CONFIG_OPTION__COUNT; i++) {
		const struct config_option *o = &config_options[i];

		if (!o->reloadable && !config_kept_same(o, running, read))
			ok = buf_fmt(out, "%s%s", out->len > 0 ? ", " : "", o->name);
	}
	return ok;
}
