/* chores: what the store's thread does besides jobs, and what is handed to it from elsewhere.  engine.c has the list. */
#pragma once

#include "base/id.h"
#include "store/common/salvage.h"
#include "store/postgres/work.h"
#include "store/turn.h"

/* books: the chore that writes the usage of calls, which is summed up in memory (store/usage.h). */
bool           books_wanted(struct postgres *db);
enum work_next books_step(struct work *w);
void           books_over(struct work *w, const struct fault *f);

/* calls: the chore that writes what the ledger of calls has gathered (store/ledger.h). */
bool           calls_wanted(struct postgres *db);
enum work_next calls_step(struct work *w);
void           calls_over(struct work *w, const struct fault *f);

/* cancels: tells other gateways to cancel runs of theirs, and hears of such wishes, through the table
 * `signal`. */
struct cancels;

struct cancels *cancels_create(void) MUST_USE; /* NULL: no memory */
void            cancels_destroy(struct cancels *c);

/* cancels_add: the wish is written soon, and again until the database has it.  Any thread. */
void cancels_add(struct cancels *c, struct id run, int64_t owner);

/* The chores: the first one writes wishes, the other one reads those of other gateways. */
bool           cancels_send_wanted(struct postgres *db);
enum work_next cancels_send_step(struct work *w);
void           cancels_send_over(struct work *w, const struct fault *f);
bool           cancels_take_wanted(struct postgres *db);
enum work_next cancels_take_step(struct work *w);
void           cancels_take_over(struct work *w, const struct fault *f);

/* claim_given: keys that calls of this gateway have taken (the job claim_take) and that no answer needs. */
struct claim_given;

struct claim_given *claim_given_create(void) MUST_USE; /* NULL: no memory */
void                claim_given_destroy(struct claim_given *x);
/* claim_given_add: the claim is removed soon, unless a run has its key.  Any thread. */
void claim_given_add(struct claim_given *x, struct id claim);

/* The chore that removes them. */
bool           claim_given_wanted(struct postgres *db);
enum work_next claim_given_step(struct work *w);
void           claim_given_over(struct work *w, const struct fault *f);

/* keys: fills the key ring from the database, when its version has changed. */
enum { KEYS_RESULTS = 4 }; /* results of keys_ask */

/* keys_ask: asks for the version, for all valid keys, for the ended sessions and for the groups.  keys_take: puts the results,
 * from the n-th on, into the ring.  False: no memory, or no sense. */
void keys_ask(struct work *w);
bool keys_take(struct work *w, size_t n);

/* The chores: keys_step looks for a new version, and loads the keys; used_step notes when keys were used. */
enum work_next keys_step(struct work *w);
void           keys_over(struct work *w, const struct fault *f);
bool           used_wanted(struct postgres *db);
enum work_next used_step(struct work *w);
void           used_over(struct work *w, const struct fault *f);

/* lost: ends of runs whose own gateway could not write them: it is dead (reap), or the server was away too
 * long (lost). */

/* lost_wanted, lost_step, lost_over: the chore that writes what is in db->unfinished. */
bool           lost_wanted(struct postgres *db);
enum work_next lost_step(struct work *w);
void           lost_over(struct work *w, const struct fault *f);

/* reap_step: declares gateways dead whose lease is over, and ends some of the runs, keys and reservations of
 * dead gateways.  reap_over: notes in db whether there may be more. */
enum work_next reap_step(struct work *w);
void           reap_over(struct work *w, const struct fault *f);

/* search_index: puts the words of what was written into the table `search`, a moment later; a chore that any
 * gateway does. */

/* search_index_title: asks to note that the title of a conversation was set or removed. */
void search_index_title(struct work *w, int64_t conversation);

bool           search_index_wanted(struct postgres *db);
enum work_next search_index_step(struct work *w);
void           search_index_over(struct work *w, const struct fault *f);

/* share_keep: tells the database which shares of limits this gateway keeps. */
struct share_kept;

struct share_kept *share_kept_create(void) MUST_USE;
void               share_kept_destroy(struct share_kept *k);

/* share_keep_wanted: asks the process what it needs no more. */
bool           share_keep_wanted(struct postgres *db);
enum work_next share_keep_step(struct work *w);
void           share_keep_over(struct work *w, const struct fault *f);
/* share_sweep_step: removes rows that count no more. */
enum work_next share_sweep_step(struct work *w);
void           share_sweep_over(struct work *w, const struct fault *f);

/* retain: the chore that removes conversations, contents of messages and files when their time is over. */
struct retain;

struct retain *retain_create(void) MUST_USE; /* NULL: no memory */
void           retain_destroy(struct retain *r);
bool           retain_wanted(struct postgres *db);
enum work_next retain_step(struct work *w);
void           retain_over(struct work *w, const struct fault *f);

/* sweep: the chore that removes what retention no longer keeps, a little at a time. */
bool           sweep_wanted(struct postgres *db);
enum work_next sweep_step(struct work *w);
void           sweep_over(struct work *w, const struct fault *f);

/* The chore that removes the oldest of those events that have more bytes than they may (db->log). */
bool           sweep_size_wanted(struct postgres *db);
enum work_next sweep_size_step(struct work *w);
