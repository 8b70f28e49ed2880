/* routes/response/response_input: the input of a response as messages of a chat. */
#pragma once

#include "json/input.h"
#include "routes/response/response_reading.h"
#include "run/run.h"

/* response_input_read: input: a string, or an array of items.  Sets messages of *ret, and what goes
 * with them: message objects, as they are stored, in the arena of `in`.  Calls that follow each
 * other, or the text of an assistant, are one message; so are items of one stored message that
 * follow each other by their ids (item_reference), and the calls that follow them.
 * Errors: with the path of the culprit, such as input[2].content[0].image_url; OVERLOADED. */
enum errc response_input_read(struct input *in, json_at input, struct response_reading *reading,
			      struct call_request *ret, struct err *e) MUST_USE;
