/* POST /v1/messages/count_tokens: a request of Anthropic's Messages API. */
#include "routes/kit/handlers.h"

#include "routes/messages/token_count.h"
#include "routes/messages/internal.h"
#include "schema/schema.h"
#include "shape/family.h"

static enum errc messages_count_read(struct input *in, struct str *ret_model, bool *ret_local,
				     struct err *e)
{
	struct message_request c = message_request_init;
	enum errc rc = fields_read(&message_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	*ret_model = c.model;
	*ret_local = rc == ERR_OK && message_native_uploads(&in->doc);
	return rc;
}

static enum errc messages_count_head(const struct request *r, struct prompt_native *n,
				     struct err *e)
{
	n->version = request_header(r, family_messages.headers[MESSAGES_VERSION]);
	n->beta = request_header(r, family_messages.headers[MESSAGES_BETA]);
	return message_native_check(n, e);
}

void messages_count_post(struct request *r, void *app)
{
	static const struct token_count_api api = { .family = &family_messages,
						    .takes = PROVIDER_MESSAGES,
						    .before = "\"input_tokens\":",
						    .read = messages_count_read,
						    .head = messages_count_head };

	token_count_serve(r, app, &api, STR_NONE);
}
