/* lmc/say: prints the assistant's part of stored LMC messages as chunks of OpenAI's stream
 * (rules S1 to S7), for a complete list. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* say_chunks: messages (an array of LMC messages that L accepts) as chat.completion.chunk objects,
 * appended with commas between them.  id, model: plain text.  False: no memory. */
bool say_chunks(const struct json_doc *d, json_at messages, bool fence, struct str id,
		struct str model, int64_t created_s, struct buf *out) MUST_USE;
