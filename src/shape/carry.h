/* shape/carry: what a provider must get back with the calls of its answer, as a text that clients keep
 * unread and return: the data of a redacted_thinking block (Anthropic's Messages), the encrypted_content
 * of a reasoning item (OpenAI's Responses).  Messages of a chat have members of their own for it.
 *
 *   parley_rd:{"v":1,"reasoning_details":[…],"calls":[{"id":"call_a","extra_content":{…}}]}
 *
 * The same object gathers the pieces of an answer and of what a client returns.  The text is a client's
 * word, as the members of a chat's messages are.  Pure; not shared between threads. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"

struct carry; /* opaque */

/* carry_create: NULL: memory is short. */
struct carry *carry_create(void) MUST_USE;
void          carry_destroy(struct carry *c); /* NULL is fine */

/* carry_is: whether a JSON-escaped text is of this kind. */
bool carry_is(struct str escaped);
/* carry_is_coded: whether a text in base64, as a signature has it, is one. */
static inline bool carry_is_coded(struct str base64)
{
	return str_starts(base64, STR("cGFybGV5X3Jk")); /* "parley_rd" */
}

/* carry_add_details: a list of reasoning_details, JSON.  carry_add_extra: what came with a call (as
 * shape/carry takes it); nothing for an empty text; id: escaped.  False: over LIMIT_ANSWER, or memory is
 * short. */
bool carry_add_details(struct carry *c, struct str list) MUST_USE;
bool carry_add_extra(struct carry *c, struct str id, struct str extra) MUST_USE;
/* carry_any: whether anything was added since carry_take. */
bool carry_any(const struct carry *c);
/* carry_take: appends the text, escaped, without quotes, and empties the object.  False: out is full, or
 * memory is short. */
bool carry_take(struct carry *c, struct buf *out) MUST_USE;

/* carry_read: adds what a text says.  *ret_ours: false: the text was changed, and nothing was added.
 * False: over LIMIT_ANSWER, or memory is short. */
bool carry_read(struct carry *c, struct str escaped, bool *ret_ours) MUST_USE;
/* carry_put_details: appends `,"reasoning_details":[…]`; nothing if there are none.  carry_put_extra:
 * appends `,"extra_content":{…}` of a call; nothing if it has none.  carry_put_calls: appends the elements
 * of a list of calls, JSON without brackets, each with its extra_content.  NULL has none of all that.
 * Nothing is added after the first of the last two.  False: out is full, or memory is short. */
bool carry_put_details(const struct carry *c, struct buf *out) MUST_USE;
bool carry_put_extra(struct carry *c, struct str id, struct buf *out) MUST_USE;
bool carry_put_calls(struct carry *c, struct str calls, struct buf *out) MUST_USE;

/* --- details: the reasoning_details of a streamed answer, which a provider must get back as one
 * list. A provider sends a long detail in pieces, and their clients put these together
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, "Preserving reasoning blocks";
 * @openrouter/ai-sdk-provider). Pure; not shared between threads. */

struct details; /* opaque */

/* details_create: NULL: memory is short. */
struct details *details_create(void) MUST_USE;
void            details_destroy(struct details *d);
/* details_add: adds the list of one delta, JSON.  What is added counts in *bytes, at most `max`.
 * False: more than that, no JSON, or memory is short. */
bool details_add(struct details *d, struct str list, size_t *bytes, size_t max) MUST_USE;
/* details_put: appends `,"reasoning_details":[…]`; nothing for an empty list. False: out is full. */
bool details_put(const struct details *d, struct buf *out) MUST_USE;

/* --- raw_items: the items of OpenAI's Responses API that a stored message was made of.
 *
 * A message of a chat can't say all that such items do: encrypted reasoning, a message's phase, calls of
 * tools that the provider runs itself.  So a stored message has them beside its other members, and a
 * provider of this API gets them back; others are sent the message without them. */

#define RAW_ITEMS_KEY "response_items"

/* raw_items_take: *ret: the message without its items, *ret_items: these, with commas between them; in
 * the arena, or within the message.  Without items, *ret is the message, and *ret_items is empty.
 * Errors: OVERLOADED. */
enum errc raw_items_take(struct str message, struct arena *arena, struct str *ret,
			 struct str *ret_items, struct err *e) MUST_USE;

/* --- extra: the member extra_content of a tool call. It holds what a provider must get back
 * with the call in later requests; clients of Google's own OpenAI route know to send it back.
 *
 * The event of a call's start carries it as a JSON object, or as Google's signature alone
 * (escaped). */

/* extra_put: appends `,"extra_content":{…}`; nothing for an empty text. False: out is full. */
bool extra_put(struct str text, struct buf *out) MUST_USE;
/* extra_of: the extra_content of a call, in the form that extra_put takes; empty: none. */
struct str extra_of(const struct json_doc *d, json_at call);

/* --- ids of calls.
 *
 * GEMINI_MADE_ID: the beginning of ids that the gateway makes for calls of Gemini's API, whose providers and
 * clients may give none; they are not sent to such a provider. */
#define GEMINI_MADE_ID "gemini_"
