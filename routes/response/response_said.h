/* routes/response/response_said: messages and reasoning in the input of a response. */
#pragma once

#include "routes/response/response_draft.h"

bool response_said_message(struct response_draft *x, json_at item) MUST_USE;
/* response_said_reasoning: reasoning begins the next message of the assistant.  Only a summary, or
 * only the full text, is kept: both say the same. */
bool response_said_reasoning(struct response_draft *x, json_at item) MUST_USE;
