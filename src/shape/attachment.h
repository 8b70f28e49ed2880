/* shape/attachment: the kind of an uploaded file: text, or one of the media that OpenAI's
 * content parts know. The content decides; the media type only where the content does not. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

enum attachment_kind {
	ATTACHMENT_TEXT,  /* UTF-8 without NUL */
	ATTACHMENT_IMAGE, /* format: png, jpeg, gif or webp */
	ATTACHMENT_AUDIO, /* format: wav or mp3 */
	ATTACHMENT_PDF,
	ATTACHMENT__COUNT
};

struct attachment {
	enum attachment_kind kind;
	const char          *format; /* as above; "": the kind has only one format */
};

/* attachment_tell: finds the kind of a file from its first bytes (all, or LIMIT_ATTACHED_HEAD of
 * them) and the media type of its upload. False: it is of no known kind. The rest of a text must
 * still be checked. */
bool attachment_tell(struct str head, struct str type, struct attachment *ret);
/* attachment_is_text: whether a whole content is text. */
bool attachment_is_text(struct str content);
/* attachment_limit: the maximum size of a file of this kind, in bytes. */
size_t attachment_limit(enum attachment_kind kind);
/* attachment_name: the kind for people: "text", "an image", "audio", "a PDF". */
const char *attachment_name(enum attachment_kind kind);
