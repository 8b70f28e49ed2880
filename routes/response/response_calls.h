/* routes/response/response_calls: calls and their results in the input of a response. */
#pragma once

#include "routes/response/response_draft.h"

/* response_calls_read: a call of a function, or of a custom tool, which is a function with one text
 * to the provider.  response_calls_result: the result of either. */
bool response_calls_read(struct response_draft *x, json_at item, bool custom) MUST_USE;
bool response_calls_result(struct response_draft *x, json_at item) MUST_USE;
