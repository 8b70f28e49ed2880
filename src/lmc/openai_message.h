/* lmc/openai_message: prints one LMC message in OpenAI's JSON (rules L4 to L8, L16, L17).
 *
 * All functions append to out; false: out is full or memory is short. */
#pragma once

#include "lmc/lmc_message.h"

/* openai_message_content: the message as text, escaped, without quotes; code becomes a fenced
 * block, and output a text by rule L17. */
bool openai_message_content(const struct lmc_message *m, struct buf *out) MUST_USE;
/* openai_message_output: the same for the text of an output, which is escaped already. */
bool openai_message_output(struct str escaped, struct buf *out) MUST_USE;
/* openai_message_parts: the whole message object of an image or audio. */
bool openai_message_parts(const struct lmc_message *m, struct buf *out) MUST_USE;
/* openai_message_function: {"name":…,"arguments":…} of a call; scratch: working memory. */
bool openai_message_function(const struct lmc_message *m, struct buf *scratch,
			     struct buf *out) MUST_USE;
/* openai_message_text: the text, escaped. */
bool openai_message_text(const struct lmc_message *m, struct buf *out) MUST_USE;
