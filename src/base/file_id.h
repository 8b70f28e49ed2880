/* base/file_id: ids of uploaded files, which look like those of OpenAI's API: "file-" and a
 * UUID. */
#pragma once

#include "base/id.h"

enum { FILE_ID_MAX = 48 }; /* "file-", a UUID and a NUL */

/* file_id_text: "file-" and the id as a UUID, into ret. */
struct str file_id_text(struct id id, char ret[FILE_ID_MAX]);
/* file_id_parse: reads such a text, in lower case; bare: "file-" may be missing. */
bool file_id_parse(struct str text, bool bare, struct id *ret);
