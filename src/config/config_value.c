/* Reads typed values from strings: numbers, sizes, durations, choices. Finds the nearest name to a
 * typing error. */
#include "config/config_option.h"

#include "base/limits.h"

#include <stdio.h>

struct unit {
	const char *name;
	int64_t     factor;
};

static const struct unit size_units[] = {
	{ "GiB", (int64_t)1024 * MIB }, { "MiB", MIB }, { "KiB", KIB }, { "B", 1 }, { "", 1 },
};

static const struct unit duration_units[] = {
	{ "d", 86400000000 }, { "h", 3600000000 }, { "m", 60000000 },
	{ "s", 1000000 },     { "ms", 1000 },
};

/* Reads decimal digits, without sign, spaces or a leading zero (which some read as octal). */
static bool read_digits(struct str text, size_t *ret_used, int64_t *ret)
{
	int64_t v = 0;
	size_t  n = 0;

	for (; n < text.n && text.p[n] >= '0' && text.p[n] <= '9'; n++) {
		if (v > (INT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (text.p[n] - '0');
	}
	if (n == 0 || (n > 1 && text.p[0] == '0'))
		return false;
	*ret_used = n;
	*ret = v;
	return true;
}

static bool read_unit(struct str text, const struct unit *units, size_t count, int64_t *ret)
{
	int64_t v;
	size_t  used;

	if (!read_digits(text, &used, &v))
		return false;

	struct str rest = { text.p + used, text.n - used };
	if (rest.n == 0 && v == 0) { /* 0 needs no unit */
		*ret = 0;
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!str_is(rest, units[i].name))
			continue;
		if (v > INT64_MAX / units[i].factor)
			return false;
		*ret = v * units[i].factor;
		return true;
	}
	return false;
}

static bool config_value_read_int(struct str text, int64_t *ret)
{
	size_t  used;
	int64_t v;

	if (!read_digits(text, &used, &v) || used != text.n)
		return false;
	*ret = v;
	return true;
}

static void show_unit(int64_t v, const struct unit *units, size_t count, char ret_text[32])
{
	for (size_t i = 0; i < count; i++)
		if (v > 0 && v % units[i].factor == 0) {
			snprintf(ret_text, 32, "%lld%s", (long long)(v / units[i].factor),
				 units[i].name);
			return;
		}
	snprintf(ret_text, 32, "%lld", (long long)v);
}

void config_value_show_size(int64_t bytes, char ret_text[32])
{
	/* "B" is for reading only */
	static const struct unit units[] = {
		{ "GiB", (int64_t)1024 * MIB },
		{ "MiB", MIB },
		{ "KiB", KIB },
	};

	show_unit(bytes, units, ARRAY_LEN(units), ret_text);
}

void config_value_show_duration(int64_t us, char ret_text[32])
{
	/* A day is shown as 24h, as operators write it. */
	bool days = us > duration_units[0].factor;

	show_unit(us, duration_units + !days, ARRAY_LEN(duration_units) - !days, ret_text);
}

struct str config_value_name(const char *names, int i)
{
	for (;;) {
		size_t n = strcspn(names, ",");

		if (i-- == 0)
			return (struct str){ names, n };
		if (names[n] == '\0')
			return STR_NONE;
		names += n + 1;
	}
}

/* The number of edits (insert, drop, change, swap neighbours) between two names; long names are
 * always far. */
static size_t edit_distance(struct str a, struct str b)
{
	enum { MAX = 40 };
	size_t rows[3][MAX + 1];

	if (a.n > MAX || b.n > MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *now = rows[i % 3];
		size_t *up = rows[(i + 2) % 3];
		size_t *upup = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t best = up[j - 1] + (a.p[i - 1] == b.p[j - 1] ? 0 : 1);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && upup[j - 2] + 1 < best)
				best = upup[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[a.n % 3][b.n];
}

const char *config_value_nearest(struct str given, const char *const *names, size_t count)
{
	const char *nearest = NULL;
	/* the largest distance: one or two edits for short names */
	size_t best = given.n / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		size_t d = edit_distance(given, str_of(names[i]));

		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}

/* The value in a short and printable form, for messages. */
static const char *config_value_shown(struct str text, char out[44])
{
	size_t n = text.n < 40 ? text.n : 40;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		out[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	memcpy(out + n, text.n > n ? "..." : "", text.n > n ? 4 : 1);
	return out;
}

/* Makes "relaxed or strict" of "relaxed,strict". */
static void list_names(const char *names, char out[160])
{
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0;; i++) {
		struct str  name = config_value_name(names, i);
		struct str  next = config_value_name(names, i + 1);
		const char *sep = i == 0 ? "" : next.p ? ", " : " or ";

		if (!name.p || n >= 160)
			return;
		n += (size_t)snprintf(out + n, 160 - n, "%s%.*s", sep, STR_ARG(name));
	}
}

static enum errc config_value_read_string(const struct config_rule *rule, struct str text,
					  struct arena *a, const struct config_place *at,
					  const char **ret, struct err *e)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool          white = c == '\n' || c == '\t';

		if (c == 0x7f || (c < 0x20 && !(white && rule->type == CONFIG_TEXT)))
			return config_place_fail(at, e, "has a control character");
	}
	if ((int64_t)text.n < rule->min || (int64_t)text.n > rule->max) {
		if (text.n == 0)
			return config_place_fail(at, e, "is empty; %lld to %lld bytes are allowed",
						 (long long)rule->min, (long long)rule->max);
		return config_place_fail(at, e, "is too long; %lld to %lld bytes are allowed",
					 (long long)rule->min, (long long)rule->max);
	}

	struct str copy = arena_str(a, text);
	if (!copy.p)
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	*ret = copy.p;
	return ERR_OK;
}

static enum errc read_name(const struct config_rule *rule, struct str text,
			   const struct config_place *at, int *ret, struct err *e)
{
	char value[44];
	char allowed[160];

	for (int i = 0;; i++) {
		struct str name = config_value_name(rule->names, i);

		if (!name.p)
			break;
		if (str_eq(name, text)) {
			*ret = i;
			return ERR_OK;
		}
	}
	list_names(rule->names, allowed);
	return config_place_fail(at, e, "unknown value '%s'; allowed: %s",
				 config_value_shown(text, value), allowed);
}

static enum errc config_value_read_number(const struct config_rule *rule, struct str text,
					  const struct config_place *at, int64_t *ret,
					  struct err *e)
{
	char        value[44];
	char        min[32];
	char        max[32];
	int64_t     v = 0;
	bool        ok;
	const char *kind;

	if (rule->type == CONFIG_SIZE) {
		ok = read_unit(text, size_units, ARRAY_LEN(size_units), &v);
		kind = "a size, as 20MiB, 512KiB or plain bytes";
		config_value_show_size(rule->min, min);
		config_value_show_size(rule->max, max);
	} else if (rule->type == CONFIG_DURATION) {
		ok = read_unit(text, duration_units, ARRAY_LEN(duration_units), &v);
		kind = "a duration with its unit, as 500ms, 10s, 5m, 1h or 30d";
		config_value_show_duration(rule->min, min);
		config_value_show_duration(rule->max, max);
	} else {
		ok = config_value_read_int(text, &v);
		kind = "a whole number";
		snprintf(min, sizeof min, "%lld", (long long)rule->min);
		snprintf(max, sizeof max, "%lld", (long long)rule->max);
	}
	if (!ok)
		return config_place_fail(at, e, "'%s' is not %s; %s to %s is allowed",
					 config_value_shown(text, value), kind, min, max);
	if (v < rule->min || v > rule->max)
		return config_place_fail(at, e, "%s is out of range; %s to %s is allowed",
					 config_value_shown(text, value), min, max);
	*ret = v;
	return ERR_OK;
}

static enum errc config_value_read_bool(struct str text, const struct config_place *at, bool *ret,
					struct err *e)
{
	char value[44];

	if (!str_is(text, "true") && !str_is(text, "false"))
		return config_place_fail(at, e, "unknown value '%s'; allowed: true or false",
					 config_value_shown(text, value));
	*ret = str_is(text, "true");
	return ERR_OK;
}

enum errc config_value_read(const struct config_rule *rule, struct str text, struct arena *a,
			    const struct config_place *at, void *ret, struct err *e)
{
	enum errc rc = ERR_INTERNAL;
	int       i;

	switch (rule->type) {
	case CONFIG_STRING:
	case CONFIG_TEXT: return config_value_read_string(rule, text, a, at, ret, e);
	case CONFIG_CHOICE:
		rc = read_name(rule, text, at, &i, e);
		return rc == ERR_OK ? config_value_read_string(rule, text, a, at, ret, e) : rc;
	case CONFIG_ENUM: return read_name(rule, text, at, ret, e);
	case CONFIG_BOOL: return config_value_read_bool(text, at, ret, e);
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION: return config_value_read_number(rule, text, at, ret, e);
	case CONFIG_LIST: CHECK(rule->type != CONFIG_LIST); /* lists are read item by item */
	}
	return rc;
}
