/* Segments of a path. */
#include "provider/place.h"

bool place_segment(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool          plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';

		if (!(plain ? buf_add(out, &text.p[i], 1) : buf_fmt(out, "%%%02X", c)))
			return false;
	}
	return true;
}
