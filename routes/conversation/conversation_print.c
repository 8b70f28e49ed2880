/* Prints the conversation object of OpenAI's API, with its title if there is one. */
#include "routes/conversation/items.h"
#include "store/conversation.h"

bool conversation_print(struct buf *out, const struct store_conversation *c)
{
	char id[ID_MAX];

	id_text(c->id, ID_CONVERSATION, id);
	if (!buf_fmt(out,
		     "{\"id\":\"%s\",\"object\":\"conversation\",\"created_at\":%lld,\"metadata\":",
		     id, (long long)(c->created_ms / 1000)) ||
	    !buf_str(out, c->metadata.n ? c->metadata : STR("{}")))
		return false;
	if (c->title.n > 0 && (!buf_text(out, ",\"title\":") || !buf_json_string(out, c->title)))
		return false;
	return buf_text(out, "}");
}
