/* Amazon's errors: an object with a message, whose kind is its status, or its name where a stream has begun.
 * Source: the service model bedrock-runtime, which names a status for each exception. */
#include "provider/bedrock/bedrock.h"

#include "base/limits.h"
#include "provider/openai/openai.h"
#include "provider/secret_mask.h"

#include <strings.h>

enum {
	TOO_LONG = 408, /* the model's own limit of time */
	OF_MODEL = 424, /* the model failed; the request is as good as before */
};

/* The statuses that exceptions have before a stream begins. */
static const struct {
	struct str name;
	int        status;
} exceptions[] = {
	{ { "throttlingException", 19 }, 429 },
	{ { "modelNotReadyException", 22 }, 429 },
	{ { "serviceQuotaExceededException", 29 }, 429 },
	{ { "validationException", 19 }, 400 },
	{ { "accessDeniedException", 21 }, 403 },
	{ { "unrecognizedClientException", 27 }, 401 },
	{ { "expiredTokenException", 21 }, 401 },
	{ { "resourceNotFoundException", 25 }, 404 },
	{ { "modelTimeoutException", 21 }, TOO_LONG },
	{ { "modelErrorException", 19 }, OF_MODEL },
	{ { "modelStreamErrorException", 25 }, OF_MODEL },
	{ { "serviceUnavailableException", 27 }, 503 },
};

bool bedrock_is_fault(struct str name)
{
	return name.n > 0 && name.p[0] == UPSTREAM_FAULT;
}

/* status_of: an exception's status.  Outside of streams, names begin with a capital, and may have their service's
 * before a #. */
static int status_of(struct str name)
{
	const char *mark = name.n > 0 ? memchr(name.p, '#', name.n) : NULL;

	if (mark)
		name = (struct str){ mark + 1, name.n - (size_t)(mark + 1 - name.p) };
	for (size_t i = 0; i < ARRAY_LEN(exceptions); i++)
		if (name.n == exceptions[i].name.n &&
		    strncasecmp(name.p, exceptions[i].name.p, name.n) == 0)
			return exceptions[i].status;
	return 500;
}

/* original_status: what the model's server said, where that is something to wait for; else status. */
static int original_status(const struct json_doc *doc, int status)
{
	int64_t n = decode_count(doc, 0, "originalStatusCode");

	return n == 429 || n == 503 || n == 529 ? (int)n : status;
}

/* body_status: a body may name its exception, which says more than the status. */
static int body_status(const struct decode *d, int status, struct str body)
{
	struct json_doc doc = { 0 };
	struct err      ignored;

	if (json_scan(&doc, body.p ? body.p : "", body.n, &json_limits_upstream, &ignored) ==
		    ERR_OK &&
	    json_kind(&doc, 0) == JSON_OBJECT) {
		struct str type = json_get_inner(&doc, 0, "__type");
		int        named = status_of(type);

		if (type.n > 0 && named != 500)
			status = named;
		if (status == OF_MODEL)
			status = original_status(&doc, status);
	}
	json_doc_finish(&doc);
	(void)d;
	return status;
}

void bedrock_decode_error(const struct decode *d, int status, struct str body, struct err *e)
{
	int  told = body_status(d, status, body);
	char text[sizeof e->text];

	openai_decode_error(d, told == OF_MODEL ? 502 : told, body, e);
	if (told != TOO_LONG)
		return;
	memcpy(text, e->text, sizeof text);
	err_set(e, ERR_UPSTREAM_TIMEOUT, NULL, "%s", text);
	e->upstream_status = status;
}

enum errc bedrock_fault(const struct decode *d, struct str name, struct str data, struct err *e)
{
	bedrock_decode_error(d, status_of((struct str){ name.p + 1, name.n - 1 }), data, e);
	return e->code;
}
