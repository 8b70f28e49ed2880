/* The field table of chat_computer.json. */
#include "schema/chat_computer.h"

#include "base/limits.h"

const char *const chat_computer_confirms[] = { "ask", "never", NULL };
const char *const chat_computer_files[] = { "prompt", "workspace", "both", NULL };

#define AT(m) offsetof(struct chat_computer, m)
static const struct field rows[] = {
	{ "confirm", FIELD_ENUM, false, 0, 0, AT(confirm), chat_computer_confirms },
	{ "languages", FIELD_ARRAY, false, 1, LIMIT_COMPUTER_LANGUAGES, AT(languages), NULL },
	{ "max_steps", FIELD_INT, false, 1, LIMIT_COMPUTER_STEPS, AT(max_steps), NULL },
	{ "files", FIELD_ENUM, false, 0, 0, AT(files), chat_computer_files },
};
#undef AT

const struct field_set chat_computer_fields = FIELD_SET("chat_computer", rows);
