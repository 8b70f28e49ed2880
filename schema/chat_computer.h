/* schema/chat_computer: config.computer: the assistant's code is executed. */
#pragma once

#include "json/field.h"

#include <stdint.h>

enum chat_computer_confirm { CHAT_COMPUTER_ASK, CHAT_COMPUTER_NEVER };
extern const char *const chat_computer_confirms[];

enum chat_computer_files {
	CHAT_COMPUTER_PROMPT,
	CHAT_COMPUTER_WORKSPACE,
	CHAT_COMPUTER_BOTH,
};
extern const char *const chat_computer_files[];

struct chat_computer {
	int     confirm;   /* enum chat_computer_confirm */
	json_at languages; /* array of strings */
	int64_t max_steps;
	int     files; /* enum chat_computer_files */
};

#define CHAT_COMPUTER_STEPS 8
#define CHAT_COMPUTER_INIT                                         \
	((struct chat_computer){ .confirm = CHAT_COMPUTER_ASK,     \
				 .languages = JSON_ABSENT,         \
				 .max_steps = CHAT_COMPUTER_STEPS, \
				 .files = CHAT_COMPUTER_PROMPT })

extern const struct field_set chat_computer_fields;
