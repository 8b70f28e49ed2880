/* Segments of a path. */
#include "provider/place.h"

/* Servers resolve dot segments also where they are percent-encoded (RFC 3986 section 6.2.2). */
bool place_segment(struct buf *out, struct str text)
{
	if (text.n == 0 || str_is(text, ".") || str_is(text, ".."))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool          plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';

		if (!(plain ? buf_add(out, &text.p[i], 1) : buf_fmt(out, "%%%02X", c)))
			return false;
	}
	return true;
}
