/* The values of the day, by hashes in a table with a fixed bound. */
#include "desk/tag_book.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "msg/usage_tag.h"

#include <pthread.h>
#include <stdlib.h>

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

enum {
	NAMES = 16,    /* reloads may bring new ones */
	SLOTS = 65536, /* LIMIT_TAG_NAMES full names fill two thirds */
	WALK = 64, /* slots that a value looks at; values that are chosen to collide find no place */
};

static struct {
	pthread_mutex_t lock;
	int64_t         day;
	uint64_t       *slots; /* owned hashes of pairs; 0: free */
	size_t          used;
	struct book_name {
		uint64_t hash;
		size_t   values;
		bool     told; /* the log has said that it is full */
	} names[NAMES];
	size_t name_count;
} book = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool book_begin(int64_t day)
{
	if (!book.slots)
		book.slots = calloc(SLOTS, sizeof *book.slots);
	if (!book.slots || book.day == day)
		return book.slots;
	memset(book.slots, 0, SLOTS * sizeof *book.slots);
	book.used = book.name_count = 0;
	book.day = day;
	return true;
}

static struct book_name *book_name_of(struct str name)
{
	uint64_t hash = mix_str(MIX_BEGIN, name);
	size_t   i = 0;

	while (i < book.name_count && book.names[i].hash != hash)
		i++;
	if (i == NAMES)
		return NULL;
	if (i == book.name_count)
		book.names[book.name_count++] = (struct book_name){ .hash = hash };
	return &book.names[i];
}

/* book_takes: whether the value of this pair is told apart. */
static bool book_takes(struct str pair, struct book_name *name)
{
	uint64_t hash = mix_str(MIX_BEGIN, pair) | 1;
	size_t   at = (hash >> 7) % SLOTS, walked = 0;

	while (walked < WALK && book.slots[at] != 0 && book.slots[at] != hash) {
		at = (at + 1) % SLOTS;
		walked++;
	}
	if (walked == WALK || !name)
		return false;
	if (book.slots[at] == hash)
		return true;
	if (name->values >= LIMIT_TAG_VALUES || book.used >= SLOTS / 4 * 3)
		return false;
	book.slots[at] = hash;
	book.used++;
	name->values++;
	return true;
}

/* book_look: *ret_told: the name is full since this value. */
static bool book_look(struct str pair, struct str name, int64_t day, bool *ret_told)
{
	bool takes;

	*ret_told = false;
	pthread_mutex_lock(&book.lock);
	struct book_name *n = book_begin(day) ? book_name_of(name) : NULL;
	takes = n && book_takes(pair, n);
	if (!takes && n && !n->told)
		*ret_told = n->told = true;
	pthread_mutex_unlock(&book.lock);
	return takes;
}

static void book_tell(struct str name)
{
	log_note(LOG_WARN, "usage_tags_full",
		 "the tag %.*s has had %d values today: further ones count as (other)",
		 STR_ARG(name), LIMIT_TAG_VALUES);
}

bool tag_book_count(struct str tags, int64_t now_ms, struct buf *out)
{
	static const char other[] = "=(other)";
	struct str        pair, last = STR_NONE;
	bool              ok = buf_text(out, "[");

	while (ok && usage_tags_next(&tags, &pair)) {
		const char *equals = memchr(pair.p, '=', pair.n);
		struct str  name = { pair.p, equals ? (size_t)(equals - pair.p) : pair.n };
		bool        told;
		bool        apart = book_look(pair, name, now_ms / DAY_MS, &told);

		if (told)
			book_tell(name);
		/* Several values of a name are one, if they are others. */
		if (!apart && str_eq(name, last))
			continue;
		if (!apart)
			last = name;
		ok = buf_text(out, out->data[out->len - 1] == '[' ? "\"" : ",\"") &&
		     buf_str(out, apart ? pair : name) && (apart || buf_text(out, other)) &&
		     buf_text(out, "\"");
	}
	return ok && buf_text(out, "]");
}
