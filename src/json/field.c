/* Checks and binds the members of an object by a table, and says in errors what is allowed. */
#include "json/field.h"

#include "base/err.h"
#include "base/limits.h"
#include "json/internal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_ROWS = 128 };

/* A bound of this size means that there is no bound. */
#define BOUNDLESS 1e18

struct reading {
	const struct field_set *set;
	const struct json_doc  *doc;
	const char             *path;
	struct arena           *arena;
	char                   *ret;
	struct err             *e;
};

/* A text of the size of an error's text. A piece that does not fit is left out as a whole. */
struct text {
	char   s[sizeof((struct err *)0)->text];
	size_t n;
};

static bool PRINTF(2, 3) field_say(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof t->s - t->n) {
		t->s[t->n] = '\0';
		return false;
	}
	t->n += (size_t)n;
	return true;
}

static bool field_bounded(const struct field *f)
{
	return f->min != 0 || f->max != 0;
}

/* Text such as " of 1 to 64 bytes". */
static void put_count(struct text *t, const struct field *f, const char *unit)
{
	if (!field_bounded(f))
		return;
	if (f->min > 0 && f->max >= BOUNDLESS)
		(void)field_say(t, " of at least %.15g %s", f->min, unit);
	else if (f->min > 0)
		(void)field_say(t, " of %.15g to %.15g %s", f->min, f->max, unit);
	else if (f->max < BOUNDLESS)
		(void)field_say(t, " of at most %.15g %s", f->max, unit);
}

/* Text such as " from 1 to 1000000". */
static void put_range(struct text *t, const struct field *f)
{
	if (!field_bounded(f))
		return;
	if (f->min > -BOUNDLESS && f->max < BOUNDLESS)
		(void)field_say(t, " from %.15g to %.15g", f->min, f->max);
	else if (f->min > -BOUNDLESS)
		(void)field_say(t, " of at least %.15g", f->min);
	else if (f->max < BOUNDLESS)
		(void)field_say(t, " of at most %.15g", f->max);
}

static void put_names(struct text *t, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		if (!field_say(t, "%s%s", i ? ", " : "", names[i]))
			return;
}

static void put_allowed(struct text *t, const struct field *f)
{
	switch (f->type) {
	case FIELD_STRING:
		(void)field_say(t, "must be a string");
		put_count(t, f, "bytes");
		return;
	case FIELD_INT:
		(void)field_say(t, "must be an integer");
		put_range(t, f);
		return;
	case FIELD_NUMBER:
		(void)field_say(t, "must be a number");
		put_range(t, f);
		return;
	case FIELD_BOOL: (void)field_say(t, "must be true or false"); return;
	case FIELD_ENUM:
		(void)field_say(t, "must be one of: ");
		put_names(t, f->names);
		return;
	case FIELD_ARRAY:
		(void)field_say(t, "must be an array");
		put_count(t, f, "elements");
		return;
	case FIELD_OBJECT: (void)field_say(t, "must be an object"); return;
	case FIELD_ANY: (void)field_say(t, "is required"); return;
	}
}

/* The longest start of s that fits and does not end inside a character. */
static struct str field_cut(struct str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max > 0 && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max--;
	return (struct str){ s.p, max };
}

static enum errc field_refuse(const struct reading *r, enum errc code, struct str key,
			      const char *text)
{
	char        path[sizeof r->e->path];
	const char *dot = r->path[0] ? "." : "";
	size_t      used = strlen(r->path) + strlen(dot);

	key = field_cut(key, used < sizeof path ? sizeof path - 1 - used : 0);
	snprintf(path, sizeof path, "%s%s%.*s", r->path, dot, STR_ARG(key));
	return err_set(r->e, code, path, "%s", text);
}

static enum errc refuse_field(const struct reading *r, enum errc code, const struct field *f)
{
	struct text t = { .n = 0 };

	put_allowed(&t, f);
	return field_refuse(r, code, str_of(f->key), t.s);
}

static enum errc refuse_missing(const struct reading *r, const struct field *f)
{
	struct text t = { .n = 0 };

	(void)field_say(&t, "is required");
	if (f->type != FIELD_ANY) {
		(void)field_say(&t, "; ");
		put_allowed(&t, f);
	}
	return field_refuse(r, ERR_MISSING_PARAMETER, str_of(f->key), t.s);
}

static const char *moved_to(const struct field_set *set, struct str key)
{
	for (const struct field_moved *m = set->moved; m && m->key; m++)
		if (str_eq(key, str_of(m->key)))
			return m->to;
	return NULL;
}

static bool field_has_row(const struct field_set *set, struct str key)
{
	for (size_t i = 0; i < set->count; i++)
		if (str_eq(key, str_of(set->rows[i].key)))
			return true;
	return false;
}

/* put_moved: a hint to the right place, for a member whose name is known in another place. */
static bool put_moved(const struct reading *r, struct str key, struct text *t)
{
	const struct field_set *inner = r->set->inner;
	const char             *to = moved_to(r->set, key);
	const char             *dot = r->path[0] ? "." : "";

	if (to)
		return field_say(t, " here; use %s%s%s", r->path, dot, to);
	if (!inner)
		return false;
	to = moved_to(inner, key);
	if (to)
		return field_say(t, " here; use %s.%s", r->set->inner_key, to);
	return field_has_row(inner, key) &&
	       field_say(t, " here; use %s.%.*s", r->set->inner_key, STR_ARG(key));
}

static enum errc field_refuse_unknown(const struct reading *r, struct str key)
{
	struct text t = { .n = 0 };
	const char *near = NULL;
	size_t      best = SIZE_MAX;

	for (size_t i = 0; i < r->set->count; i++) {
		size_t distance;

		if (hint_near(key, str_of(r->set->rows[i].key), &distance) && distance < best) {
			best = distance;
			near = r->set->rows[i].key;
		}
	}
	(void)field_say(&t, "unknown member");
	if (put_moved(r, key, &t))
		return field_refuse(r, ERR_UNKNOWN_PARAMETER, key, t.s);
	if (near)
		(void)field_say(&t, "; did you mean \"%s\"?", near);
	else if (!r->set->others)
		for (size_t i = 0; i < r->set->count; i++)
			if (!field_say(&t, "%s%s", i ? ", " : "; known are: ", r->set->rows[i].key))
				break;
	if (r->set->others)
		(void)field_say(&t, "; %s", r->set->others);
	return field_refuse(r, ERR_UNKNOWN_PARAMETER, key, t.s);
}

static bool field_outside(const struct field *f, double v)
{
	return field_bounded(f) && !(v >= f->min && v <= f->max);
}

static enum errc field_read_string(const struct reading *r, const struct field *f, json_at i,
				   void *at)
{
	struct str value;

	if (json_kind(r->doc, i) != JSON_STRING)
		return refuse_field(r, ERR_INVALID_TYPE, f);
	if (r->doc->tok[i].flags & JSON_HAS_NUL)
		return field_refuse(r, ERR_INVALID_VALUE, str_of(f->key),
				    "must not contain the character U+0000");
	/* The length is checked before the copy, so that too long a string costs no memory. */
	size_t n = json_size(r->doc, i);
	if (field_outside(f, (double)n))
		return refuse_field(r, ERR_INVALID_VALUE, f);
	if (!json_text(r->doc, i, r->arena, &value))
		return field_refuse(r,
				    n >= r->arena->max - r->arena->used ? ERR_REQUEST_TOO_LARGE
									: ERR_OVERLOADED,
				    str_of(f->key), "needs more memory than one request may use");
	memcpy(at, &value, sizeof value);
	return ERR_OK;
}

static enum errc field_read_int(const struct reading *r, const struct field *f, json_at i, void *at)
{
	int64_t v;

	if (!(r->doc->tok[i].flags & JSON_INTEGER))
		return refuse_field(r, ERR_INVALID_TYPE, f);
	if (!json_int(r->doc, i, &v) || field_outside(f, (double)v))
		return refuse_field(r, ERR_INVALID_VALUE, f);
	memcpy(at, &v, sizeof v);
	return ERR_OK;
}

static enum errc field_read_number(const struct reading *r, const struct field *f, json_at i,
				   void *at)
{
	double v;

	if (json_kind(r->doc, i) != JSON_NUMBER)
		return refuse_field(r, ERR_INVALID_TYPE, f);
	if (!json_number(r->doc, i, &v) || field_outside(f, v))
		return refuse_field(r, ERR_INVALID_VALUE, f);
	memcpy(at, &v, sizeof v);
	return ERR_OK;
}

static enum errc field_read_bool(const struct reading *r, const struct field *f, json_at i,
				 void *at)
{
	enum json_kind kind = json_kind(r->doc, i);
	bool           v = kind == JSON_TRUE;

	if (kind != JSON_TRUE && kind != JSON_FALSE)
		return refuse_field(r, ERR_INVALID_TYPE, f);
	memcpy(at, &v, sizeof v);
	return ERR_OK;
}

static enum errc read_enum(const struct reading *r, const struct field *f, json_at i, void *at)
{
	if (json_kind(r->doc, i) != JSON_STRING)
		return refuse_field(r, ERR_INVALID_TYPE, f);
	for (int n = 0; f->names[n]; n++)
		if (json_is(r->doc, i, f->names[n])) {
			memcpy(at, &n, sizeof n);
			return ERR_OK;
		}
	return refuse_field(r, ERR_INVALID_VALUE, f);
}

static enum errc read_container(const struct reading *r, const struct field *f, json_at i, void *at)
{
	enum json_kind kind = f->type == FIELD_ARRAY ? JSON_ARRAY : JSON_OBJECT;

	if (json_kind(r->doc, i) != kind)
		return refuse_field(r, ERR_INVALID_TYPE, f);
	if (field_outside(f, (double)r->doc->tok[i].count))
		return refuse_field(r, ERR_INVALID_VALUE, f);
	memcpy(at, &i, sizeof i);
	return ERR_OK;
}

static enum errc read_member(const struct reading *r, const struct field *f, json_at i)
{
	void *at = r->ret + f->at;

	switch (f->type) {
	case FIELD_STRING: return field_read_string(r, f, i, at);
	case FIELD_INT: return field_read_int(r, f, i, at);
	case FIELD_NUMBER: return field_read_number(r, f, i, at);
	case FIELD_BOOL: return field_read_bool(r, f, i, at);
	case FIELD_ENUM: return read_enum(r, f, i, at);
	case FIELD_ARRAY:
	case FIELD_OBJECT: return read_container(r, f, i, at);
	case FIELD_ANY: memcpy(at, &i, sizeof i); return ERR_OK;
	}
	return ERR_OK;
}

/* The index of the row for a key, or set->count. */
static size_t find_row(const struct field_set *set, struct str key)
{
	size_t i = 0;

	while (i < set->count && !str_is(key, set->rows[i].key))
		i++;
	return i;
}

enum errc fields_read(const struct field_set *set, const struct json_doc *doc, json_at obj,
		      const char *path, struct arena *arena, void *ret, struct err *e)
{
	const struct reading r = { set, doc, path, arena, ret, e };
	bool                 seen[MAX_ROWS] = { false };

	CHECK(set->count <= MAX_ROWS);
	if (json_kind(doc, obj) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");

	JSON_EACH_MEMBER (i, doc, obj) {
		char       tmp[LIMIT_JSON_KEY];
		struct str key = json_key(doc, i, tmp);
		size_t     n = find_row(set, key);

		if (n == set->count) {
			if (!set->open)
				return field_refuse_unknown(&r, key);
			continue;
		}
		if (json_kind(doc, json_value(i)) == JSON_NULL)
			continue;

		enum errc failed = read_member(&r, &set->rows[n], json_value(i));
		if (failed)
			return failed;
		seen[n] = true;
	}

	for (size_t n = 0; n < set->count; n++)
		if (set->rows[n].required && !seen[n])
			return refuse_missing(&r, &set->rows[n]);
	return ERR_OK;
}
