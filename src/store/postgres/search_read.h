/* search_read: what a failed search says to the client. */
#pragma once

#include "store/postgres/fault.h"

void search_read_refuse(const struct fault *f, struct err *e);
