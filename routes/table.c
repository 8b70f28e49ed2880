/* The one list of routes.  A new route is a row here, a function, and its part of openapi.yaml. */
#include "routes/admin/admin_keys.h"
#include "routes/admin/me.h"
#include "routes/admin/overview.h"
#include "routes/chat/chat.h"
#include "routes/chat/completions.h"
#include "routes/conversation/conversation_change.h"
#include "routes/conversation/conversation_computer.h"
#include "routes/conversation/conversation_export.h"
#include "routes/conversation/conversation_import.h"
#include "routes/conversation/conversation_list.h"
#include "routes/conversation/conversations.h"
#include "routes/chat/embeddings.h"
#include "routes/chat/text_completions.h"
#include "routes/file/file_content.h"
#include "routes/file/file_upload.h"
#include "routes/file/files.h"
#include "routes/kit/gateway.h"
#include "routes/conversation/messages.h"
#include "routes/messages/message_events.h"
#include "routes/messages/messages_count.h"
#include "routes/messages/messages_create.h"
#include "routes/rebyte/rebyte_agent.h"
#include "routes/rebyte/rebyte_change.h"
#include "routes/rebyte/rebyte_files.h"
#include "routes/rebyte/rebyte_runs.h"
#include "routes/rebyte/rebyte_threads.h"
#include "routes/console/console.h"
#include "routes/conversation/tree.h"
#include "routes/service/metrics.h"
#include "routes/service/models.h"
#include "routes/response/response_get.h"
#include "routes/response/response_post.h"
#include "routes/run/run_cancel.h"
#include "routes/run/run_continue.h"
#include "routes/call/run_events.h"
#include "routes/run/run_ticket.h"
#include "routes/run/runs.h"
#include "routes/run/runs_live.h"
#include "routes/conversation/search.h"
#include "routes/service/service.h"
#include "routes/completion/stored_completion_change.h"
#include "routes/completion/stored_completion_messages.h"
#include "routes/completion/stored_completions.h"
#include "routes/chat/translate.h"
#include "routes/admin/session.h"
#include "routes/admin/usage.h"

/*  name                  method  path                           auth       body       quiet  family  handler */
/* clang-format off */
const struct route routes[] = {
	{ "chat",               "POST", "/v1/chat",                     AUTH_CHAT,  BODY_JSON, 0, &family_chat, chat_post },
	{ "completions",        "POST", "/v1/chat/completions",         AUTH_CHAT,  BODY_JSON, 0, &family_completions, completions_post },
	{ "stored_completions", "GET",  "/v1/chat/completions",         AUTH_READ,  BODY_NONE, 0, &family_completions, stored_completions_list },
	{ "stored_completion",  "GET",  "/v1/chat/completions/{id}",    AUTH_READ,  BODY_NONE, 0, &family_completions, stored_completions_get },
	{ "stored_completion_update", "POST", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_JSON, 0, &family_completions, stored_completion_change_update },
	{ "stored_completion_delete", "DELETE", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_NONE, 0, &family_completions, stored_completion_change_delete },
	{ "stored_completion_messages", "GET", "/v1/chat/completions/{id}/messages", AUTH_READ, BODY_NONE, 0, &family_completions, stored_completion_messages_list },
	{ "text_completions",   "POST", "/v1/completions",              AUTH_CHAT,  BODY_JSON, 0, &family_text, text_completions_post },
	{ "embeddings",         "POST", "/v1/embeddings",               AUTH_CHAT,  BODY_JSON, 0, &family_completions, embeddings_post },
	{ "messages_create",    "POST", "/v1/messages",                 AUTH_CHAT,  BODY_JSON, 0, &family_messages, messages_create_post },
	{ "messages_count",     "POST", "/v1/messages/count_tokens",    AUTH_CHAT,  BODY_JSON, 0, &family_messages, messages_count_post },
	{ "message_events",     "GET",  "/v1/messages/{id}/events",     AUTH_EITHER, BODY_NONE, ROUTE_NO_HEAD, &family_messages, message_events_get },
	{ "translate",          "POST", "/v1/translate",                AUTH_CHAT,  BODY_JSON, 0, &family_chat, translate_post },
	{ "response_create",    "POST", "/v1/responses",                AUTH_CHAT,  BODY_JSON, 0, &family_responses, response_post },
	{ "response",           "GET",  "/v1/responses/{id}",           AUTH_EITHER,  BODY_NONE, 0, &family_responses, response_get },
	{ "response_delete",    "DELETE", "/v1/responses/{id}",         AUTH_CHAT,  BODY_NONE, 0, &family_responses, response_get_delete },
	{ "response_cancel",    "POST", "/v1/responses/{id}/cancel",    AUTH_CHAT,  BODY_NONE, 0, &family_responses, run_cancel_post },
	{ "response_input_items", "GET", "/v1/responses/{id}/input_items", AUTH_EITHER, BODY_NONE, 0, &family_responses, conversations_input_items },
	{ "models",             "GET",  "/v1/models",                   AUTH_EITHER,  BODY_NONE, 0, &family_completions, models_list },
	{ "model",              "GET",  "/v1/models/{id}",              AUTH_EITHER,  BODY_NONE, 0, &family_completions, models_get },
	/* In front of the rows whose {id} it would be. */
	{ "conversation_import", "POST", "/v1/conversations/import",    AUTH_CHAT,  BODY_UPLOAD, 0, &family_chat, conversation_import_post },
	{ "conversation",       "GET",  "/v1/conversations/{id}",       AUTH_READ,  BODY_NONE, 0, &family_completions, conversations_get },
	{ "conversations",      "GET",  "/v1/conversations",            AUTH_READ,  BODY_NONE, 0, &family_completions, conversation_list_get },
	{ "conversation_create", "POST", "/v1/conversations",           AUTH_CHAT,  BODY_MAYBE, 0, &family_completions, conversation_change_create },
	{ "conversation_update", "POST", "/v1/conversations/{id}",      AUTH_CHAT,  BODY_JSON, 0, &family_completions, conversation_change_update },
	{ "conversation_delete", "DELETE", "/v1/conversations/{id}",    AUTH_CHAT,  BODY_NONE, 0, &family_completions, conversation_change_delete },
	{ "conversation_fork",  "POST", "/v1/conversations/{id}/fork",  AUTH_CHAT,  BODY_MAYBE, 0, &family_chat, conversation_change_fork },
	{ "conversation_append", "POST", "/v1/conversations/{id}/items", AUTH_CHAT, BODY_JSON, 0, &family_completions, conversation_change_append },
	{ "conversation_item",  "GET",  "/v1/conversations/{id}/items/{item}", AUTH_READ, BODY_NONE, 0, &family_completions, conversations_item },
	{ "conversation_item_delete", "DELETE", "/v1/conversations/{id}/items/{item}", AUTH_CHAT, BODY_NONE, 0, &family_completions, conversation_change_remove },
	{ "conversation_items", "GET",  "/v1/conversations/{id}/items", AUTH_READ,  BODY_NONE, 0, &family_completions, conversations_items },
	{ "conversation_export", "GET", "/v1/conversations/{id}/export", AUTH_READ, BODY_NONE, ROUTE_NO_HEAD, &family_chat, conversation_export_get },
	{ "conversation_tree",  "GET",  "/v1/conversations/{id}/tree",  AUTH_READ,  BODY_NONE, 0, &family_chat, tree_get },
	{ "conversation_computer", "GET", "/v1/conversations/{id}/computer", AUTH_READ, BODY_NONE, 0, &family_chat, conversation_computer_get },
	{ "conversation_computer_end", "DELETE", "/v1/conversations/{id}/computer", AUTH_EXECUTE, BODY_NONE, 0, &family_chat, conversation_computer_delete },
	{ "conversation_computer_files", "GET", "/v1/conversations/{id}/computer/files", AUTH_READ, BODY_NONE, 0, &family_chat, conversation_computer_files },
	{ "conversation_computer_file", "GET", "/v1/conversations/{id}/computer/files/{path}", AUTH_READ, BODY_NONE, ROUTE_NO_HEAD, &family_chat, conversation_computer_file },
	{ "messages",           "GET",  "/v1/conversations/{id}/messages", AUTH_READ, BODY_NONE, 0, &family_chat, messages_list },
	{ "runs",               "GET",  "/v1/runs",                     AUTH_READ,  BODY_NONE, 0, &family_chat, runs_get_all },
	/* In front of the row whose {id} it would be. */
	{ "runs_live",          "GET",  "/v1/runs/live",                AUTH_READ,  BODY_NONE, ROUTE_NO_HEAD, &family_chat, runs_live_get },
	{ "run",                "GET",  "/v1/runs/{id}",                AUTH_EITHER,  BODY_NONE, 0, &family_chat, runs_get },
	{ "run_events",         "GET",  "/v1/runs/{id}/events",         AUTH_TICKET, BODY_NONE, ROUTE_NO_HEAD, &family_chat, run_events_get },
	{ "run_ticket",         "POST", "/v1/runs/{id}/ticket",         AUTH_EITHER,  BODY_NONE, 0, &family_chat, run_ticket_post },
	{ "run_continue",       "POST", "/v1/runs/{id}/continue",       AUTH_CHAT,  BODY_MAYBE, 0, &family_chat, run_continue_post },
	{ "run_approve",        "POST", "/v1/runs/{id}/approve",        AUTH_EXECUTE, BODY_JSON, 0, &family_chat, run_continue_approve },
	{ "run_cancel",         "POST", "/v1/runs/{id}/cancel",         AUTH_CHAT,  BODY_NONE, 0, &family_chat, run_cancel_post },
	{ "file_upload",        "POST", "/v1/files",                    AUTH_FILES,  BODY_UPLOAD, 0, &family_completions, file_upload_post },
	{ "files",              "GET",  "/v1/files",                    AUTH_FILES,  BODY_NONE, 0, &family_completions, files_get_all },
	{ "file",               "GET",  "/v1/files/{id}",               AUTH_FILES,  BODY_NONE, 0, &family_completions, files_get },
	{ "file_content",       "GET",  "/v1/files/{id}/content",       AUTH_FILES,  BODY_NONE, 0, &family_completions, file_content_get },
	{ "file_delete",        "DELETE", "/v1/files/{id}",             AUTH_FILES,  BODY_NONE, 0, &family_completions, files_delete },
	{ "rebyte_run",         "POST", "/api/sdk/p/{project}/a/{agent}/r", AUTH_CHAT, BODY_JSON, 0, &family_rebyte, rebyte_agent_post },
	{ "rebyte_threads",     "GET",  "/api/sdk/threads",             AUTH_READ,  BODY_NONE, 0, &family_rebyte, rebyte_threads_list },
	{ "rebyte_thread_create", "POST", "/api/sdk/threads",           AUTH_CHAT,  BODY_MAYBE, 0, &family_rebyte, rebyte_change_create },
	{ "rebyte_thread",      "GET",  "/api/sdk/threads/{id}",        AUTH_READ,  BODY_NONE, 0, &family_rebyte, rebyte_threads_get },
	{ "rebyte_thread_update", "POST", "/api/sdk/threads/{id}",      AUTH_CHAT,  BODY_JSON, 0, &family_rebyte, rebyte_change_update },
	{ "rebyte_messages",    "GET",  "/api/sdk/threads/{id}/messages", AUTH_READ, BODY_NONE, 0, &family_rebyte, rebyte_threads_messages },
	{ "rebyte_message_add", "POST", "/api/sdk/threads/{id}/messages", AUTH_CHAT, BODY_JSON, 0, &family_rebyte, rebyte_change_append },
	{ "rebyte_message",     "GET",  "/api/sdk/threads/{id}/messages/{message}", AUTH_READ, BODY_NONE, 0, &family_rebyte, rebyte_threads_message },
	{ "rebyte_message_update", "POST", "/api/sdk/threads/{id}/messages/{message}", AUTH_CHAT, BODY_JSON, 0, &family_rebyte, rebyte_change_message },
	{ "rebyte_runs",        "GET",  "/api/sdk/threads/{id}/runs",   AUTH_READ,  BODY_NONE, 0, &family_rebyte, rebyte_runs_list },
	{ "rebyte_run_get",     "GET",  "/api/sdk/runs/{id}",           AUTH_EITHER, BODY_NONE, 0, &family_rebyte, rebyte_runs_get },
	{ "rebyte_ping",        "GET",  "/api/sdk/ext/ping",            AUTH_EITHER, BODY_NONE, 0, &family_rebyte, rebyte_runs_ping },
	{ "rebyte_upload",      "POST", "/api/sdk/files",               AUTH_FILES, BODY_UPLOAD, 0, &family_rebyte, rebyte_files_post },
	{ "rebyte_files",       "GET",  "/api/sdk/files",               AUTH_FILES, BODY_NONE, 0, &family_rebyte, rebyte_files_list },
	{ "rebyte_file",        "GET",  "/api/sdk/files/{id}",          AUTH_FILES, BODY_NONE, 0, &family_rebyte, rebyte_files_get },
	{ "rebyte_content",     "GET",  "/api/sdk/files/{id}/content",  AUTH_FILES, BODY_NONE, 0, &family_rebyte, file_content_get },
	{ "rebyte_file_delete", "DELETE", "/api/sdk/files/{id}",        AUTH_FILES, BODY_NONE, 0, &family_rebyte, rebyte_files_delete },
	{ "search",             "GET",  "/v1/search",                   AUTH_READ,  BODY_NONE, 0, &family_chat, search_get },
	{ "me",                 "GET",  "/v1/me",                       AUTH_KEY,  BODY_NONE, 0, &family_chat, me_get },
	{ "session_create",     "POST", "/v1/session",                  AUTH_KEY,  BODY_MAYBE, 0, &family_chat, session_create_post },
	{ "session_end",        "DELETE", "/v1/session",                AUTH_KEY,  BODY_NONE, 0, &family_chat, session_delete },
	{ "usage",              "GET",  "/v1/usage",                    AUTH_EITHER,  BODY_NONE, 0, &family_chat, usage_get },
	{ "console_root",       "GET",  "/",                            AUTH_CONSOLE, BODY_NONE, 0, &family_chat, console_root },
	{ "console",            "GET",  "/console",                     AUTH_CONSOLE, BODY_NONE, 0, &family_chat, console_page },
	{ "console_asset",      "GET",  "/console/a/{name}",            AUTH_CONSOLE, BODY_NONE, 0, &family_chat, console_asset },
	{ "livez",              "GET",  "/livez",                       AUTH_NONE, BODY_NONE, ROUTE_QUIET,  &family_chat, service_livez },
	{ "readyz",             "GET",  "/readyz",                      AUTH_NONE, BODY_NONE, ROUTE_QUIET,  &family_chat, service_readyz },
	{ "healthz",            "GET",  "/healthz",                     AUTH_NONE, BODY_NONE, ROUTE_QUIET,  &family_chat, service_readyz },
	{ "metrics",            "GET",  "/metrics",                     AUTH_OPERATOR, BODY_NONE, ROUTE_QUIET, &family_chat, metrics_get },
	{ "openapi_yaml",       "GET",  "/openapi.yaml",                AUTH_NONE, BODY_NONE, 0, &family_chat, service_openapi_yaml },
	{ "openapi_json",       "GET",  "/openapi.json",                AUTH_NONE, BODY_NONE, 0, &family_chat, service_openapi_json },
	{ "admin_overview",   "GET",    "/v1/admin/overview",  AUTH_ADMIN, BODY_NONE,  0, &family_chat, overview_get },
	{ "admin_runs_live",  "GET",    "/v1/admin/runs/live", AUTH_ADMIN, BODY_NONE,  ROUTE_NO_HEAD, &family_chat, runs_live_admin_get },
	{ "admin_runs",       "GET",    "/v1/admin/runs",      AUTH_ADMIN, BODY_NONE,  0, &family_chat, runs_admin_get_all },
	{ "admin_keys",       "GET",    "/v1/admin/keys",      AUTH_ADMIN, BODY_NONE,  0, &family_chat, admin_keys_list },
	{ "admin_key_create", "POST",   "/v1/admin/keys",      AUTH_ADMIN, BODY_MAYBE, 0, &family_chat, admin_keys_create },
	{ "admin_key",        "GET",    "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  0, &family_chat, admin_keys_get },
	{ "admin_key_update", "POST",   "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_JSON,  0, &family_chat, admin_keys_update },
	{ "admin_key_revoke", "DELETE", "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  0, &family_chat, admin_keys_revoke },
	{ "admin_key_rotate", "POST",   "/v1/admin/keys/{id}/rotate", AUTH_ADMIN, BODY_MAYBE, 0, &family_chat, admin_keys_rotate },
	{ "admin_usage",      "GET",    "/v1/admin/usage",     AUTH_ADMIN, BODY_NONE,  0, &family_chat, usage_admin_get },
	{ 0 },
};
/* clang-format on */

/* An unknown path is refused in the shape of the API that it looks like.  Anthropic's clients say the
 * version of its API, and know no other shape. */
const struct family *routes_family(const struct route *row, struct str path, struct str version)
{
	if (!row && str_starts(path, STR("/api/sdk/")))
		return &family_rebyte;
	if (!row)
		return version.n > 0 || str_starts(path, STR("/v1/messages/")) ? &family_messages
									       : &family_chat;
	return version.n > 0 && (row->handle == models_list || row->handle == models_get)
		       ? &family_messages
		       : row->family;
}
