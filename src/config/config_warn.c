/* What is allowed, and is probably a mistake. */
#include "config/config.h"

#include "base/limits.h"
#include "config/config_option.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEY_LEAST = 16, PREFIX = 7 /* PARLEY_ */ };

/* Variables that are no options, behind PARLEY_. */
static const char *const more[] = {
	"CONFIG", "API_KEY", "UPSTREAM_URL", "UPSTREAM_KEY", "DATABASE_PASSWORD", "OTLP_HEADERS",
};

/* Kubernetes makes such variables for a service that is named parley. */
static bool warn_is_service(const char *variable)
{
	return strncmp(variable, "PARLEY_SERVICE_", 15) == 0 ||
	       strncmp(variable, "PARLEY_PORT_", 12) == 0 ||
	       strncmp(variable, "PARLEY_PORT=tcp:", 16) == 0;
}

static void warn_variable(const char *variable, void (*tell)(const char *text))
{
	char        room[CONFIG_OPTION__COUNT][64];
	const char *names[CONFIG_OPTION__COUNT + ARRAY_LEN(more)];
	struct str  name = { variable, strcspn(variable, "=") };
	char        text[200];
	char        other[64] = "";
	size_t      n = 0;

	if (!str_starts(name, STR("PARLEY_")) || warn_is_service(variable))
		return;
	/* What all of them begin with would make all of them alike. */
	name = (struct str){ name.p + PREFIX, name.n - PREFIX };
	for (; n < CONFIG_OPTION__COUNT; n++)
		names[n] = config_place_env(config_options[n].name, room[n]) + PREFIX;
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		names[n++] = more[i];
	for (size_t i = 0; i < n; i++)
		if (str_is(name, names[i]))
			return;
	const char *alias = config_option_alias(name);
	const char *near = alias ? config_place_env(alias, other) + PREFIX
				 : config_value_nearest(name, names, n);
	snprintf(text, sizeof text, "the environment variable PARLEY_%.*s is unknown%s%s%s",
		 name.n < 64 ? (int)name.n : 64, name.p, near ? "; did you mean PARLEY_" : "",
		 near ? near : "", near ? "?" : "");
	tell(text);
}

static void warn_key(const char *key, size_t i, void (*tell)(const char *text))
{
	char text[200];

	if (strncmp(key, "sha256:", 7) == 0 || strlen(key) >= KEY_LEAST)
		return;
	snprintf(text, sizeof text,
		 "the API key config:%zu %s: use random text, as openssl rand -hex 24 prints",
		 i + 1,
		 strcmp(key, "change-me") == 0 ? "is the one of the examples"
					       : "has fewer than 16 characters");
	tell(text);
}

void config_warn(const struct config *c, void (*tell)(const char *text))
{
	for (size_t i = 0; environ[i]; i++)
		warn_variable(environ[i], tell);
	for (size_t i = 0; i < c->api_keys.count; i++)
		warn_key(c->api_keys.items[i], i, tell);
}
