/* Prints what is known of a configuration when it was read. */
#include "app/internal.h"

#include "base/clock.h"
#include "base/limits.h"
#include "config/config.h"

#include <string.h>

const char app_about_otlp[] = "PARLEY_OTLP_HEADERS";

/* about_keep: moves what was printed into the arena; false: it was not, or there is no memory. */
static bool about_keep(struct arena *a, struct buf *text, bool printed, struct str *ret)
{
	if (printed)
		*ret = arena_str(a, buf_view(text));
	buf_clear(text);
	return printed && ret->p;
}

static const char *about_state(bool set)
{
	return set ? "set" : "not set";
}

static bool about_fill(const struct config *running, const struct config *read, struct arena *a,
		       struct buf *text, struct snapshot_about *ret)
{
	struct str *providers = arena_alloc(a, (read->provider_count + 1) * sizeof *providers);
	struct str *places = arena_alloc(a, (read->model_count + 1) * sizeof *places);
	bool        ok =
		providers && places &&
		about_keep(a, text, config_describe_options(running, read, text), &ret->options) &&
		about_keep(a, text,
			   buf_fmt(text, "{\"api_keys\":\"%s\",\"%s\":\"%s\"}",
				   about_state(read->api_keys.count > 0), app_about_otlp,
				   about_state(config_secret_env(app_about_otlp) != NULL)),
			   &ret->secrets) &&
		about_keep(a, text, config_describe_file(read, text), &ret->file);

	for (size_t i = 0; ok && i < read->provider_count; i++)
		ok = about_keep(a, text, config_describe_provider(read, i, text), &providers[i]);
	for (size_t i = 0; ok && i < read->model_count; i++)
		ok = about_keep(a, text, config_describe_model_place(read, i, text), &places[i]);
	ret->providers = providers;
	ret->places = places;
	ret->read_s = clock_wall_ms() / 1000;
	return ok;
}

enum errc app_about(const struct config *running, const struct config *read, struct arena *a,
		    struct snapshot_about *ret, struct err *e)
{
	struct buf text;

	arena_init(a, LIMIT_OVERVIEW);
	buf_init(&text, LIMIT_OVERVIEW);
	bool ok = about_fill(running, read, a, &text, ret);

	buf_finish(&text);
	return ok ? ERR_OK : err_set(e, ERR_INTERNAL, "", "out of memory");
}

bool app_about_listeners(const struct listen_set *set, bool tls, struct buf *out)
{
	bool ok = buf_text(out, "[");

	for (size_t i = 0; ok && i < set->count; i++) {
		const struct listen_place *p = &set->places[i];
		bool secure = tls && !p->admin && strncmp(p->bound, "unix:", 5) != 0;

		ok = buf_text(out, i > 0 ? ",{\"address\":" : "{\"address\":") &&
		     buf_json_string(out, str_of(p->address)) && buf_text(out, ",\"bound\":") &&
		     buf_json_string(out, str_of(p->bound)) &&
		     buf_fmt(out, ",\"admin\":%s,\"tls\":%s}", p->admin ? "true" : "false",
			     secure ? "true" : "false");
	}
	return ok && buf_text(out, "]");
}
