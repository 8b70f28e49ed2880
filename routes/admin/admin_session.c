/* Makes the next token of a session, or the first one; and ends sessions. */
#include "routes/kit/handlers.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/identity.h"
#include "base/limits.h"
#include "desk/ticket.h"
#include "http/reply.h"
#include "json/value.h"
#include "routes/admin/api_key_body.h"
#include "routes/kit/lookup.h"
#include "schema/schema.h"
#include "store/api_key.h"
#include "store/key_ring.h"

#include <string.h>

/* --- making tokens --- */

/* wish: the token that is asked for. */
struct wish {
	struct id session;
	unsigned  scopes;
	bool      keep; /* a new session is kept */
};

struct making {
	struct lookup        lookup;
	struct api_keys_read read;
	struct wish          wish;
};

/* ends_with_token: the session of a token of an issuer lives as long as the token: nothing tells later how long that was,
 * so its own first token does. */
static void ends_with_token(struct session_token *t, const struct identity *who)
{
	if (who->until_ms == 0)
		return;
	t->until_s = t->ends_s;
	session_token_limit(t, who->until_ms / 1000);
}

static struct session_token token_of(const struct caller *by, const struct wish *w)
{
	int64_t              now_s = clock_wall_ms() / 1000;
	char                 name[TICKET_WHO];
	struct session_token t;

	if (!id_none(by->session.id)) {
		t = session_token_renew(&by->session, w->scopes, now_s);
	} else {
		ticket_who(by->who, name);
		t = session_token_begin(name, w->scopes, w->keep, now_s);
		t.id = w->session;
	}
	ends_with_token(&t, by->who);
	return t;
}

/* session_name: what people call the holder; k is NULL without a stored key. */
static struct value *session_name(const struct identity *who, const struct store_api_key *k)
{
	struct str name = k ? k->name : who->name;

	return k || name.n > 0 ? value_string(name) : value_null();
}

/* session_put: k is NULL for a key of the configuration. */
static bool session_put(const struct gateway *g, const struct caller *by, const struct wish *w,
			const struct store_api_key *k, struct buf *out)
{
	struct session_token t = token_of(by, w);
	unsigned char        signing[HASH_BYTES];
	char                 text[SESSION_TOKEN_MAX];
	char                 id[ID_MAX];

	if (k && k->expires_ms > 0)
		session_token_limit(&t, k->expires_ms / 1000);
	key_ring_signing(g->store->ring, signing);
	session_token_print(&t, by->who->name, signing, by->sha256, text);
	struct value *v = VALUE_OBJECT(
		{ "object", value_text_of("session") },
		{ "id", value_string(id_text(t.id, ID_SESSION, id)) },
		{ "token", value_text_of(text) }, { "expires_at", value_int(t.until_s) },
		{ "ends_at", value_int(t.ends_s) }, { "key", value_text_of(by->who->id) },
		{ "name", session_name(by->who, k) }, { "scopes", api_key_scopes(w->scopes) });
	bool ok = value_print(v, out);

	value_destroy(v);
	explicit_bzero(text, sizeof text);
	explicit_bzero(signing, sizeof signing);
	return ok;
}

static bool session_print_made(struct lookup *l, struct buf *out)
{
	const struct making *x = container_of(l, struct making, lookup);

	return session_put(l->gateway, &request_view(l->request)->by, &x->wish, x->read.keys, out);
}

static const struct lookup_kind making_kind = { LOOKUP(struct making, read),
						LOOKUP_ARENA(struct making, read.arena, MIB),
						.print = session_print_made };

/* read_wish: the scopes that the body asks for, if the caller has them; without a word, all that it has. */
static enum errc read_wish(struct request *r, struct wish *ret, struct err *e)
{
	struct session_create b = session_create_init;
	struct input         *in = request_input_take(r);
	const struct caller  *by = &request_view(r)->by;
	unsigned              has = by->scopes;
	unsigned              scopes = has;
	enum errc rc = fields_read(&session_create_fields, &in->doc, 0, "", &in->arena, &b, e);

	if (rc == ERR_OK && b.scopes != JSON_ABSENT)
		rc = api_key_body_scopes(in, b.scopes, &scopes, e);
	input_destroy(in);
	for (unsigned i = 0; rc == ERR_OK && i < SCOPE_COUNT; i++)
		if (scopes & ~has & 1u << i)
			rc = err_set(
				e, ERR_INSUFFICIENT_SCOPE, "scopes",
				"the session can't have the scope %s: its key, or the token of this "
				"request, does not",
				scope_name(i));
	/* Else who has got hold of an hour's token would have a month's. */
	if (rc == ERR_OK && b.keep && !id_none(by->session.id) && !by->session.kept)
		rc = err_set(e, ERR_INVALID_VALUE, "keep",
			     "a session is kept from its beginning; begin another one with the "
			     "API key");
	if (rc == ERR_OK) {
		ret->scopes = scopes;
		ret->keep = b.keep;
	}
	return rc;
}

static void answer_at_once(struct request *r, const struct gateway *g, const struct wish *w)
{
	struct buf body;

	buf_init(&body, MIB);
	if (!session_put(g, &request_view(r)->by, w, NULL, &body))
		buf_clear(&body); /* told as a lack of memory */
	reply_json_take(r, 200, &body);
}

/* has_key: a gateway without keys has nothing to exchange. */
static bool has_key(struct request *r)
{
	if (request_view(r)->by.who->id[0])
		return true;
	reply_refuse(r, ERR_BAD_REQUEST, "",
		     "this gateway has no API keys, so that no session can begin or end");
	return false;
}

static void session_answer(struct request *r, struct gateway *g, const struct wish *w)
{
	struct str id;

	if (request_view(r)->by.who->number == 0 ||
	    !api_key_id(str_of(request_view(r)->by.who->id), &id)) {
		answer_at_once(r, g, w);
		return;
	}
	struct making *x = lookup_make(&making_kind, r, g);
	if (!x)
		return;
	x->wish = *w;
	x->read.limit = 1;
	str_copy(x->read.id, sizeof x->read.id, id);
	lookup_start(&x->lookup, store_api_keys_read(g->store, &x->read));
}

/* beginning: a token is not stored, so the beginning of its session is noted before it is told. */
struct beginning {
	struct lookup      lookup;
	struct audit_write write;
	struct audit_entry entry;
	struct wish        wish;
};

static enum errc session_began(struct lookup *l, struct err *e)
{
	const struct beginning *x = container_of(l, struct beginning, lookup);
	struct request         *r = l->request;

	(void)e;
	l->request = NULL;
	session_answer(r, l->gateway, &x->wish);
	return ERR_OK;
}

static const struct lookup_kind beginning_kind = { LOOKUP(struct beginning, write),
						   .came = session_began };

void session_create_post(struct request *r, void *app)
{
	struct gateway             *g = app;
	const struct session_token *t = &request_view(r)->by.session;
	struct wish                 wish = { .session = t->id };
	char                        id[ID_MAX];
	struct err                  e;

	if (!has_key(r))
		return;
	if (read_wish(r, &wish, &e) != ERR_OK) {
		reply_error(r, &e);
		return;
	}
	if (!id_none(t->id)) {
		session_answer(r, g, &wish);
		return;
	}
	struct beginning *x = lookup_make(&beginning_kind, r, g);
	if (!x)
		return;
	wish.session = id_new();
	x->wish = wish;
	lookup_audit(&x->lookup, AUDIT_SESSION_BEGIN, id_text(x->wish.session, ID_SESSION, id),
		     &x->entry);
	lookup_start(&x->lookup, store_audit_write(g->store, &x->write));
}

/* --- ending --- */

struct ending {
	struct lookup      lookup;
	struct sign_out    write;
	struct audit_entry entry;
	char               key[SESSION_TOKEN_KEY];
};

static bool print_ended(struct lookup *l, struct buf *out)
{
	char id[ID_MAX];

	id_text(container_of(l, struct ending, lookup)->write.session, ID_SESSION, id);
	return buf_fmt(out, "{\"id\":\"%s\",\"object\":\"session\",\"deleted\":true}", id);
}

static const struct lookup_kind ending_kind = { LOOKUP(struct ending, write),
						.print = print_ended };

void session_delete(struct request *r, void *app)
{
	struct gateway             *g = app;
	const struct session_token *t = &request_view(r)->by.session;
	char                        id[ID_MAX];

	if (!has_key(r))
		return;
	if (id_none(t->id)) {
		reply_refuse(r, ERR_BAD_REQUEST, "",
			     "an API key has no session to end; send the token of the session");
		return;
	}
	struct ending *x = lookup_make(&ending_kind, r, g);
	if (!x)
		return;
	memcpy(x->key, t->key, sizeof x->key);
	x->write.session = t->id;
	x->write.key = x->key;
	x->write.now_ms = clock_wall_ms();
	x->write.ends_ms = t->ends_s * 1000;
	lookup_audit(&x->lookup, AUDIT_SESSION_END, id_text(t->id, ID_SESSION, id), &x->entry);
	lookup_start(&x->lookup, store_sign_out(g->store, &x->write));
}

/* --- me: The key as the gateway knows it; the name and the end of a stored key are read from the store. */

struct me {
	struct lookup        lookup;
	struct api_keys_read read;
};

static struct value *me_models(const struct identity *who)
{
	struct value *list = who->model_count > 0 ? value_array() : value_null();

	for (size_t i = 0; list && i < who->model_count; i++)
		if (who->models[i].n > 0 && !value_push_take(list, value_string(who->models[i]))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

static struct value *me_group(const struct identity_group *g)
{
	return VALUE_OBJECT({ "id", value_text_of(g->id) },
			    { "limits", allowance_body_limits_value(&g->allowance) },
			    { "budget", allowance_body_budget_value(&g->allowance) });
}

static struct value *me_tags(const struct usage_tag_names *n)
{
	struct value *list = value_array();

	for (size_t i = 0; list && i < n->count; i++)
		if (!value_push_take(list, value_text_of(n->names[i]))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

/* put: k is NULL for callers without a stored key. */
static bool me_put(const struct request *r, const struct gateway *g, const struct store_api_key *k,
		   struct buf *out)
{
	const struct identity *who = request_view(r)->by.who;
	int64_t                ends_ms = k ? k->expires_ms : who->until_ms;
	struct value          *v = VALUE_OBJECT(
			 { "object", value_text_of("me") },
			 { "id", who->id[0] ? value_text_of(who->id) : value_null() },
			 { "name", session_name(who, k) },
			 { "owner", value_fmt("%lld", (long long)who->owner) },
			 { "scopes", api_key_scopes(request_view(r)->by.scopes) },
			 { "models", me_models(who) },
			 { "group", who->group ? me_group(who->group) : value_null() },
			 { "expires_at", ends_ms > 0 ? value_int(ends_ms / 1000) : value_null() },
			 { "limits", allowance_body_limits_value(&who->allowance) },
			 { "budget", allowance_body_budget_value(&who->allowance) },
			 { "cache", value_bool(who->caches) },
			 { "currency", value_text_of(g->now->currency) },
			 { "usage_tags", me_tags(&g->now->usage_tags) });
	bool ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static bool me_print(struct lookup *l, struct buf *out)
{
	return me_put(l->request, l->gateway, container_of(l, struct me, lookup)->read.keys, out);
}

static const struct lookup_kind me_kind = { LOOKUP(struct me, read),
					    LOOKUP_ARENA(struct me, read.arena, MIB),
					    .print = me_print };

static void me_answer(struct request *r, const struct gateway *g)
{
	struct buf body;

	buf_init(&body, MIB);
	if (!me_put(r, g, NULL, &body))
		buf_clear(&body); /* told as a lack of memory */
	reply_json_take(r, 200, &body);
}

void me_get(struct request *r, void *app)
{
	struct gateway        *g = app;
	const struct identity *who = request_view(r)->by.who;
	struct str             id;

	if (who->number == 0 || !api_key_id(str_of(who->id), &id)) {
		me_answer(r, g);
		return;
	}
	struct me *x = lookup_make(&me_kind, r, g);
	if (!x)
		return;
	x->read.limit = 1;
	str_copy(x->read.id, sizeof x->read.id, id);
	lookup_start(&x->lookup, store_api_keys_read(g->store, &x->read));
}
