/* A file's id as text, and back. */
#include "base/file_id.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "file-";
enum { PREFIX = sizeof prefix - 1, UUID = 36 };
/* The places of the dashes in a UUID. */
static const unsigned char dashes[] = { 8, 13, 18, 23 };

struct str file_id_text(struct id id, char ret[FILE_ID_MAX])
{
	char hex[ID_MAX];

	id_text(id, "", hex);
	int n = snprintf(ret, FILE_ID_MAX, "%s%.8s-%.4s-%.4s-%.4s-%.12s", prefix, hex, hex + 8,
			 hex + 12, hex + 16, hex + 20);
	return (struct str){ ret, (size_t)n };
}

bool file_id_parse(struct str text, bool bare, struct id *ret)
{
	char   hex[ID_BODY];
	size_t n = 0;
	size_t dash = 0;

	if (text.n == PREFIX + UUID && memcmp(text.p, prefix, PREFIX) == 0)
		text = (struct str){ text.p + PREFIX, UUID };
	else if (!bare || text.n != UUID)
		return false;
	for (size_t i = 0; i < UUID; i++)
		if (dash < sizeof dashes && i == dashes[dash]) {
			dash++;
			if (text.p[i] != '-')
				return false;
		} else {
			hex[n++] = text.p[i];
		}
	return id_parse((struct str){ hex, n }, "", ret);
}
