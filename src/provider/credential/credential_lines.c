/* The header lines that a request gets of the keys. */
#include "base/clock.h"
#include "base/limits.h"
#include "provider/credential/over_time.h"
#include "provider/credential/sigv4.h"
#include "provider/dialect.h"

#include <strings.h>

bool credential_hashes(const struct credential *c)
{
	return credential_setup_of(c)->kind == &credential_aws;
}

/* is_signed: the lines that AWS asks for.  What a proxy on the way may change or add stays out. */
static bool is_signed(struct str line)
{
	static const char *const names[] = { "host:", "content-type:", "x-amz-" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (line.n > strlen(names[i]) &&
		    strncasecmp(line.p, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool credential_put_signed(struct buf *out, const char *head)
{
	while (*head) {
		const char *end = strstr(head, "\r\n");
		size_t      n = end ? (size_t)(end - head) : strlen(head);

		if (is_signed((struct str){ head, n }) &&
		    (!buf_add(out, head, n) || !buf_text(out, "\r\n")))
			return false;
		head += n + (end ? 2 : 0);
	}
	return true;
}

static enum errc put_aws(const struct credential_setup *s, const struct credential_keys *keys,
			 const struct dialect_ask *ask, const unsigned char *digest,
			 struct buf *out, struct err *e)
{
	struct sigv4_ask  signs = { .method = ask->method,
				    .url = ask->url,
				    .region = s->o.region,
				    .service = s->o.service,
				    .now_s = clock_wall_ms() / 1000 };
	struct sigv4_keys with = { keys->id, keys->secret, keys->token };
	struct buf        head;

	memcpy(signs.body, digest, HASH_BYTES);
	buf_init(&head, LIMIT_UPSTREAM_HEAD);
	bool ok = credential_put_signed(&head, ask->head);
	signs.head = buf_view(&head);
	ok = ok && sigv4_sign(&signs, &with, out);
	buf_finish(&head);
	return ok ? ERR_OK
		  : err_set(e, ERR_INTERNAL, NULL, "the request for the provider can't be signed");
}

static enum errc put_google(const struct credential_keys *keys, struct buf *out, struct err *e)
{
	bool ok = buf_text(out, "\r\nAuthorization: Bearer ") && buf_text(out, keys->token) &&
		  (!keys->project ||
		   (buf_text(out, "\r\nx-goog-user-project: ") && buf_text(out, keys->project)));

	return ok ? ERR_OK : err_no_memory(e);
}

enum errc credential_lines(const struct credential *c, const struct credential_keys *keys,
			   const struct dialect_ask *ask, const unsigned char *digest,
			   struct buf *out, struct err *e)
{
	return credential_hashes(c) ? put_aws(credential_setup_of(c), keys, ask, digest, out, e)
				    : put_google(keys, out, e);
}

/* is_token_word: whether an exception of AWS, as "ExpiredTokenException" or with a name space before it, is about the keys. */
static bool is_token_word(const struct json_doc *d, json_at at, const char *name)
{
	static const char *const words[] = { "ExpiredTokenException", "ExpiredToken",
					     "UnrecognizedClientException",
					     "InvalidClientTokenId" };
	struct str               word = json_get_inner(d, at, name);
	const char              *hash = word.n > 0 ? memrchr(word.p, '#', word.n) : NULL;

	if (hash)
		word = (struct str){ hash + 1, (size_t)(word.p + word.n - hash - 1) };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

/* is_token_object: the beginning of the message alone: its end may repeat what a client has sent, such as a model's
 * name. */
static bool is_token_object(const struct json_doc *d, json_at at)
{
	static const char *const names[] = { "message", "Message" };
	struct str               said = STR("The security token included in the request is ");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts(json_get_inner(d, at, names[i]), said))
			return true;
	return is_token_word(d, at, "__type") || is_token_word(d, at, "code") ||
	       is_token_word(d, at, "type");
}

/* aws_refuses_keys: Bedrock names the exception in a header, and on some routes in the body; its words are the same
 * everywhere. */
static bool aws_refuses_keys(struct str body)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            refuses = false;

	if (body.n > 0 && json_scan(&d, body.p, body.n, &json_limits_upstream, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_OBJECT) {
		json_at error = json_get(&d, 0, "error");

		refuses = is_token_object(&d, 0) ||
			  (json_is_kind(&d, error, JSON_OBJECT) && is_token_object(&d, error));
	}
	json_doc_finish(&d);
	return refuses;
}

bool credential_is_refusal(const struct credential *c, int status, struct str body)
{
	if (!credential_hashes(c))
		return status == 401;
	return (status == 403 || status == 401) && aws_refuses_keys(body);
}
