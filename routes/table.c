/* The one list of routes.  A new route is a row here, a function, and its part of openapi.yaml. */
#include "routes/admin/admin_keys.h"
#include "routes/chat/chat.h"
#include "routes/chat/completions.h"
#include "routes/conversation/conversation_change.h"
#include "routes/conversation/conversation_export.h"
#include "routes/conversation/conversation_import.h"
#include "routes/conversation/conversation_list.h"
#include "routes/conversation/conversations.h"
#include "routes/chat/embeddings.h"
#include "routes/file/file_content.h"
#include "routes/file/file_upload.h"
#include "routes/file/files.h"
#include "routes/kit/gateway.h"
#include "routes/conversation/messages.h"
#include "routes/service/metrics.h"
#include "routes/service/models.h"
#include "routes/run/run_cancel.h"
#include "routes/run/run_continue.h"
#include "routes/call/run_events.h"
#include "routes/run/run_ticket.h"
#include "routes/run/runs.h"
#include "routes/conversation/search.h"
#include "routes/service/service.h"
#include "routes/completion/stored_completion_change.h"
#include "routes/completion/stored_completion_messages.h"
#include "routes/completion/stored_completions.h"
#include "routes/chat/translate.h"
#include "routes/admin/usage.h"

/*  name                  method  path                           auth       body       quiet  handler */
const struct route routes[] = {
	{ "chat",               "POST", "/v1/chat",                     AUTH_CHAT,  BODY_JSON, false, chat_post },
	{ "completions",        "POST", "/v1/chat/completions",         AUTH_CHAT,  BODY_JSON, false, completions_post },
	{ "stored_completions", "GET",  "/v1/chat/completions",         AUTH_READ,  BODY_NONE, false, stored_completions_list },
	{ "stored_completion",  "GET",  "/v1/chat/completions/{id}",    AUTH_READ,  BODY_NONE, false, stored_completions_get },
	{ "stored_completion_update", "POST", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_JSON, false, stored_completion_change_update },
	{ "stored_completion_delete", "DELETE", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_NONE, false, stored_completion_change_delete },
	{ "stored_completion_messages", "GET", "/v1/chat/completions/{id}/messages", AUTH_READ, BODY_NONE, false, stored_completion_messages_list },
	{ "embeddings",         "POST", "/v1/embeddings",               AUTH_CHAT,  BODY_JSON, false, embeddings_post },
	{ "translate",          "POST", "/v1/translate",                AUTH_CHAT,  BODY_JSON, false, translate_post },
	{ "models",             "GET",  "/v1/models",                   AUTH_EITHER,  BODY_NONE, false, models_list },
	{ "model",              "GET",  "/v1/models/{id}",              AUTH_EITHER,  BODY_NONE, false, models_get },
	/* In front of the rows whose {id} it would be. */
	{ "conversation_import", "POST", "/v1/conversations/import",    AUTH_CHAT,  BODY_UPLOAD, false, conversation_import_post },
	{ "conversation",       "GET",  "/v1/conversations/{id}",       AUTH_READ,  BODY_NONE, false, conversations_get },
	{ "conversations",      "GET",  "/v1/conversations",            AUTH_READ,  BODY_NONE, false, conversation_list_get },
	{ "conversation_create", "POST", "/v1/conversations",           AUTH_CHAT,  BODY_MAYBE, false, conversation_change_create },
	{ "conversation_update", "POST", "/v1/conversations/{id}",      AUTH_CHAT,  BODY_JSON, false, conversation_change_update },
	{ "conversation_delete", "DELETE", "/v1/conversations/{id}",    AUTH_CHAT,  BODY_NONE, false, conversation_change_delete },
	{ "conversation_fork",  "POST", "/v1/conversations/{id}/fork",  AUTH_CHAT,  BODY_MAYBE, false, conversation_change_fork },
	{ "conversation_append", "POST", "/v1/conversations/{id}/items", AUTH_CHAT, BODY_JSON, false, conversation_change_append },
	{ "conversation_item",  "GET",  "/v1/conversations/{id}/items/{item}", AUTH_READ, BODY_NONE, false, conversations_item },
	{ "conversation_item_delete", "DELETE", "/v1/conversations/{id}/items/{item}", AUTH_CHAT, BODY_NONE, false, conversation_change_remove },
	{ "conversation_items", "GET",  "/v1/conversations/{id}/items", AUTH_READ,  BODY_NONE, false, conversations_items },
	{ "conversation_export", "GET", "/v1/conversations/{id}/export", AUTH_READ, BODY_NONE, false, conversation_export_get },
	{ "messages",           "GET",  "/v1/conversations/{id}/messages", AUTH_READ, BODY_NONE, false, messages_list },
	{ "runs",               "GET",  "/v1/runs",                     AUTH_READ,  BODY_NONE, false, runs_get_all },
	{ "run",                "GET",  "/v1/runs/{id}",                AUTH_EITHER,  BODY_NONE, false, runs_get },
	{ "run_events",         "GET",  "/v1/runs/{id}/events",         AUTH_TICKET, BODY_NONE, false, run_events_get },
	{ "run_ticket",         "POST", "/v1/runs/{id}/ticket",         AUTH_EITHER,  BODY_NONE, false, run_ticket_post },
	{ "run_continue",       "POST", "/v1/runs/{id}/continue",       AUTH_CHAT,  BODY_MAYBE, false, run_continue_post },
	{ "run_cancel",         "POST", "/v1/runs/{id}/cancel",         AUTH_CHAT,  BODY_NONE, false, run_cancel_post },
	{ "file_upload",        "POST", "/v1/files",                    AUTH_FILES,  BODY_UPLOAD, false, file_upload_post },
	{ "files",              "GET",  "/v1/files",                    AUTH_FILES,  BODY_NONE, false, files_get_all },
	{ "file",               "GET",  "/v1/files/{id}",               AUTH_FILES,  BODY_NONE, false, files_get },
	{ "file_content",       "GET",  "/v1/files/{id}/content",       AUTH_FILES,  BODY_NONE, false, file_content_get },
	{ "file_delete",        "DELETE", "/v1/files/{id}",             AUTH_FILES,  BODY_NONE, false, files_delete },
	{ "search",             "GET",  "/v1/search",                   AUTH_READ,  BODY_NONE, false, search_get },
	{ "usage",              "GET",  "/v1/usage",                    AUTH_EITHER,  BODY_NONE, false, usage_get },
	{ "livez",              "GET",  "/livez",                       AUTH_NONE, BODY_NONE, true,  service_livez },
	{ "readyz",             "GET",  "/readyz",                      AUTH_NONE, BODY_NONE, true,  service_readyz },
	{ "healthz",            "GET",  "/healthz",                     AUTH_NONE, BODY_NONE, true,  service_readyz },
	{ "metrics",            "GET",  "/metrics",                     AUTH_NONE, BODY_NONE, true,  metrics_get },
	{ "openapi_yaml",       "GET",  "/openapi.yaml",                AUTH_NONE, BODY_NONE, false, service_openapi_yaml },
	{ "openapi_json",       "GET",  "/openapi.json",                AUTH_NONE, BODY_NONE, false, service_openapi_json },
	{ 0 },
};

const struct route admin_routes[] = {
	{ "admin_keys",       "GET",    "/v1/admin/keys",      AUTH_ADMIN, BODY_NONE,  false, admin_keys_list },
	{ "admin_key_create", "POST",   "/v1/admin/keys",      AUTH_ADMIN, BODY_MAYBE, false, admin_keys_create },
	{ "admin_key",        "GET",    "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  false, admin_keys_get },
	{ "admin_key_update", "POST",   "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_JSON,  false, admin_keys_update },
	{ "admin_key_revoke", "DELETE", "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  false, admin_keys_revoke },
	{ "admin_key_rotate", "POST",   "/v1/admin/keys/{id}/rotate", AUTH_ADMIN, BODY_MAYBE, false, admin_keys_rotate },
	{ "admin_usage",      "GET",    "/v1/admin/usage",     AUTH_ADMIN, BODY_NONE,  false, usage_admin_get },
	{ "livez",   "GET", "/livez",   AUTH_NONE, BODY_NONE, true, service_livez },
	{ "readyz",  "GET", "/readyz",  AUTH_NONE, BODY_NONE, true, service_readyz },
	{ "metrics", "GET", "/metrics", AUTH_NONE, BODY_NONE, true, metrics_get },
	{ 0 },
};
