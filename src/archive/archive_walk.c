/* Makes conversations of lines, and checks the rules between lines. */
#include "archive/archive.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SEQUENCE_BITS = 20, /* bits of a key below its milliseconds: see base/id.c */
	RECENT_MS = 1000,
	WIDEST_BITS = 24, /* bits of the milliseconds that ids of one time are spread over */
};

/* The state of reading a conversation's lines. */
struct reading {
	struct archive_walk *w;
	struct err          *e;
	char                 path[40]; /* lines[17] */
	uint32_t             run;      /* whose messages come; ARCHIVE_NONE: nobody's */
	enum archive_status  status;   /* its */
	struct arena         arena;    /* memory of one line */
};

void archive_walk_init(struct archive_walk *w, struct str text, int64_t now_ms)
{
	*w = (struct archive_walk){ .text = text, .now_ms = now_ms, .seed = id_random() | 1 };
	arena_init(&w->arena, LIMIT_ARENA);
}

void archive_walk_finish(struct archive_walk *w)
{
	free(w->entries);
	free(w->slots);
	json_doc_finish(&w->doc);
	arena_finish(&w->arena);
	w->entries = NULL;
	w->slots = NULL;
}

static enum errc archive_walk_refuse(struct reading *r, const char *member, const char *text)
{
	err_set(r->e, ERR_INVALID_VALUE, member, "%s", text);
	err_at(r->e, r->path);
	return r->e->code;
}

/* --- entries by key --- */

/* The secret seed prevents keys that are chosen to collide. */
static uint32_t slot_of(const struct archive_walk *w, int64_t key)
{
	uint64_t x = ((uint64_t)key ^ w->seed) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * w->seed;
	return (uint32_t)((x ^ x >> 29) & (w->slot_count - 1));
}

static uint32_t archive_walk_find_key(const struct archive_walk *w, int64_t key)
{
	if (w->slot_count == 0)
		return ARCHIVE_NONE;
	for (uint32_t s = slot_of(w, key); w->slots[s] != 0; s = (s + 1) & (w->slot_count - 1))
		if (w->entries[w->slots[s] - 1].id.key == key)
			return w->slots[s] - 1;
	return ARCHIVE_NONE;
}

static void put_key(struct archive_walk *w, uint32_t entry)
{
	uint32_t s = slot_of(w, w->entries[entry].id.key);

	while (w->slots[s] != 0)
		s = (s + 1) & (w->slot_count - 1);
	w->slots[s] = entry + 1;
}

/* archive_walk_forget: costs as much as the number of entries, whatever the size of the table. */
static void archive_walk_forget(struct archive_walk *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t s = slot_of(w, w->entries[i].id.key);

		for (; w->slots[s] != 0; s = (s + 1) & (w->slot_count - 1))
			w->slots[s] = 0;
	}
	w->count = w->messages = 0;
}

static bool archive_walk_grow(struct archive_walk *w)
{
	uint32_t              cap = w->cap ? 2 * w->cap : 64;
	struct archive_entry *entries = realloc(w->entries, cap * sizeof *entries);

	if (!entries)
		return false;
	w->entries = entries;
	uint32_t *slots = calloc(2 * (size_t)cap, sizeof *slots);
	if (!slots)
		return false;
	free(w->slots);
	w->slots = slots;
	w->slot_count = 2 * cap;
	w->cap = cap;
	/* An answer has the key of its run, so the run represents both. */
	for (uint32_t i = 0; i < w->count; i++)
		if (archive_walk_find_key(w, w->entries[i].id.key) == ARCHIVE_NONE)
			put_key(w, i);
	return true;
}

/* archive_walk_add: *ret is the new entry; all its references are ARCHIVE_NONE. */
static enum errc archive_walk_add(struct reading *r, enum archive_kind kind, struct id id,
				  struct archive_entry **ret)
{
	struct archive_walk *w = r->w;

	if (w->count >= LIMIT_ARCHIVE_LINES) {
		err_set(r->e, ERR_REQUEST_TOO_LARGE, r->path,
			"a conversation may have at most %u runs and messages",
			LIMIT_ARCHIVE_LINES);
		return r->e->code;
	}
	if (w->count == w->cap && !archive_walk_grow(w))
		return err_no_memory(r->e);
	w->entries[w->count] = (struct archive_entry){
		.kind = kind,
		.id = id,
		.as = id,
		.parent = ARCHIVE_NONE,
		.run = ARCHIVE_NONE,
		.last = ARCHIVE_NONE,
		.answer = ARCHIVE_NONE,
	};
	if (archive_walk_find_key(w, id.key) == ARCHIVE_NONE)
		put_key(w, w->count);
	*ret = &w->entries[w->count++];
	return ERR_OK;
}

/* The entry with this id; if it is a run and a message is wanted, the answer of the run. */
static uint32_t archive_walk_find(const struct archive_walk *w, struct id id,
				  enum archive_kind kind)
{
	uint32_t i = archive_walk_find_key(w, id.key);

	if (i == ARCHIVE_NONE || w->entries[i].id.secret != id.secret)
		return ARCHIVE_NONE;
	if (kind == ARCHIVE_MESSAGE && w->entries[i].kind == ARCHIVE_RUN)
		return w->entries[i].answer;
	return w->entries[i].kind == kind ? i : ARCHIVE_NONE;
}

static enum errc archive_walk_find_some(struct reading *r, struct id id, enum archive_kind kind,
					const char *member, uint32_t *ret)
{
	*ret = id_none(id) ? ARCHIVE_NONE : archive_walk_find(r->w, id, kind);
	if (id_none(id) || *ret != ARCHIVE_NONE)
		return ERR_OK;
	return archive_walk_refuse(
		r, member,
		kind == ARCHIVE_RUN ? "no earlier run of this conversation has this id"
				    : "no message of this conversation with this id stands in "
				      "front");
}

/* --- lines --- */

static enum errc archive_walk_take_run(struct reading *r, const struct archive_run *run,
				       struct str line)
{
	struct archive_entry *entry = NULL;
	uint32_t              base;
	uint32_t              continues;

	if (archive_walk_find_key(r->w, run->id.key) != ARCHIVE_NONE)
		return archive_walk_refuse(r, "id", "is used twice in this conversation");
	if (archive_walk_find_some(r, run->base, ARCHIVE_MESSAGE, "base", &base) != ERR_OK ||
	    archive_walk_find_some(r, run->continues, ARCHIVE_RUN, "continues", &continues) !=
		    ERR_OK ||
	    archive_walk_add(r, ARCHIVE_RUN, run->id, &entry) != ERR_OK)
		return r->e->code;
	CHECK(entry != NULL);
	entry->created_ms = run->created_ms;
	entry->text = line;
	entry->parent = base;
	entry->last = base;
	entry->run = continues;
	r->run = r->w->count - 1;
	r->status = run->status;
	return ERR_OK;
}

/* The messages of a run are a chain from its base; the answer follows the last one. */
static enum errc check_place(struct reading *r, const struct archive_message *m, uint32_t parent)
{
	struct archive_entry *run = r->run == ARCHIVE_NONE ? NULL : &r->w->entries[r->run];
	bool                  answer = run && m->id.key == run->id.key;

	if (!run || run->id.key != m->run.key || run->id.secret != m->run.secret)
		return archive_walk_refuse(r, "run", "the messages of a run must follow its line");
	if (run->answer != ARCHIVE_NONE)
		return archive_walk_refuse(r, "run",
					   "an answer must be the last message of its run");
	if (parent != run->last)
		return archive_walk_refuse(
			r, "parent", "must be the previous message of the run, or the run's base");
	if (answer && m->id.secret != run->id.secret)
		return archive_walk_refuse(r, "id", "an answer must have the id of its run");
	if (answer && r->status <= ARCHIVE_RUNNING)
		return archive_walk_refuse(r, "run", "a running run has no answer");
	return ERR_OK;
}

static enum errc archive_walk_take_message(struct reading *r, const struct archive_message *m)
{
	struct archive_walk  *w = r->w;
	struct archive_entry *entry = NULL;
	uint32_t              parent;
	bool                  loose = id_none(m->run);

	if (archive_walk_find_some(r, m->parent, ARCHIVE_MESSAGE, "parent", &parent) != ERR_OK)
		return r->e->code;
	if (loose)
		r->run = ARCHIVE_NONE;
	else if (check_place(r, m, parent) != ERR_OK)
		return r->e->code;
	bool answer = !loose && m->id.key == m->run.key;
	/* The rule is that of requests; readers of a run's chain rely on it. */
	if (!loose && ++w->entries[r->run].messages > LIMIT_MESSAGES + 1)
		return archive_walk_refuse(r, "run",
					   "a run may have at most 2048 messages and its answer");
	if (!answer && archive_walk_find_key(w, m->id.key) != ARCHIVE_NONE)
		return archive_walk_refuse(r, "id", "is used twice in this conversation");
	if (archive_walk_add(r, ARCHIVE_MESSAGE, m->id, &entry) != ERR_OK)
		return r->e->code;
	CHECK(entry != NULL);
	entry->created_ms = m->created_ms;
	entry->text = m->body;
	entry->parent = parent;
	entry->run = r->run;
	w->messages++;
	if (answer)
		w->entries[r->run].answer = w->count - 1;
	else if (!loose)
		w->entries[r->run].last = w->count - 1;
	return ERR_OK;
}

/* --- the text --- */

static bool archive_walk_blank(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(" \t\r", line.p[i]))
			return false;
	return true;
}

/* The next line with something in it, without its end; false: there is none.  w moves past it. */
static bool archive_walk_take_line(struct archive_walk *w, struct str *ret)
{
	while (w->at < w->text.n) {
		const char *start = w->text.p + w->at;
		size_t      left = w->text.n - w->at;
		const char *end = memchr(start, '\n', left);

		*ret = (struct str){ start, end ? (size_t)(end - start) : left };
		w->at += ret->n + (end ? 1 : 0);
		w->line++;
		if (!archive_walk_blank(*ret))
			return true;
	}
	return false;
}

static enum errc read_first(struct reading *r)
{
	struct archive_walk *w = r->w;
	struct archive_line  line;
	struct str           text;

	w->found = archive_walk_take_line(w, &text);
	if (!w->found)
		return ERR_OK;
	snprintf(r->path, sizeof r->path, "lines[%zu]", w->line);
	if (archive_line_parse(text, r->path, &w->doc, &w->arena, &line, r->e) != ERR_OK)
		return r->e->code;
	if (line.kind != ARCHIVE_CONVERSATION)
		return archive_walk_refuse(r, "type", "the first line must be of a conversation");
	w->conversation = line.as.conversation;
	w->conversation_as = w->conversation.id;
	return ERR_OK;
}

/* False: the line belongs to the next conversation and was not read. */
static bool archive_walk_read_line(struct reading *r)
{
	struct archive_walk *w = r->w;
	size_t               at = w->at;
	size_t               number = w->line;
	struct archive_line  line;
	struct str           text;

	if (!archive_walk_take_line(w, &text))
		return false;
	snprintf(r->path, sizeof r->path, "lines[%zu]", w->line);
	arena_finish(&r->arena);
	if (archive_line_parse(text, r->path, &w->doc, &r->arena, &line, r->e) != ERR_OK)
		return false;
	switch (line.kind) {
	case ARCHIVE_CONVERSATION:
		w->at = at;
		w->line = number;
		return false;
	case ARCHIVE_RUN: return archive_walk_take_run(r, &line.as.run, text) == ERR_OK;
	case ARCHIVE_MESSAGE: return archive_walk_take_message(r, &line.as.message) == ERR_OK;
	case ARCHIVE_KIND__COUNT: break;
	}
	return false;
}

/* The first line refers to later lines. */
static enum errc check_ends(struct reading *r, size_t first)
{
	struct archive_walk *w = r->w;

	snprintf(r->path, sizeof r->path, "lines[%zu]", first);
	w->leaf = archive_walk_find(w, w->conversation.leaf, ARCHIVE_RUN);
	w->tip = archive_walk_find(w, w->conversation.tip, ARCHIVE_MESSAGE);
	if (!id_none(w->conversation.leaf) && w->leaf == ARCHIVE_NONE)
		return archive_walk_refuse(r, "leaf", "the conversation has no run with this id");
	if (!id_none(w->conversation.tip) &&
	    (w->tip == ARCHIVE_NONE || w->entries[w->tip].run != ARCHIVE_NONE))
		return archive_walk_refuse(
			r, "tip",
			"the conversation has no message with this id that was added without a run");
	return ERR_OK;
}

enum errc archive_walk_next(struct archive_walk *w, struct err *e)
{
	struct reading r = { .w = w, .e = e, .run = ARCHIVE_NONE };

	*e = (struct err){ .code = ERR_OK };
	arena_finish(&w->arena);
	archive_walk_forget(w);
	if (read_first(&r) != ERR_OK || !w->found)
		return e->code;

	size_t first = w->line;
	arena_init(&r.arena, LIMIT_ARENA);
	while (archive_walk_read_line(&r)) {
	}
	arena_finish(&r.arena);
	return e->code == ERR_OK ? check_ends(&r, first) : e->code;
}

enum errc archive_walk_run(struct archive_walk *w, const struct archive_entry *run,
			   struct arena *arena, struct archive_run *ret, struct err *e)
{
	struct archive_line line;
	enum errc           rc = archive_line_parse(run->text, "", &w->doc, arena, &line, e);

	if (rc != ERR_OK)
		return rc;
	CHECK(line.kind == ARCHIVE_RUN);
	*ret = line.as.run;
	return ERR_OK;
}

/* --- ids --- */

bool archive_walk_is_past(const struct archive_walk *w)
{
	int64_t now = w->now_ms;

	if (w->conversation.id.key >> SEQUENCE_BITS > now)
		return false;
	for (uint32_t i = 0; i < w->count; i++)
		if (w->entries[i].id.key >> SEQUENCE_BITS > now)
			return false;
	return true;
}

/* A key of that time above last.  It lies in the upper half of its millisecond and not in the last
 * second: there a process that serves the database has none, and is to make none. */
static struct id id_of(struct archive_walk *w, int64_t ms, int64_t last)
{
	uint64_t random = id_random();
	int64_t  latest = w->now_ms - RECENT_MS;
	int64_t  key;

	if (ms < 1)
		ms = 1;
	if (ms > latest)
		ms = latest;
	key = ms << SEQUENCE_BITS | 1 << (SEQUENCE_BITS - 1) |
	      (int64_t)(random & ((1u << (SEQUENCE_BITS - 2)) - 1));
	return (struct id){ key > last ? key : last + 1, id_random() };
}

void archive_walk_renew(struct archive_walk *w, int tries)
{
	int     bits = 2 * tries < WIDEST_BITS ? 2 * tries : WIDEST_BITS;
	int64_t back = (int64_t)(id_random() & ((UINT64_C(1) << bits) - 1));
	int64_t last = 0;

	w->conversation_as = id_of(w, w->conversation.created_ms - back, 0);
	for (uint32_t i = 0; i < w->count; i++) {
		struct archive_entry *entry = &w->entries[i];

		if (entry->kind == ARCHIVE_MESSAGE && entry->run != ARCHIVE_NONE &&
		    w->entries[entry->run].answer == i) {
			entry->as = w->entries[entry->run].as;
			continue;
		}
		entry->as = id_of(w, entry->created_ms - back, last);
		last = entry->as.key;
	}
}

bool archive_walk_print(const struct archive_walk *w, bool comma, struct buf *out)
{
	const struct archive_conversation *c = &w->conversation;
	char                               id[ID_MAX], source[ID_MAX];

	id_text(w->conversation_as, ID_CONVERSATION, id);
	return buf_fmt(out, "%s{\"id\":\"%s\",\"source_id\":", comma ? "," : "", id) &&
	       buf_json_string(out,
			       c->source.p ? c->source : id_text(c->id, ID_CONVERSATION, source)) &&
	       buf_fmt(out, ",\"messages\":%u}", w->messages);
}
