/* routes/conversation: what its files share.  First, stored messages as items of OpenAI's Conversations API. */
#pragma once

#include "archive/archive.h"
#include "base/buf.h"
#include "base/limits.h"
#include "http/request.h"
#include "json/input.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "store/conversation.h"
#include "store/scratch.h"

enum { ITEM_ID_MAX = ID_MAX + 24 };

/* A list that is being printed.  Laid open so that it can stand on the stack. */
struct items {
	struct buf     *out; /* borrowed */
	struct json_doc doc; /* one message at a time */
	size_t          count;
	char            first[ITEM_ID_MAX]; /* ids; empty while there is none */
	char            last[ITEM_ID_MAX];
};

void items_init(struct items *list, struct buf *out);
void items_finish(struct items *list);
/* items_push: appends the item or items that one stored message makes, with commas between them:
 * its text as a message item, each tool call as a function_call item, a tool's answer as a
 * function_call_output item.  Members that OpenAI has no place for (name, context) are kept on the
 * message item.  An LMC message is one message item, with code and output as text.
 * False: no memory, or the stored message is damaged; nothing was appended. */
bool items_push(struct items *list, const struct store_item *item) MUST_USE;

/* items_cursor: the message an item's id belongs to; false: no id of an item. */
bool items_cursor(struct str text, struct id *ret);

/* --- conversation_items: items that a client adds, made into messages as they are stored. */

/* Laid open so that it can be embedded; zero is empty. */
struct conversation_items {
	struct buf           bodies; /* text that messages point into */
	struct store_message messages[LIMIT_ITEMS];
	size_t               count;
};

/* conversation_items_read: the array at `items`; function calls that stand next to each other are
 * one message, as an assistant makes them.
 * Errors: with the path of the culprit. */
enum errc conversation_items_read(struct input *in, json_at items, struct conversation_items *ret,
				  struct err *e) MUST_USE;
void      conversation_items_finish(struct conversation_items *items);

/* --- conversation_print: the conversation object; keep: what the gateway keeps, which may be shorter. */

bool conversation_print(struct buf *out, const struct store_conversation *c,
			const struct store_keep *keep) MUST_USE;

/* --- etag: revisions as entity tags, compared with If-Match and If-None-Match.
 *
 * A title that a model makes is no new revision, so that a client's If-Match stays good; but it changes what is read,
 * and so the tag (If-None-Match): "7" becomes "7.t". */

/* The tags of a header. Tags that are not Parley's match nothing. */
struct etag {
	bool    given;
	bool    any; /* "*" */
	int64_t revisions[STORE_REVISIONS];
	bool    titled[STORE_REVISIONS];
	size_t  count;
};

/* etag_parse: .p NULL: the header is absent.  weak: W/"…" counts as well (If-None-Match). */
struct etag etag_parse(struct str header, bool weak);
/* etag_send: the ETag of the reply to come; titled: by a model. */
void etag_send(struct request *r, int64_t revision, bool titled);

/* --- import_check: what was sent to be imported, in whatever form, made into an archive of which
 * every line was checked.  Shared by the route and the command.
 *
 *   in --map--> what is it? --archive------------> CHECKING --> text
 *                    \-------ChatGPT--> CONVERTING --^
 *
 * Threads: a worker's, or the command's; what is embedded is one thread's at a time. */

enum import_state {
	IMPORT_FILLING, /* scratch_add to in */
	IMPORT_CONVERTING,
	IMPORT_CHECKING,
	IMPORT_CHECKED,
};

/* Laid open so that it can be embedded. */
struct import_check {
	enum import_state   state;
	struct blobs       *blobs; /* borrowed */
	struct scratch      in;
	struct scratch      made; /* the archive made from a ChatGPT export */
	int64_t             now_ms;
	struct chatgpt      chatgpt;
	struct archive_walk walk;
	struct buf          lines;
	struct warnings     warnings; /* lost content; index: the conversation's place */
	struct str          text;     /* out: the archive, once CHECKED */
};

void import_check_init(struct import_check *x, struct blobs *blobs, int64_t now_ms);
/* import_check_finish: waits for the disk. */
void import_check_finish(struct import_check *x);
/* import_check_step: goes on for a while; once all that was sent is in.
 * Errors: UNSUPPORTED_MEDIA for what is packed or something else; those of archive_walk_next and
 * chatgpt_next. */
enum errc import_check_step(struct import_check *x, struct err *e) MUST_USE;
