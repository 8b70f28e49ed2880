/* Looks at quotes and backslashes only. */
#include "shape/context.h"

#include "base/base.h"
#include "base/plain.h"

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
