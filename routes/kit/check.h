/* routes/kit/check: rules that more than one request body shares. */
#pragma once

#include "json/scan.h"

/* check_metadata: at most 16 pairs of strings, key up to 64 and value up to 512 characters. */
enum errc check_metadata(const struct json_doc *d, json_at metadata, struct err *e) MUST_USE;
/* check_name: 1 to 64 of A-Z a-z 0-9 _ - (participants and tools). */
bool check_name(struct str name);
/* check_money: a sum of money, a string or a number.  check_money_must: what it must be, for errors. */
enum errc check_money(const struct json_doc *d, json_at value, const char *path, int64_t *ret_nano,
		      struct err *e) MUST_USE;
extern const char check_money_must[];
/* check_path: "messages[3].name" and the like, for e->path. */
void check_path(char ret[160], const char *fmt, ...) PRINTF(2, 3);
/* check_element: the same for an element of a list, without printf, for what every request has. */
void check_element(char ret[160], struct str list, size_t n);

/* --- tokens: a member that is a text, or a list of texts, or one or several texts that the
 * client has already turned into tokens. */

struct tokens_list {
	size_t count;  /* number of texts */
	bool   tokens; /* they are tokens */
};

/* tokens_read: checks the value of the member `key`.
 * Errors: with the path of the culprit. */
enum errc tokens_read(const struct json_doc *d, json_at value, const char *key,
		      struct tokens_list *ret, struct err *e) MUST_USE;
