/* token/token_options: an entry of the table `tokens`, as it was read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct token_scope {
	const char *value; /* a word in the claim */
	unsigned    scopes;
};
struct token_group_of {
	const char *value;
	const char *group; /* grp_… */
};

/* An entry of the table; borrowed for tokens_create. */
struct token_options {
	const char                  *issuer, *audience;
	const char                  *jwks; /* auto, a URL, or the path of a file */
	const char                  *ca_file;
	const char                  *owner, *name; /* claims; name: NULL: none */
	const char                  *scopes_claim; /* NULL: none */
	const struct token_scope    *scopes;
	size_t                       scope_count;
	unsigned                     scopes_default;
	const char                  *groups_claim; /* NULL: none */
	const struct token_group_of *groups;
	size_t                       group_count;
	bool                         groups_only; /* who is in none of them is refused */
	int64_t                      each_nano, each_window_us;
	/* The console's; client_id: NULL: nobody signs in there with this issuer. */
	const char *client_id, *client_scope, *client_resource;
};
