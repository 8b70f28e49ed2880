/* Finds the texts of a request that may have any member. */
#include "run/own_texts.h"

#include "guard/texts.h"
#include "shape/gemini_texts.h"
#include "shape/proto.h"

#include <stdlib.h>

unsigned char *own_texts_find(const struct json_doc *d, json_at request)
{
	unsigned char *kinds = texts_find_asked(d);
	unsigned char *marks = gemini_marks(d, request);

	for (json_at i = 0; kinds && marks && i < d->count; i++) {
		if (kinds[i] == TEXTS_MEDIA && !proto_is(d, i - 1, "thoughtSignature"))
			kinds[i] = TEXTS_TEXT;
		if (marks[i] >= GEMINI_IMAGE && texts_is_signature(json_inner(d, i)))
			kinds[i] = TEXTS_MEDIA;
	}
	if (!marks) {
		free(kinds);
		kinds = NULL;
	}
	free(marks);
	return kinds;
}
