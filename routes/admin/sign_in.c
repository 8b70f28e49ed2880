/* How people sign in at an issuer: which there are, and the exchange of a code for a token.
 *
 * The page is the public client: it makes the verifier, and exchanges the token for a session as it would a key.  The
 * gateway carries the code to the issuer, so that the page needs no connection but the one to its own origin. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "base/log.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/input.h"
#include "routes/kit/gateway.h"
#include "schema/schema.h"
#include "token/tokens.h"
#include "upstream/upstream.h"

#include <stdlib.h>

#define SIGN_IN_SECOND_US ((int64_t)1000000)

enum { AT_ONCE = 16 }; /* codes that a loop carries at a time: whoever sends them needs no key */

static const struct upstream_limits limits = {
	.first_byte_us = 10 * SIGN_IN_SECOND_US,
	.idle_us = 5 * SIGN_IN_SECOND_US,
	.total_us = 15 * SIGN_IN_SECOND_US,
};

/* --- the list --- */

static bool sign_in_print(const struct tokens *t, struct buf *out)
{
	struct token_sign_in s;
	bool                 ok = buf_text(out, "{\"object\":\"list\",\"data\":["), any = false;

	for (size_t i = 0; t && ok && tokens_issuers(t, i); i++) {
		if (!tokens_sign_in(t, i, &s))
			continue;
		ok = buf_text(out, any ? ",{\"object\":\"issuer\",\"issuer\":"
				       : "{\"object\":\"issuer\",\"issuer\":") &&
		     buf_json_string(out, str_of(s.issuer)) && buf_text(out, ",\"client_id\":") &&
		     buf_json_string(out, str_of(s.client_id)) && buf_text(out, ",\"scope\":") &&
		     buf_json_string(out, str_of(s.scope)) && buf_text(out, ",\"resource\":") &&
		     (s.resource ? buf_json_string(out, str_of(s.resource))
				 : buf_text(out, "null")) &&
		     buf_text(out, ",\"authorization_endpoint\":") &&
		     buf_json_string(out, str_of(s.at.authorize)) &&
		     buf_text(out, s.needs_iss ? ",\"needs_iss\":true}" : ",\"needs_iss\":false}");
		any = true;
	}
	return ok && buf_text(out, "]}");
}

void sign_in_list(struct request *r, void *app)
{
	const struct gateway *g = app;
	struct buf            body;

	buf_init(&body, MIB);
	if (!sign_in_print(g->now->tokens, &body))
		buf_clear(&body); /* told as a lack of memory */
	reply_json_take(r, 200, &body);
}

/* --- the exchange --- */

struct exchange_code {
	struct gateway         *gateway;
	struct request         *request; /* NULL: the client left */
	struct upstream_target *target;  /* owned */
	struct upstream_call   *call;
	struct buf              form; /* the request's body */
	struct buf              body;
	int                     status;
};

static void sign_in_free(struct exchange_code *x)
{
	x->gateway->sign_ins--;
	upstream_target_destroy(x->target);
	if (x->form.data)
		explicit_bzero(x->form.data, x->form.len);
	if (x->body.data)
		explicit_bzero(x->body.data, x->body.len);
	buf_finish(&x->form);
	buf_finish(&x->body);
	free(x);
}

/* sign_in_token: prints the answer to out; false: the issuer's has no access token. */
static bool sign_in_token(const struct exchange_code *x, struct buf *out)
{
	struct json_doc d = { 0 };
	bool            ok = jwt_json(&d, buf_view(&x->body));
	json_at         token = ok ? json_get(&d, 0, "access_token") : JSON_ABSENT;

	ok = json_is_kind(&d, token, JSON_STRING) &&
	     buf_text(out, "{\"object\":\"sign_in\",\"token\":") &&
	     buf_str(out, json_raw(&d, token)) && buf_text(out, "}");
	json_doc_finish(&d);
	return ok;
}

/* sign_in_answer: the issuer's words stay in the log: who asks here may be anybody. */
static void sign_in_answer(struct exchange_code *x, const struct err *e)
{
	struct buf out;

	buf_init(&out, LIMIT_JWKS);
	if (e->code == ERR_OK && x->status == 200 && sign_in_token(x, &out)) {
		reply_json_take(x->request, 200, &out);
		return;
	}
	buf_finish(&out);
	if (e->code == ERR_OK && x->status >= 400 && x->status < 500) {
		reply_refuse(x->request, ERR_INVALID_TOKEN, "code",
			     "the issuer does not accept this code");
		return;
	}
	log_note(LOG_WARN, "sign_in", "an issuer gives no token for a code: %s, status %d",
		 e->code == ERR_OK ? "no access_token" : err_code_wire(e->code), x->status);
	reply_refuse(x->request, ERR_TOKEN_KEYS, "",
		     "the issuer can't be asked at present; sign in again");
}

static void sign_in_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	(void)content_type;
	(void)retry_after_ms;
	((struct exchange_code *)arg)->status = status;
}

static bool sign_in_on_data(void *arg, const char *bytes, size_t len)
{
	return buf_add(&((struct exchange_code *)arg)->body, bytes, len);
}

static void sign_in_on_done(void *arg, const struct err *e)
{
	struct exchange_code *x = arg;

	sign_in_answer(x, e);
	sign_in_free(x);
}

static void sign_in_on_left(void *arg)
{
	struct exchange_code *x = arg;

	upstream_cancel(x->call);
	sign_in_free(x);
}

/* form_put: one pair of application/x-www-form-urlencoded; the value as RFC 3986 percent-encodes it. */
static bool form_put(struct buf *out, const char *name, struct str value)
{
	static const char hex[] = "0123456789ABCDEF";
	bool              ok =
		buf_text(out, out->len > 0 ? "&" : "") && buf_text(out, name) && buf_text(out, "=");

	for (size_t i = 0; ok && i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];
		const char    escaped[] = { '%', hex[c >> 4], hex[c & 15] };
		bool          plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || (c && strchr("-._~", c));

		ok = buf_add(out, plain ? value.p + i : escaped, plain ? 1 : sizeof escaped);
	}
	return ok;
}

static enum errc sign_in_send(struct exchange_code *x, const struct token_sign_in *s,
			      const struct sign_in *b, struct err *e)
{
	static const char *const lines[] = { "Content-Type: application/x-www-form-urlencoded" };
	static const struct upstream_callbacks callbacks = { sign_in_on_head, sign_in_on_data,
							     sign_in_on_done };

	if (!form_put(&x->form, "grant_type", STR("authorization_code")) ||
	    !form_put(&x->form, "client_id", str_of(s->client_id)) ||
	    !form_put(&x->form, "code", b->code) ||
	    !form_put(&x->form, "code_verifier", b->code_verifier) ||
	    !form_put(&x->form, "redirect_uri", b->redirect_uri) ||
	    (s->resource && !form_put(&x->form, "resource", str_of(s->resource))))
		return err_no_memory(e);
	enum errc rc = upstream_target_create(
		&(struct upstream_target_options){ .url = s->at.token,
						   .headers = lines,
						   .header_count = 1,
						   .ca_file = s->ca_file,
						   .connect_us = 5 * SIGN_IN_SECOND_US },
		&x->target, e);
	if (rc == ERR_OK)
		rc = upstream_start(x->gateway->upstreams, x->target,
				    &(struct upstream_ask){ .body = buf_view(&x->form) }, &limits,
				    &callbacks, x, &x->call, e);
	return rc == ERR_OK ? rc : err_set(e, ERR_TOKEN_KEYS, "", "the issuer can't be asked");
}

/* find_sign_in: the entry for people of an issuer. */
static bool find_sign_in(const struct tokens *t, struct str issuer, struct token_sign_in *ret)
{
	for (size_t i = 0; t && tokens_issuers(t, i); i++)
		if (tokens_sign_in(t, i, ret) && str_is(issuer, ret->issuer))
			return true;
	return false;
}

static enum errc sign_in_begin(struct request *r, struct gateway *g, const struct sign_in *b,
			       struct err *e)
{
	struct token_sign_in s;

	if (!find_sign_in(g->now->tokens, b->issuer, &s))
		return err_set(e, ERR_NOT_FOUND, "issuer",
			       "there is no such issuer, or its addresses are not known yet");
	if (g->sign_ins >= AT_ONCE)
		return err_set(e, ERR_OVERLOADED, "", "too many people sign in; try again");

	struct exchange_code *x = calloc(1, sizeof *x);
	if (!x)
		return err_no_memory(e);
	g->sign_ins++;
	x->gateway = g;
	x->request = r;
	buf_init(&x->form, 32 * KIB);
	buf_init(&x->body, LIMIT_JWKS);
	enum errc rc = sign_in_send(x, &s, b, e);
	if (rc == ERR_OK)
		request_on_left(r, sign_in_on_left, x);
	else
		sign_in_free(x);
	return rc;
}

void sign_in_post(struct request *r, void *app)
{
	struct input  *in = request_input_take(r);
	struct sign_in b = sign_in_init;
	struct err     e;
	enum errc      rc = fields_read(&sign_in_fields, &in->doc, 0, "", &in->arena, &b, &e);

	if (rc == ERR_OK)
		rc = sign_in_begin(r, app, &b, &e);
	input_destroy(in);
	if (rc != ERR_OK)
		reply_error(r, &e);
}
