/* Matches raw targets against the table of routes, without side effects. */
#include "http/route.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/identity.h"

bool route_decode(struct str in, bool plus_is_space, char *out, size_t *ret_len)
{
	size_t n = 0;

	for (size_t i = 0; i < in.n; i++) {
		char c = in.p[i];

		if (c == '%') {
			if (in.n - i < 3)
				return false;
			int hi = hash_digit(in.p[i + 1]);
			int lo = hash_digit(in.p[i + 2]);
			if (hi < 0 || lo < 0 || (hi == 0 && lo == 0))
				return false;
			c = (char)(hi << 4 | lo);
			i += 2;
		} else if (c == '+' && plus_is_space) {
			c = ' ';
		} else if (c == '\0') {
			return false;
		}
		out[n++] = c;
	}
	*ret_len = n;
	return true;
}

static bool is_escape(const char *p, size_t left)
{
	return left >= 3 && hash_digit(p[1]) >= 0 && hash_digit(p[2]) >= 0 &&
	       (p[1] != '0' || p[2] != '0');
}

bool route_query(struct str query, struct str *ret_bad)
{
	size_t from = 0;

	for (size_t i = 0; i < query.n; i++) {
		if (query.p[i] == '&')
			from = i + 1;
		if (query.p[i] != '%' || is_escape(query.p + i, query.n - i))
			continue;
		const char *end = memchr(query.p + i, '&', query.n - i);
		*ret_bad = (struct str){ query.p + from,
					 end ? (size_t)(end - query.p) - from : query.n - from };
		return false;
	}
	return true;
}

/* next_segment: cuts the next non-empty segment off *path; n == 0: none. */
static struct str next_segment(struct str *path)
{
	while (path->n > 0 && path->p[0] == '/') {
		path->p++;
		path->n--;
	}

	struct str s = { path->p, 0 };
	while (s.n < path->n && s.p[s.n] != '/')
		s.n++;
	path->p += s.n;
	path->n -= s.n;
	return s;
}

/* route_path_of: the target without scheme, authority (absolute form) and query. */
static struct str route_path_of(struct str target)
{
	if (target.n > 7 && memcmp(target.p, "http://", 7) == 0) {
		size_t skip = 7;

		while (skip < target.n && target.p[skip] != '/' && target.p[skip] != '?')
			skip++;

		target.p += skip;
		target.n -= skip;
	}

	const char *query = target.n ? memchr(target.p, '?', target.n) : NULL;
	if (query)
		target.n = (size_t)(query - target.p);
	return target;
}

/* template_matches: compares a template with a path; *ret_rest: what its * stands for. */
static bool template_matches(const char *template, struct str path, struct str *ret_named,
			     struct str *ret_rest)
{
	struct str rest = str_of(template);

	*ret_named = STR_NONE;
	for (;;) {
		struct str want = next_segment(&rest);

		*ret_rest = path;
		if (str_is(want, "*"))
			return true;

		struct str is = next_segment(&path);
		if (want.n == 0 || is.n == 0)
			return want.n == is.n;
		if (want.p[0] == '{')
			*ret_named = is;
		else if (!str_eq(want, is))
			return false;
	}
}

/* after_colon: what follows the last colon of a segment; .p NULL: there is none. */
static struct str after_colon(struct str segment)
{
	for (size_t i = segment.n; i-- > 0;)
		if (segment.p[i] == ':')
			return (struct str){ segment.p + i + 1, segment.n - i - 1 };
	return STR_NONE;
}

bool route_spell(const struct route_spelling *list, struct str target, char *out, struct str *ret,
		 struct str *ret_named)
{
	struct str path = route_path_of(target);
	struct str named;
	struct str rest;

	for (const struct route_spelling *s = list; s && s->path; s++) {
		size_t n = strlen(s->means);

		if (!template_matches(s->path, path, &named, &rest) || n > ROUTE_SPELLED ||
		    (s->verb && !after_colon(rest).p))
			continue;
		memcpy(out, s->means, n);
		if (rest.n > 0)
			memcpy(out + n, rest.p, rest.n);
		*ret = (struct str){ out, n + rest.n };
		*ret_named = (struct str){ out + ret->n, 0 };
		/* A name that can't be decoded is refused with the path in route_match. */
		return route_decode(named, false, out + ret->n, &ret_named->n);
	}
	return false;
}

/* template_verb: the verb at the end of a template; .p NULL: it has none. */
static struct str template_verb(const char *template)
{
	const char *verb = strstr(template, "}:");

	return verb ? str_of(verb + 2) : STR_NONE;
}

enum route_fit {
	FIT_NOT,
	FIT_BUT_VERB, /* a name and a verb, but another verb than the template's */
	FIT,
};

/* fit_verb: compares {name}:verb, a template's last segment, with all that is left of a path.  The
 * segments lie one after the other with slashes between them. */
static enum route_fit fit_verb(struct str want, const struct str *segments, size_t count,
			       struct str *ret_name)
{
	struct str  last = segments[count - 1];
	struct str  verb = after_colon(last);
	const char *from = segments[0].p;

	if (!verb.p || verb.p - 1 == from)
		return FIT_NOT;
	*ret_name = (struct str){ from, (size_t)(verb.p - 1 - from) };
	return str_eq(verb, after_colon(want)) ? FIT : FIT_BUT_VERB;
}

/* match_path: compares a template with decoded segments; takes_rest: ROUTE_REST. */
static enum route_fit match_path(const char *template, bool takes_rest, const struct str *segments,
				 size_t count, struct str params[ROUTE_PARAMS])
{
	struct str rest = str_of(template);
	size_t     param = 0;

	for (size_t i = 0;; i++) {
		struct str want = next_segment(&rest);

		if (str_is(want, "*"))
			return FIT;
		if (want.n == 0 || i == count)
			return want.n == 0 && i == count ? FIT : FIT_NOT;
		if (want.p[0] == '{') {
			if (param == ROUTE_PARAMS)
				return FIT_NOT;
			if (want.p[want.n - 1] != '}')
				return fit_verb(want, segments + i, count - i, &params[param]);
			params[param] = segments[i];
			if (takes_rest && rest.n == 0) {
				const struct str *last = &segments[count - 1];

				params[param].n = (size_t)(last->p + last->n - segments[i].p);
				return FIT;
			}
			param++;
		} else if (!str_eq(want, segments[i])) {
			return FIT_NOT;
		}
	}
}

enum { SEGMENTS_MAX = 16 };

/* route_split: decodes the segments of a path into scratch, with slashes between them. */
static enum errc route_split(struct str path, char *scratch, struct str segments[SEGMENTS_MAX],
			     size_t *ret_count, struct err *e)
{
	size_t count = 0;

	for (;;) {
		struct str raw = next_segment(&path);
		size_t     n;

		if (raw.n == 0)
			break;
		if (count > 0)
			*scratch++ = '/';
		if (!route_decode(raw, false, scratch, &n))
			return err_set(e, ERR_BAD_REQUEST, "", "the path has a bad percent escape");
		struct str s = { scratch, n };
		if (str_is(s, ".") || str_is(s, ".."))
			return err_set(e, ERR_BAD_REQUEST, "", "the path has a dot segment");
		if (count < SEGMENTS_MAX)
			segments[count] = s;
		count++;
		scratch += n;
	}
	*ret_count = count;
	return ERR_OK;
}

/* route_served: row, or the next one after it that the listener has, or the table's end. */
static const struct route *route_served(struct route_list list, const struct route *row)
{
	while (row->name && (list.without & 1u << row->auth))
		row++;
	return row;
}

static const struct route *route_first(struct route_list list)
{
	return route_served(list, list.rows);
}

static const struct route *route_after(struct route_list list, const struct route *row)
{
	return route_served(list, row + 1);
}

static bool has_head(const struct route *row)
{
	return strcmp(row->method, "GET") == 0 && !(row->traits & ROUTE_NO_HEAD);
}

static bool method_fits(const struct route *row, struct str method)
{
	return str_is(method, row->method) || (str_is(method, "HEAD") && has_head(row));
}

/* --- what was meant --- */

static bool is_path(struct route_list list, const struct str *segments, size_t count)
{
	struct str params[ROUTE_PARAMS];

	for (const struct route *row = route_first(list); row->name; row = route_after(list, row))
		if (match_path(row->path, row->traits & ROUTE_REST, segments, count, params) == FIT)
			return true;
	return false;
}

/* without_v1: true if the path would exist with /v1 before it, or with one /v1 less. */
static bool without_v1(struct route_list list, const struct str *segments, size_t count)
{
	struct str with[SEGMENTS_MAX + 1] = { STR("v1") };

	memcpy(with + 1, segments, count * sizeof *segments);
	return count > 0 &&
	       (is_path(list, with, count + 1) ||
		(count > 1 && str_is(segments[0], "v1") && is_path(list, segments + 1, count - 1)));
}

/* distance_of: the distance of the path from a template, segment by segment; false: too far. */
static bool distance_of(const char *template, const struct str *segments, size_t count,
			size_t *ret_distance)
{
	struct str rest = str_of(template);
	size_t     sum = 0;

	for (size_t i = 0; i < count; i++) {
		struct str want = next_segment(&rest);
		struct str is = segments[i];
		size_t     distance = 0;

		if (want.n > 0 && want.p[0] == '{' && want.p[want.n - 1] != '}') {
			want = after_colon(want);
			is = after_colon(is);
		}
		if (want.n == 0 || (want.p[0] != '{' && !hint_near(is, want, &distance)))
			return false;
		sum += distance;
	}
	*ret_distance = sum;
	return next_segment(&rest).n == 0;
}

static const char *near_path(struct route_list list, const struct str *segments, size_t count)
{
	const char *near = NULL;
	size_t      best = SIZE_MAX;
	size_t      distance;

	for (const struct route *row = route_first(list); row->name; row = route_after(list, row))
		if (distance_of(row->path, segments, count, &distance) && distance < best) {
			best = distance;
			near = row->path;
		}
	return near;
}

static const struct route_hint *hint_of(const struct route_hint *hints, const struct str *segments,
					size_t count)
{
	struct str params[ROUTE_PARAMS];

	for (const struct route_hint *h = hints; h && h->path; h++)
		if (match_path(h->path, false, segments, count, params) == FIT)
			return h;
	return NULL;
}

/* hint_is_word: whether a hint is about a word of another API in the place of a route's id, and not about the
 * route's own path. */
static bool hint_is_word(const struct route *row, const struct route_hint *hint)
{
	return hint && strchr(row->path, '{') && !strpbrk(hint->path, "{*");
}

static enum errc refuse_unknown(struct route_list list, const struct route_hint *hints,
				const struct str *segments, size_t count, struct err *e)
{
	const struct route_hint *hint = hint_of(hints, segments, count);

	if (hint)
		return err_set(e, ERR_UNKNOWN_URL, "", "unknown URL; %s", hint->use);
	if (count <= SEGMENTS_MAX && without_v1(list, segments, count))
		return err_set(e, ERR_UNKNOWN_URL, "",
			       "unknown URL; the base URL of this API ends in /v1");

	const char *near =
		count > 0 && count <= SEGMENTS_MAX ? near_path(list, segments, count) : NULL;
	if (near)
		return err_set(e, ERR_UNKNOWN_URL, "", "unknown URL; did you mean %s?", near);
	return err_set(e, ERR_UNKNOWN_URL, "", "unknown URL; GET /openapi.yaml lists all routes");
}

enum errc route_match(struct route_list list, const struct route_hint *hints, struct str method,
		      struct str target, char *scratch, struct str params[ROUTE_PARAMS],
		      const struct route **ret, struct err *e)
{
	struct str segments[SEGMENTS_MAX];
	size_t     count = 0;
	enum errc  rc = route_split(route_path_of(target), scratch, segments, &count, e);

	if (rc != ERR_OK)
		return rc;
	if (count > SEGMENTS_MAX)
		return refuse_unknown(list, hints, segments, count, e);

	const struct route *other_method =
		NULL; /* the first row that matches; rows of other methods have the same path */
	bool unknown_verb = false; /* the path is other_method's only with the verb in its name */
	bool verbs = false;
	for (const struct route *row = route_first(list); row->name; row = route_after(list, row)) {
		struct str found[ROUTE_PARAMS] = { { 0 } };

		if (other_method && strcmp(row->path, other_method->path) != 0)
			continue;
		enum route_fit fit =
			match_path(row->path, row->traits & ROUTE_REST, segments, count, found);
		verbs = verbs || fit == FIT_BUT_VERB;
		if (fit != FIT)
			continue;
		if (method_fits(row, method)) {
			memcpy(params, found, sizeof found);
			*ret = row;
			return ERR_OK;
		}
		other_method = row;
		unknown_verb = verbs && !template_verb(row->path).p;
	}
	if (other_method && !unknown_verb &&
	    !hint_is_word(other_method, hint_of(hints, segments, count))) {
		*ret = other_method;
		return err_set(e, ERR_METHOD_NOT_ALLOWED, "", "%s is not allowed on this URL",
			       method.n <= 16 ? method.p : "this method");
	}

	return refuse_unknown(list, hints, segments, count, e);
}

bool route_allow(struct route_list list, const struct route *row, struct buf *out)
{
	for (const struct route *other = route_first(list); other->name;
	     other = route_after(list, other)) {
		if (strcmp(other->path, row->path) != 0)
			continue;
		if (!buf_text(out, other->method) || !buf_text(out, ", ") ||
		    (has_head(other) && !buf_text(out, "HEAD, ")))
			return false;
	}
	return buf_text(out, "OPTIONS");
}

/* verb_is_last: whether a template has a verb nowhere but at its end, and not in its only segment. */
static bool verb_is_last(const char *template)
{
	struct str verb = template_verb(template);

	return !verb.p ||
	       (verb.n > 0 && !memchr(verb.p, '/', verb.n) && !memchr(verb.p, ':', verb.n) &&
		template[0] == '/' && template[1] != '{');
}

enum errc route_check(const struct route *table, struct err *e)
{
	for (const struct route *row = table; row->name; row++) {
		if (row->auth == AUTH_UNSET || row->body == BODY_UNSET || !row->family ||
		    !row->handle || !row->method || !row->path)
			return err_set(e, ERR_INTERNAL, "", "route %s has an empty column",
				       row->name);
		if (!verb_is_last(row->path))
			return err_set(e, ERR_INTERNAL, "", "route %s has a verb within its path",
				       row->name);
		for (const struct route *other = table; other < row; other++)
			if (strcmp(other->path, row->path) == 0 &&
			    strcmp(other->method, row->method) == 0)
				return err_set(e, ERR_INTERNAL, "", "route %s stands twice",
					       row->name);
	}
	return ERR_OK;
}

unsigned route_scopes(const struct route *row)
{
	static const unsigned scopes[AUTH__COUNT] = {
		[AUTH_CHAT] = SCOPE_CHAT,
		[AUTH_READ] = SCOPE_READ,
		[AUTH_EITHER] = SCOPE_CHAT | SCOPE_READ,
		[AUTH_KEY] = SCOPES_ALL,
		[AUTH_FILES] = SCOPE_FILES,
		[AUTH_EXECUTE] = SCOPE_EXECUTE,
		[AUTH_ADMIN] = SCOPE_ADMIN,
		[AUTH_TICKET] = SCOPE_CHAT | SCOPE_READ,
	};

	CHECK((unsigned)row->auth < AUTH__COUNT);
	return scopes[row->auth];
}
