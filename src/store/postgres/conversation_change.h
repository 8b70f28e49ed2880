/* conversation_change: changes conversations outside of their turns, as stages of a work that writes. */
#pragma once

#include "store/conversation.h"
#include "store/postgres/work.h"

/* conversation_change: the stage of the change j, counted from 0.  Nothing of w->state is used. */
enum work_next conversation_change(struct work *w, struct conversation_write *j, unsigned stage);

/* The parts that are in files of their own; stages from 1 on, whose results of stage 0 are these. */
enum {
	CHANGE_KEY,   /* answer_made_ask */
	CHANGE_FOUND, /* CONVERSATION_CELL, op; of the source of a fork; locked */
	CHANGE_TURN,  /* the newest turn: status, base, parent, whether it has an answer */
};
enum work_next conversation_fork(struct work *w, struct conversation_write *j, unsigned stage);

/* The columns of a new conversation besides its title, metadata and opening. */
struct conversation_rest {
	int64_t    tip;
	struct str instruction; /* p NULL: none */
	struct str excerpt;
	size_t     messages;
};

/* conversation_put: asks to write a new conversation with its messages (without those of a fork) and labels. */
void conversation_put(struct work *w, struct conversation_write *j, struct store_conversation c,
		      const struct conversation_rest *rest);
/* conversation_made: asks to write the key; WORK_LAST, or WORK_DONE if j's error is set. */
enum work_next conversation_made(struct work *w, struct conversation_write *j);
