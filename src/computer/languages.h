/* computer/languages: which languages a runner has, and by which other words they go. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

enum { LANGUAGES_NAME = 32 }; /* bytes of the longest name, with the zero at its end */

/* Names with commas around them: ",python,shell,", ",py=python,sh=shell,". */
struct languages {
	struct buf names;
	struct buf aliases;
};

void languages_init(struct languages *l);
void languages_finish(struct languages *l);
/* languages_read: from a runner's answer to FRAME_PING.  False: no memory, or there are too many. */
bool languages_read(struct languages *l, const struct json_doc *d) MUST_USE;
/* languages_know: ret: the runner's name of a language, which may be said in another word or case; false:
 * the runner does not have it. */
bool languages_know(const struct languages *l, struct str language, char ret[LANGUAGES_NAME]);
/* languages_next: takes the next name off *rest, which is languages_all at first; false: there is none. */
struct str languages_all(const struct languages *l);
bool       languages_next(struct str *rest, struct str *ret);
