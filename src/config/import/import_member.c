/* Reads the members of a map by a table: each is carried over, or gets a note. */
#include "config/import/internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MEMBER_DIGITS = 16, MEMBER_TEXT = 2048 };

static const struct import_member *member_find(const struct import_members *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->rows[i].name, name) == 0)
			return &t->rows[i];
	return NULL;
}

/* member_count: a whole number; YAML 1.1 has 20_000, too. */
static bool member_count(struct str s, int64_t *ret)
{
	int64_t v = 0;
	size_t  digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_' && digits > 0)
			continue;
		if (s.p[i] < '0' || s.p[i] > '9' || ++digits > MEMBER_DIGITS)
			return false;
		v = v * 10 + (s.p[i] - '0');
	}
	*ret = v;
	return digits > 0;
}

/* member_number: billionths; what is too small to count is 0. */
static bool member_number(struct str s, int tens, int64_t *ret)
{
	int64_t whole;

	if (money_number(s, tens, ret))
		return true;
	/* 20_000, and 5. */
	if (member_count(s, &whole) && tens == 0 && whole <= MONEY_MOST / MONEY_ONE) {
		*ret = whole * MONEY_ONE;
		return true;
	}
	return s.n > 1 && s.p[s.n - 1] == '.' &&
	       money_number((struct str){ s.p, s.n - 1 }, tens, ret);
}

static bool member_time(struct str s, int tens, int64_t *ret)
{
	int64_t nano;

	if (!member_number(s, tens, &nano))
		return false;
	*ret = nano / 1000;
	return true;
}

static bool member_bool(struct str s, bool *ret)
{
	static const char *const words[] = { "false", "False", "FALSE", "no",  "off",
					     "true",  "True",  "TRUE",  "yes", "on" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(s, words[i])) {
			*ret = i >= ARRAY_LEN(words) / 2;
			return true;
		}
	return false;
}

static bool member_is_false(const struct config_node *n)
{
	bool word;

	return n->kind == CONFIG_SCALAR && member_bool(n->text, &word) && !word;
}

/* member_value: what is wrong with n, or NULL. */
static const char *member_value(const struct config_node *n, enum import_kind kind, void *to)
{
	bool word;

	if (n->kind != CONFIG_SCALAR)
		return "has to be one value";
	switch (kind) {
	case IMPORT_TEXT:
		if (n->text.n < 1 || n->text.n > MEMBER_TEXT)
			return "is empty or too long";
		*(const char **)to = n->text.p;
		return NULL;
	case IMPORT_COUNT: return member_count(n->text, to) ? NULL : "is no whole number";
	case IMPORT_SECONDS: return member_time(n->text, 0, to) ? NULL : "is no number of seconds";
	case IMPORT_MILLIS:
		return member_time(n->text, -3, to) ? NULL : "is no number of milliseconds";
	case IMPORT_NUMBER: return member_number(n->text, 0, to) ? NULL : "is no number";
	case IMPORT_RATE: return member_number(n->text, 6, to) ? NULL : "is no price";
	case IMPORT_FALSE:
	case IMPORT_TRUE:
		if (!member_bool(n->text, &word))
			return "is neither true nor false";
		*(bool *)to = word == (kind == IMPORT_TRUE);
		return NULL;
	case IMPORT_NOTE:
	case IMPORT_ON:
	case IMPORT_SILENT:
	case IMPORT_NODE:
	case IMPORT_DEFAULT: break;
	}
	return NULL;
}

void import_read(struct import *im, const struct config_node *map, const struct import_members *t,
		 void *row)
{
	for (const struct config_node *n = map->first; n; n = n->next) {
		const struct import_member *m = member_find(t, n->key);
		const char                 *wrong = NULL;

		if (import_is_null(n) || (m && m->kind == IMPORT_SILENT))
			continue;
		if (!m)
			wrong = "Parley has no counterpart";
		else if (m->kind == IMPORT_NOTE || (m->kind == IMPORT_ON && !member_is_false(n)))
			wrong = m->why;
		else if (m->kind == IMPORT_NODE)
			*(const struct config_node **)((char *)row + m->offset) = n;
		else if (m->kind == IMPORT_DEFAULT || m->kind == IMPORT_ON)
			continue; /* the reader looks for defaults */
		else
			wrong = member_value(n, m->kind, (char *)row + m->offset);
		if (wrong && !t->quiet)
			import_note(im, n, wrong);
	}
}

/* --- defaults --- */

/* member_depth: the levels of lists and maps in n. */
static size_t member_depth(const struct config_node *n)
{
	size_t most = 0;

	for (const struct config_node *k = n->first; k; k = k->next) {
		size_t d = member_depth(k);

		most = d > most ? d : most;
	}
	return most + (n->kind != CONFIG_SCALAR);
}

/* The reader of Parley's own file says whether it takes the value. */
bool import_default(struct import *im, const struct config_node *n)
{
	enum { DEFAULTS_AT = 5 }; /* models[0].defaults.config.NAME: so many levels are above it */
	OWNED(config) c = config_memory_create();
	struct model_defaults ret = { .member_count = 0 };
	struct config_node    value = *n;
	struct config_node    config = {
		   .kind = CONFIG_MAP, .key = "config", .count = 1, .first = &value
	};
	struct config_node defaults = { .kind = CONFIG_MAP, .count = 1, .first = &config };
	struct err         e;

	value.next = NULL;
	if (member_depth(n) > LIMIT_CONFIG_DEPTH - DEFAULTS_AT) {
		import_note(im, n, "is nested too deep for a default: clients have to send it");
		return false;
	}
	if (c)
		c->memory->file = im->file;
	bool ok = c && config_defaults_read(c, &defaults, &ret, &e) == ERR_OK &&
		  c->memory->mistakes.count == 0;
	if (!ok)
		import_note(im, n, "is no default that Parley takes for this parameter");
	return ok;
}
