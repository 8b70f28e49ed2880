/* schema/rebyte_thread: a thread of Rebyte's that is created. */
#pragma once

#include "json/field.h"

struct rebyte_thread {
	json_at messages; /* array; each as schema/rebyte_message.h */
	json_at metadata; /* object of strings */
};

#define REBYTE_THREAD_INIT \
	((struct rebyte_thread){ .messages = JSON_ABSENT, .metadata = JSON_ABSENT })

extern const struct field_set rebyte_thread_fields;
