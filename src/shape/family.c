/* Finds the shapes of a family. */
#include "shape/family.h"

const struct shape *family_shape(const struct family *f, struct str word)
{
	for (const struct shape *s = f->shapes; s->word; s++)
		if (str_is(word, s->word))
			return s;
	return f->shapes;
}

bool family_has(const struct family *f, struct str word)
{
	return str_is(word, family_shape(f, word)->word);
}

const struct shape *family_format(const struct family *f, struct str name)
{
	for (const struct shape *s = f->shapes; s->word; s++)
		if (s->format && str_is(name, s->format))
			return s;
	return NULL;
}
