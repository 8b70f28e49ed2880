/* shape/response_tool: finds the tool that a provider's call names. */
#pragma once

#include "json/scan.h"

/* A tool of the request. */
struct response_tool {
	json_at    at; /* absent: there is none */
	struct str space;
	struct str name; /* within its namespace */
};

/* response_tool_of: name: as the provider knows it, with that of the namespace before it.  tools: the list
 * that the request shows, or absent. */
struct response_tool response_tool_of(const struct json_doc *d, json_at tools, struct str name);
