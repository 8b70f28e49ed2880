/* run/vet: the texts of a request that hooks are asked about.  stage/vet.c asks; vet_gather.c collects the texts, vet_put.c and
 * vet_own.c put those of a verdict in their places.  All run on the run's loop, or on a worker while the run waits for it. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "run/internal.h"

/* Where a text comes from, and what its index counts. */
enum source_of {
	OF_MESSAGE, /* the request's messages */
	OF_BRANCH,  /* the messages that are stored already */
	OF_MADE,    /* the texts that attached files have become */
	OF_MEMBER,  /* members of the prompt, in the order of prompt.members */
	OF_FORWARD, /* members of prompt.forward */
	OF_NATIVE,  /* the client's own words, which a provider of the same API gets */
	OF_INSTRUCTION,
	OF_METADATA,
	OF_SETTINGS, /* the part of a request that its response repeats */
	OF_REASON    /* the reason for which the user did not allow code */
};

/* A JSON text with texts. */
struct source {
	enum source_of of;
	size_t         index;
	struct str     json;
	size_t         first, count; /* its strings, in vet's list */
};

/* A string of a source. */
struct found {
	size_t     at, len;
	size_t     text; /* index among the texts that are asked about */
	struct str was;  /* the text before the verdict */
	bool       data; /* the string has the text as data */
	struct str part; /* its part of a changed whole; .p is NULL: it has none */
};

/* Texts of an array that stand one after the other, and are shown without anything between as well. */
struct joined {
	size_t     source;
	size_t     first, count; /* their places, in vet's list of parts */
	size_t     text;         /* index of the whole among the texts that are asked about */
	struct str was;          /* the whole as it was */
};

struct vet {
	struct source *sources; /* owned, as the next ones */
	size_t         source_count, source_cap;
	struct found  *list;
	size_t         count, cap;
	struct joined *joins;
	size_t         join_count, join_cap;
	size_t        *parts; /* indexes in `list` */
	size_t         part_count, part_cap;
	struct arena   made;  /* texts that stand nowhere as they are */
	struct buf     texts; /* strings with commas between them */
	struct str    *seen;  /* the texts, in a table by their hash, and their indexes */
	size_t        *seen_index;
	size_t         seen_cap, seen_count;
	struct buf     images;
	struct buf     tools;
	struct buf     instruction; /* a JSON string, as the next one */
	struct buf     reason;      /* the one why code is refused */
	struct str    *now;         /* owned: copies of the texts of a verdict, on `words` */
	struct buf     words;
	bool           unwanted; /* the run is to end */
	bool           hidden;   /* data that should be a text, and can't be read */
	bool           numbers;  /* tokens in place of texts */
	bool           settles;  /* the response has other settings than the client's */
};

/* vet_texts.c */
/* vet_new: NULL: no memory. */
struct vet *vet_new(void) MUST_USE;
void        vet_free(struct vet *v); /* NULL is fine */
/* vet_add: all texts of a JSON value, which the caller keeps for as long as `v`. */
enum errc vet_add(struct vet *v, enum source_of of, size_t index, struct str json,
		  struct err *e) MUST_USE;
/* vet_add_object: the members of an object that a model may read.  Takes `kinds`, what each value is (guard/texts); NULL: no
 * memory. */
enum errc vet_add_object(struct vet *v, enum source_of of, const struct json_doc *d,
			 unsigned char *kinds, struct err *e) MUST_USE;
/* vet_is_unread: a member that no model reads, or that is shown apart. */
bool vet_is_unread(struct str member) MUST_USE;
/* vet_text_of: the index of a text that is asked about, which the caller keeps for as long as `v`.  False: no memory. */
bool vet_text_of(struct vet *v, struct str text, size_t *ret) MUST_USE;
/* vet_find: the index of a text among those that are asked about; SIZE_MAX: it is none of them. */
size_t vet_find(const struct vet *v, struct str text) MUST_USE;
/* vet_keep_words: the verdict's texts, which are only lent.  False: no memory. */
bool vet_keep_words(struct vet *v, const struct str *texts) MUST_USE;

/* vet_gather.c */
/* vet_gather: the texts of the request. */
enum errc vet_gather(struct run *r, struct err *e) MUST_USE;

/* vet_join.c: texts that stand one after the other */
/* vet_join: those of each array of a document, the last of vet's sources; place_of: of each value its place in vet's list, and
 * 1; 0: it has none.  False: no memory. */
bool vet_join(struct vet *v, const struct json_doc *d, const uint32_t *place_of) MUST_USE;
/* vet_split: what was changed in a whole alone becomes parts, none of them empty.  False: it can't be put there, or memory is
 * short. */
bool vet_split(struct vet *v) MUST_USE;

/* vet_put.c */
/* vet_replace: the verdict's texts in the places of the request's own. */
enum errc vet_replace(struct run *r, struct err *e) MUST_USE;

/* vet_own.c: the client's own words, which a provider of the same API is sent as they are */
/* vet_goes_native: whether a provider may be sent them, and they are Gemini's. */
bool vet_goes_native(const struct run *r) MUST_USE;
/* vet_unpass: the provider is sent the translation in their place; why: they can't be sent. */
enum errc vet_unpass(struct run *r, const char *why, struct err *e) MUST_USE;
/* vet_own_stays: whether a text of the messages was changed that can't be changed in the client's own words.  True, too: no
 * memory. */
bool vet_own_stays(const struct run *r, const struct vet *v) MUST_USE;
/* vet_whole_stays: whether no text of the messages was changed that is made of those of the client's own words from a place on. */
bool vet_whole_stays(const struct vet *v, size_t place) MUST_USE;
