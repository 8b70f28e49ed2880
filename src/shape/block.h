/* shape/block: prints the blocks of a stream in a framing, with their numbers, and leaves out the
 * blocks that the reader has received already. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "msg/cursor.h"
#include "msg/family.h"

struct json_doc;
struct json_limits;

/* Embedded in an encoder. */
struct blocks {
	const struct framing *framing;
	bool numbered; /* false: blocks have neither ids nor names, as OpenAI's clients expect */
	struct cursor seen;  /* blocks up to this one, inclusive, are left out */
	struct cursor next;  /* the number of the next block */
	size_t        start; /* offset of the open block in out */
	bool          begun; /* a block was printed */
};

/* Server-sent events (WHATWG HTML, section 9.2).  The form of the
 * numbers is LLM Chat's: `id: <n>` for the first block of event n, `id: <n>.<k>` for its further
 * blocks. */
extern const struct framing framing_events;
/* Server-sent events without numbers, which all have the names of their blocks. */
extern const struct framing framing_named;
/* block_framing: the framing that an encoder was told (struct encoder_about), or else its usual one. */
static inline const struct framing *block_framing(const struct framing *told,
						  const struct framing *usual)
{
	return told ? told : usual;
}

/* block_event: the next blocks belong to the event seq; may be called again for the same event. */
static inline void block_event(struct blocks *b, uint64_t seq)
{
	if (seq != b->next.seq)
		b->next = (struct cursor){ .seq = seq };
}

/* block_open: appends what stands before a block's JSON; name: of the block's event, or empty.
 * block_close: ends the block; a block that the reader has received is removed from out. False: out
 * is full, and ends with half a block. */
bool block_open(struct blocks *b, struct str name, struct buf *out) MUST_USE;
bool block_close(struct blocks *b, struct buf *out) MUST_USE;
/* For many blocks without numbers that begin alike.  block_head: appends what stands before their JSON to
 * head, which gets the first part of the JSON, too; a block must have been printed.  block_open_head: as
 * block_open, with that part. */
MUST_USE static inline bool block_head(const struct blocks *b, struct str name, struct buf *head)
{
	return b->framing->open(b, name, head);
}
MUST_USE static inline bool block_open_head(struct blocks *b, const struct buf *head,
					    struct buf *out)
{
	b->start = out->len;
	return buf_str(out, buf_view(head));
}
/* block_end: appends the framing's end, after a normal end or a failure.  False: as block_open. */
bool block_end(struct blocks *b, bool failed, struct buf *out) MUST_USE;

/* block_done, block_error: append the last blocks of OpenAI's streams, of a normal end or of a
 * failure, for the event seq, and the framing's end.  False: out is full, and unchanged. */
bool block_done(struct blocks *b, uint64_t seq, struct buf *out) MUST_USE;
bool block_error(struct blocks *b, const struct err *e, struct str request_id, uint64_t seq,
		 struct buf *out) MUST_USE;
/* block_type_of: the type of a provider's event, which is also its name; empty if there is none, or memory is
 * short.  doc: scratch, which may hold the event afterwards. */
struct str block_type_of(struct json_doc *doc, struct str raw, const struct json_limits *limits);
/* block_raw: appends a provider's own JSON without line breaks between its tokens, because a data
 * line ends at the first one.  (Inside strings they are always escaped.)  block_one_line: does the
 * same to what stands in out from start on. */
bool block_raw(struct str json, struct buf *out) MUST_USE;
void block_one_line(struct buf *out, size_t start);
