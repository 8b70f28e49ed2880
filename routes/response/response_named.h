/* routes/response/response_named: stored items that the input of a response names by their ids. */
#pragma once

#include "routes/response/response_draft.h"

/* response_named_read: parts of one stored message that follow each other are one message. */
bool response_named_read(struct response_draft *x, json_at item) MUST_USE;
