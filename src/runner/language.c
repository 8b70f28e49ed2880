/* The table of languages; which of them this machine has. */
#include "runner/internal.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* clang-format off */
static const struct language languages[] = {
	{ "python", ",py,python3,", LANGUAGE_DRIVER, "py", "python3", "@ -I -X utf8 $/python.py" },
	{ "shell", ",sh,bash,", LANGUAGE_DRIVER, "sh", "bash", "@ --norc --noprofile $/shell.bash" },
	{ "javascript", ",js,node,", LANGUAGE_DRIVER, "js", "node", "@ $/javascript.js" },
	{ "ruby", ",rb,", LANGUAGE_PROCESS, "rb", "ruby", "@ %" },
	{ "perl", ",pl,", LANGUAGE_PROCESS, "pl", "perl", "@ %" },
	{ "lua", ",", LANGUAGE_PROCESS, "lua", "lua5.4", "@ %" },
	{ "awk", ",", LANGUAGE_PROCESS, "awk", "awk", "@ -f %" },
	{ "c", ",", LANGUAGE_PROCESS, "c", "gcc", "/bin/sh $/c.sh @ %" },
	{ "r", ",", LANGUAGE_PROCESS, "R", "Rscript", "@ %" },
	{ "html", ",", LANGUAGE_SHOWN, "", NULL, "" },
};
/* clang-format on */

_Static_assert(ARRAY_LEN(languages) <= LANGUAGE__MAX, "a session has a row for each language");

/* Where sandboxes look too: folders of users are not in them. */
static bool language_path(const struct language *l, char ret[64])
{
	static const char *const folders[] = { "/usr/local/bin", "/usr/bin" };

	for (size_t i = 0; l->program && i < ARRAY_LEN(folders); i++) {
		snprintf(ret, 64, "%s/%s", folders[i], l->program);
		if (access(ret, X_OK) == 0)
			return true;
	}
	return !l->program;
}

static bool language_offered(const struct runner_options *o, const struct language *l)
{
	bool named = o->language_count == 0;
	char path[64];

	for (size_t i = 0; !named && i < o->language_count; i++)
		named = strcmp(o->languages[i], l->name) == 0;
	return named && language_path(l, path);
}

static bool language_is(const struct language *l, struct str name)
{
	char alias[34];

	if (name.n == 0 || name.n > 30 || memchr(name.p, ',', name.n))
		return false;
	if (strlen(l->name) == name.n && strncasecmp(l->name, name.p, name.n) == 0)
		return true;
	snprintf(alias, sizeof alias, ",%.*s,", STR_ARG(name));
	return strcasestr(l->aliases, alias) != NULL;
}

const struct language *language_find(const struct runner_options *o, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		if (language_is(&languages[i], str_trim(name)))
			return language_offered(o, &languages[i]) ? &languages[i] : NULL;
	return NULL;
}

bool language_list(const struct runner_options *o, struct buf *out)
{
	bool        ok = true;
	const char *sep = "";

	for (size_t i = 0; ok && i < ARRAY_LEN(languages); i++)
		if (language_offered(o, &languages[i])) {
			ok = buf_text(out, sep) && buf_text(out, languages[i].name);
			sep = ", ";
		}
	return ok;
}

bool language_aliases(const struct runner_options *o, struct buf *out)
{
	bool        ok = true;
	const char *sep = "";

	for (size_t i = 0; ok && i < ARRAY_LEN(languages); i++) {
		const char *at = languages[i].aliases + 1;

		for (; language_offered(o, &languages[i]) && ok && *at; at = strchr(at, ',') + 1) {
			ok = buf_fmt(out, "%s%.*s=%s", sep, (int)strcspn(at, ","), at,
				     languages[i].name);
			sep = ", ";
		}
	}
	return ok;
}

bool language_command(const struct language *l, const char *folder, const char *file,
		      struct buf *out)
{
	char path[64];
	bool ok = language_path(l, path);

	for (const char *p = l->command; ok && *p; p++)
		switch (*p) {
		case '@': ok = buf_text(out, path); break;
		case '%': ok = buf_text(out, file); break;
		case '$': ok = buf_text(out, folder); break;
		case ' ': ok = buf_add(out, "", 1); break;
		default: ok = buf_add(out, p, 1);
		}
	return ok && buf_add(out, "", 1);
}

const char *language_name(size_t i)
{
	return i < ARRAY_LEN(languages) ? languages[i].name : NULL;
}

size_t language_index(const struct language *l)
{
	return (size_t)(l - languages);
}
