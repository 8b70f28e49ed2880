/* shape/response_stream: the encoder of OpenAI's Responses API: events with a sequence_number, and
 * the response object for a plain answer. */
#pragma once

#include "shape/encoder.h"

struct encoder *response_stream_create(const struct encoder_about *about);
/* response_stream_cursor: reads starting_after, the sequence_number of the last event that a client
 * has; false: text is no such number. */
bool response_stream_cursor(struct str text, struct cursor *ret);
