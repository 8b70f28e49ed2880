/* shape/attachment: what an uploaded file is to a provider: text, or one of the media that OpenAI's
 * content parts know.  Its content decides; its media type only where the content does not. */
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
	const char          *format; /* "" where there is but one */
};

/* attachment_tell: by its first bytes (all, or LIMIT_ATTACHED_HEAD of them) and the media type that
 * it was uploaded with.  False: it is none of these.  Of text the rest is still to be checked. */
bool attachment_tell(struct str head, struct str type, struct attachment *ret);
/* attachment_is_text: all of a content. */
bool attachment_is_text(struct str content);
/* attachment_limit: bytes that one of this kind may have. */
size_t attachment_limit(enum attachment_kind kind);
/* attachment_name: "text", "an image", "audio", "a PDF". */
const char *attachment_name(enum attachment_kind kind);
