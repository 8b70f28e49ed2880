/* shape/response_place: the client's own place in errors about a response's request, which is sent
 * to a provider as one of a chat. */
#pragma once

#include "msg/origin.h"

struct err;

/* response_place: struct family's place. */
void response_place(const struct origins *o, struct err *e);
