/* tree_nodes: gathers the nodes of a page of a conversation's tree (tree_read). */
#pragma once

#include "store/conversation.h"
#include "store/words/search_text.h"

/* A message as it is stored. */
struct tree_message {
	struct id  message, parent, run;
	bool       answer; /* the run's */
	bool       removed;
	int64_t    created_ms;
	struct str body;
	struct str model; /* the run's */
};

/* Laid open so that it can be embedded. */
struct tree_nodes {
	struct arena      *arena; /* borrowed; of the texts */
	struct tree_node  *all;   /* owned */
	size_t             count;
	size_t             cap;
	size_t             bytes; /* size of the bodies */
	struct search_text text;
};

void tree_nodes_init(struct tree_nodes *t, struct arena *arena);
void tree_nodes_finish(struct tree_nodes *t);
/* tree_nodes_add: false: no memory. */
bool tree_nodes_add(struct tree_nodes *t, const struct tree_message *m) MUST_USE;
/* tree_nodes_give: the nodes, in the arena; false: no memory. */
bool tree_nodes_give(struct tree_nodes *t, struct tree_node **ret, size_t *ret_count) MUST_USE;
