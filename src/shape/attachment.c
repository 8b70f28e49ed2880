/* Recognizes kinds of uploaded files by their first bytes. */
#include "shape/context.h"

#include "base/base.h"
#include "base/limits.h"
#include "base/plain.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "lmc/text.h"

static const struct {
	const char *name;
	size_t      limit;
} kinds[ATTACHMENT__COUNT] = {
	[ATTACHMENT_TEXT] = { "text", LIMIT_ATTACHED_TEXT },
	[ATTACHMENT_IMAGE] = { "an image", LIMIT_ATTACHED_IMAGE },
	[ATTACHMENT_AUDIO] = { "audio", LIMIT_ATTACHED_AUDIO },
	[ATTACHMENT_PDF] = { "a PDF", LIMIT_ATTACHED_PDF },
};

static const char pdf_mark[] = "%PDF-";
/* readers of PDF accept this many bytes before the mark */
enum { PDF_MARK = sizeof pdf_mark - 1, PDF_JUNK = 1024 };

static bool by_content(struct str head, struct attachment *ret)
{
	const unsigned char *p = (const unsigned char *)head.p;
	const char          *image = media_kind(p, head.n);
	const char          *sound = media_sound(p, head.n);

	if (image)
		*ret = (struct attachment){ ATTACHMENT_IMAGE, image };
	else if (sound)
		*ret = (struct attachment){ ATTACHMENT_AUDIO, sound };
	else if (head.n >= PDF_MARK && memcmp(head.p, pdf_mark, PDF_MARK) == 0)
		*ret = (struct attachment){ ATTACHMENT_PDF, "" };
	else if (head.n < LIMIT_ATTACHED_HEAD
			 ? attachment_is_text(head)
			 : attachment_is_text((struct str){ head.p, text_whole(head) }))
		*ret = (struct attachment){ ATTACHMENT_TEXT, "" };
	else
		return false;
	return true;
}

/* by_type: accepts files with other first bytes by their media type, as programs do. */
static bool by_type(struct str head, struct str type, struct attachment *ret)
{
	size_t n = head.n < PDF_JUNK ? head.n : PDF_JUNK;

	if (str_is(type, "application/pdf") && memmem(head.p, n, pdf_mark, PDF_MARK))
		*ret = (struct attachment){ ATTACHMENT_PDF, "" };
	else if (str_is(type, "audio/mpeg") || str_is(type, "audio/mp3"))
		*ret = (struct attachment){ ATTACHMENT_AUDIO, "mp3" };
	else
		return false;
	return true;
}

bool attachment_tell(struct str head, struct str type, struct attachment *ret)
{
	if (head.n == 0) {
		*ret = (struct attachment){ ATTACHMENT_TEXT, "" };
		return true;
	}
	return by_content(head, ret) || by_type(head, type, ret);
}

bool attachment_is_text(struct str content)
{
	return content.n == 0 ||
	       (!memchr(content.p, '\0', content.n) && utf8_valid(content.p, content.n));
}

size_t attachment_limit(enum attachment_kind kind)
{
	return kinds[kind].limit;
}

const char *attachment_name(enum attachment_kind kind)
{
	return kinds[kind].name;
}

/* --- mention: Looks at quotes and backslashes only. */

/* Words after a quote or a backslash. */
static const struct {
	char       first;
	struct str word;
	unsigned   bit;
} marks[] = {
#define MARK(first, word, bit)                         \
	{                                              \
		first, { word, sizeof(word) - 1 }, bit \
	}
	MARK('"', "type\"", MENTION_TYPE),         MARK('"', "lmc\"", MENTION_LMC),
	MARK('"', "context\"", MENTION_CONTEXT),   MARK('"', "uuid\"", MENTION_UUID),
	MARK('"', "reasoning", MENTION_REASONING), MARK('\\', "u", MENTION_ESCAPED),
	MARK('\\', "u0075", MENTION_ESCAPED_UUID), MARK('\\', "u0069", MENTION_ESCAPED_UUID),
	MARK('\\', "u0064", MENTION_ESCAPED_UUID),
#undef MARK
};

static bool mention_here(char first, struct str rest, unsigned wanted)
{
	if (rest.p[0] < 'a' ||
	    rest.p[0] > 'z') /* no word begins so; after most quotes stands a comma */
		return false;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (marks[i].bit & wanted && marks[i].first == first &&
		    rest.p[0] == marks[i].word.p[0] && str_starts(rest, marks[i].word))
			return true;
	return false;
}

bool mention_find(struct str json, unsigned wanted)
{
	const unsigned char *p = (const unsigned char *)json.p;

	for (size_t i = 0; i < json.n; i++) {
		i += plain_run(p + i, json.n - i, PLAIN_HIGH);
		if (i + 1 >= json.n)
			return false;
		if (mention_here(json.p[i], (struct str){ json.p + i + 1, json.n - i - 1 }, wanted))
			return true;
		i += json.p[i] == '\\'; /* and the escaped character */
	}
	return false;
}
