/* routes/kit/tokens: a member that is a text, or a list of texts, or one or several texts that the
 * client has already turned into tokens. */
#pragma once

#include "json/scan.h"

struct tokens_list {
	size_t count;  /* of the texts */
	bool   tokens; /* they are tokens */
};

/* tokens_read: checks the value of the member `key`.
 * Errors: with the path of the culprit. */
enum errc tokens_read(const struct json_doc *d, json_at value, const char *key,
		      struct tokens_list *ret, struct err *e) MUST_USE;
