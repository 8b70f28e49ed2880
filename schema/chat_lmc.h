/* schema/chat_lmc: the lmc object of POST /v1/chat: how LMC's code is translated in both
 * directions. */
#pragma once

#include "json/field.h"

/* In the order of the names in the field table. */
enum chat_lmc_code { CHAT_LMC_CODE_TOOLS, CHAT_LMC_CODE_FENCE, CHAT_LMC_CODE__COUNT };

struct chat_lmc {
	int  code; /* enum chat_lmc_code */
	bool fences;
};

#define CHAT_LMC_INIT ((struct chat_lmc){ .code = CHAT_LMC_CODE_TOOLS, .fences = true })

extern const struct field_set chat_lmc_fields;
