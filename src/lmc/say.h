/* lmc/say: prints the assistant's part of stored LMC messages as chunks of OpenAI's stream
 * (rules S1 to S7), for a complete list. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* say_chunks: appends chat.completion.chunk objects with commas between them to out.  messages: an
 * array of LMC messages that were checked by the rules L.  fence: code as fenced text, else as tool
 * calls.  id, model: plain text.  False: no memory. */
bool say_chunks(const struct json_doc *d, json_at messages, bool fence, struct str id,
		struct str model, int64_t created_s, struct buf *out) MUST_USE;
