/* Finds names of functions in requests and answers, and replaces them. */
#include "provider/remote.h"

#include "base/hash.h"
#include "base/limits.h"
#include "json/member.h"
#include "json/scan.h"
#include "provider/ask_param.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAME_MAX_BYTES = 64,
	NAME_HASH = 16, /* hexadecimal digits of the hash in a short name */
	NAME_HEAD = NAME_MAX_BYTES - NAME_HASH - 1,
};

struct name {
	char       brief[NAME_MAX_BYTES + 1];
	struct str full; /* escaped; in the arena */
};

struct names {
	struct arena    arena;
	struct name    *list;
	size_t          count;
	struct json_doc doc; /* working memory of names_restore */
	struct buf      text;
};

/* --- one name --- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static bool names_fits(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_letter(name.p[i]))
			return false;
	return name.n <= NAME_MAX_BYTES;
}

/* make_brief: of an escaped name. */
static void make_brief(struct str name, char ret[NAME_MAX_BYTES + 1])
{
	unsigned char digest[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	size_t        n = name.n < NAME_HEAD ? name.n : NAME_HEAD;

	for (size_t i = 0; i < n; i++)
		ret[i] = is_letter(name.p[i]) ? name.p[i] : '_';
	hash_sha256(name.p, name.n, digest);
	hash_hex(digest, sizeof digest, hex);
	ret[n] = '_';
	memcpy(ret + n + 1, hex, NAME_HASH);
	ret[n + 1 + NAME_HASH] = '\0';
}

/* may_have: a quick look for a member "name" whose string is too long, or has another character. */
static bool names_may_have(struct str json)
{
	static const char key[] = "\"name\"";
	const char       *at = json.p;
	const char       *end;

	if (json.n == 0)
		return false;
	end = json.p + json.n;
	while ((at = memmem(at, (size_t)(end - at), key, sizeof key - 1))) {
		size_t n = 0;

		at += sizeof key - 1;
		while (at < end &&
		       (*at == ' ' || *at == ':' || *at == '\n' || *at == '\t' || *at == '\r'))
			at++;
		if (at == end || *at != '"')
			continue;
		at++;
		while (at + n < end && is_letter(at[n]))
			n++;
		if (n > NAME_MAX_BYTES || at + n == end || at[n] != '"')
			return true;
	}
	return false;
}

/* --- names in JSON --- */

/* The replacement of names: by names_brief or, if of is set, by its table read backwards. */
struct replacing {
	const struct names    *of;
	const struct json_doc *d;
	size_t                 at; /* up to which the text was copied */
	struct buf            *out;
	bool                   ok;
};

/* name_in: the name of a tool, a call or a choice; object may be the root. */
static json_at name_in(const struct json_doc *d, json_at object)
{
	json_at f = json_get(d, object, "function");

	if (f == JSON_ABSENT)
		f = json_get(d, object, "custom");
	if (!json_is_kind(d, f, JSON_OBJECT))
		return JSON_ABSENT;
	json_at name = json_get(d, f, "name");
	return json_is_kind(d, name, JSON_STRING) ? name : JSON_ABSENT;
}

static struct str names_full(const struct names *n, struct str brief)
{
	for (size_t i = 0; i < n->count; i++)
		if (str_is(brief, n->list[i].brief))
			return n->list[i].full;
	return STR_NONE;
}

static void names_replace(struct replacing *x, json_at name)
{
	char       made[NAME_MAX_BYTES + 1];
	struct str own = json_inner_of(x->d, name);
	struct str other = STR_NONE;

	if (own.n > 0 && x->of) {
		other = names_full(x->of, own);
	} else if (own.n > 0 && !names_fits(own)) {
		make_brief(own, made);
		other = str_of(made);
	}
	if (other.n == 0)
		return;
	size_t from = x->d->tok[name].at;
	x->ok = x->ok && buf_add(x->out, x->d->text + x->at, from - x->at) &&
		buf_text(x->out, "\"") && buf_str(x->out, other) && buf_text(x->out, "\"");
	x->at = from + x->d->tok[name].len;
}

static void names_replace_each(struct replacing *x, json_at list)
{
	if (json_kind(x->d, list) != JSON_ARRAY)
		return;
	JSON_EACH (i, x->d, list)
		names_replace(x, name_in(x->d, i));
}

/* names_replace_some: the names in the list of this key, if there is one. */
static void names_replace_some(struct replacing *x, json_at object, const char *key)
{
	json_at list = json_get(x->d, object, key);

	if (list != JSON_ABSENT)
		names_replace_each(x, list);
}

/* replace_all: the names in a list of tools, in a choice, or in a message. */
static bool replace_all(const struct names *of, const struct json_doc *d, struct buf *out)
{
	struct replacing x = { .of = of, .d = d, .out = out, .ok = true };
	names_replace_each(&x, 0);
	if (json_kind(d, 0) == JSON_OBJECT) {
		json_at role = json_get(d, 0, "role");
		json_at allowed = json_get(d, 0, "allowed_tools");

		names_replace(&x, name_in(d, 0));
		if (json_is_kind(d, allowed, JSON_OBJECT))
			names_replace_some(&x, allowed, "tools");
		names_replace_some(&x, 0, "tool_calls");
		if (role != JSON_ABSENT && json_is(d, role, "tool"))
			names_replace(&x, json_get(d, 0, "name"));
	}
	return x.ok && buf_add(out, d->text + x.at, d->len - x.at);
}

/* --- requests --- */

/* names_made: a copy of raw JSON with short names. */
static struct str names_made(struct str raw, struct arena *a, struct json_doc *d, const char *key)
{
	struct buf out;
	struct err ignored;

	if (json_scan(d, raw.p, raw.n, &json_limits_stored, &ignored) != ERR_OK)
		return key ? STR_NONE : raw; /* the dialect tells what is wrong */
	buf_init(&out, LIMIT_UPSTREAM_ASK);
	bool       ok = (!key || buf_fmt(&out, "\"%s\":", key)) && replace_all(NULL, d, &out);
	struct str made = ok ? arena_str(a, buf_view(&out)) : STR_NONE;
	buf_finish(&out);
	return made;
}

static enum errc shorten_members(struct prompt *p, struct arena *a, struct json_doc *d,
				 struct err *e)
{
	static const char *const keys[] = { "tools", "tool_choice" };
	struct str              *list = NULL;

	for (size_t i = 0; i < p->member_count; i++)
		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			struct str value = json_member_value(p->members[i]);

			if (!json_member_is(p->members[i], str_of(keys[k])) ||
			    !names_may_have(value))
				continue;
			if (!list) {
				list = arena_alloc(a, p->member_count * sizeof *list);
				if (!list)
					return err_no_memory(e);
				memcpy(list, p->members, p->member_count * sizeof *list);
			}
			struct str made = names_made(value, a, d, keys[k]);
			if (!made.p)
				return err_no_memory(e);
			list[i] = made;
		}
	if (list)
		p->members = list;
	return ERR_OK;
}

/* has_name: messages of the user and of the system have no calls. */
static bool has_name(struct str message)
{
	return !str_starts(message, STR("{\"role\":\"user\"")) &&
	       !str_starts(message, STR("{\"role\":\"system\"")) && names_may_have(message);
}

static enum errc shorten_messages(struct prompt *p, struct arena *a, struct json_doc *d,
				  struct err *e)
{
	struct str *list = NULL;

	for (size_t i = 0; i < p->message_count; i++) {
		if (!has_name(p->messages[i]))
			continue;
		if (!list) {
			list = arena_alloc(a, p->message_count * sizeof *list);
			if (!list)
				return err_no_memory(e);
			memcpy(list, p->messages, p->message_count * sizeof *list);
		}
		list[i] = names_made(p->messages[i], a, d, NULL);
		if (!list[i].p)
			return err_no_memory(e);
	}
	if (list)
		p->messages = list;
	return ERR_OK;
}

enum errc names_shorten(struct prompt *p, struct arena *a, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = shorten_members(p, a, &d, e);

	if (rc == ERR_OK)
		rc = shorten_messages(p, a, &d, e);
	json_doc_finish(&d);
	return rc;
}

/* --- answers --- */

static enum errc names_read_list(struct names *n, const struct json_doc *d, struct err *e)
{
	n->list = arena_alloc(&n->arena, d->tok[0].count * sizeof *n->list + 1);
	if (!n->list)
		return err_no_memory(e);
	JSON_EACH (i, d, 0) {
		struct str name = json_inner_of(d, name_in(d, i));

		if (name.n == 0 || names_fits(name))
			continue;
		make_brief(name, n->list[n->count].brief);
		n->list[n->count].full = arena_str(&n->arena, name);
		if (!n->list[n->count++].full.p)
			return err_no_memory(e);
	}
	return ERR_OK;
}

enum errc names_read(const struct prompt *p, struct names **ret, struct err *e)
{
	struct str tools = ask_param_value(p, "tools");
	enum errc  rc = ERR_OK;

	*ret = NULL;
	if (!names_may_have(tools))
		return ERR_OK;
	struct names *n = calloc(1, sizeof *n);
	if (!n)
		return err_no_memory(e);
	arena_init(&n->arena, LIMIT_UPSTREAM_ASK);
	buf_init(&n->text, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	if (json_scan(&n->doc, tools.p, tools.n, &json_limits_stored, e) == ERR_OK &&
	    json_kind(&n->doc, 0) == JSON_ARRAY)
		rc = names_read_list(n, &n->doc, e);
	if (rc == ERR_OK && n->count > 0)
		*ret = TAKE(n);
	names_free(n);
	return rc;
}

bool names_restore(struct names *n, struct event *ev, bool *ret_starved)
{
	struct err ignored;
	struct str full;

	*ret_starved = false;
	if (ev->kind == EVENT_OTHER && ev->name.n == 0)
		return false;
	ev->raw = ev->raw_usage = ev->raw_role = ev->raw_id = ev->raw_created = STR_NONE;
	ev->cont = ev->numbered = ev->raw_only_usage = false;
	ev->give = NULL;
	if (ev->kind == EVENT_TOOL_START) {
		full = names_full(n, ev->name);
		ev->name = full.n > 0 ? full : ev->name;
	} else if (ev->kind == EVENT_MESSAGE &&
		   json_scan(&n->doc, ev->text.p, ev->text.n, &json_limits_upstream, &ignored) ==
			   ERR_OK) {
		buf_clear(&n->text);
		*ret_starved = !replace_all(n, &n->doc, &n->text);
		ev->text = buf_view(&n->text);
	}
	return !*ret_starved;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	arena_finish(&n->arena);
	json_doc_finish(&n->doc);
	buf_finish(&n->text);
	free(n);
}
