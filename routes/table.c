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

/*  name                  method  path                           auth       body       quiet  family  handler */
/* clang-format off */
const struct route routes[] = {
	{ "chat",               "POST", "/v1/chat",                     AUTH_CHAT,  BODY_JSON, false, &family_chat, chat_post },
	{ "completions",        "POST", "/v1/chat/completions",         AUTH_CHAT,  BODY_JSON, false, &family_completions, completions_post },
	{ "stored_completions", "GET",  "/v1/chat/completions",         AUTH_READ,  BODY_NONE, false, &family_completions, stored_completions_list },
	{ "stored_completion",  "GET",  "/v1/chat/completions/{id}",    AUTH_READ,  BODY_NONE, false, &family_completions, stored_completions_get },
	{ "stored_completion_update", "POST", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_JSON, false, &family_completions, stored_completion_change_update },
	{ "stored_completion_delete", "DELETE", "/v1/chat/completions/{id}", AUTH_CHAT, BODY_NONE, false, &family_completions, stored_completion_change_delete },
	{ "stored_completion_messages", "GET", "/v1/chat/completions/{id}/messages", AUTH_READ, BODY_NONE, false, &family_completions, stored_completion_messages_list },
	{ "embeddings",         "POST", "/v1/embeddings",               AUTH_CHAT,  BODY_JSON, false, &family_completions, embeddings_post },
	{ "translate",          "POST", "/v1/translate",                AUTH_CHAT,  BODY_JSON, false, &family_chat, translate_post },
	{ "models",             "GET",  "/v1/models",                   AUTH_EITHER,  BODY_NONE, false, &family_completions, models_list },
	{ "model",              "GET",  "/v1/models/{id}",              AUTH_EITHER,  BODY_NONE, false, &family_completions, models_get },
	/* In front of the rows whose {id} it would be. */
	{ "conversation_import", "POST", "/v1/conversations/import",    AUTH_CHAT,  BODY_UPLOAD, false, &family_chat, conversation_import_post },
	{ "conversation",       "GET",  "/v1/conversations/{id}",       AUTH_READ,  BODY_NONE, false, &family_completions, conversations_get },
	{ "conversations",      "GET",  "/v1/conversations",            AUTH_READ,  BODY_NONE, false, &family_completions, conversation_list_get },
	{ "conversation_create", "POST", "/v1/conversations",           AUTH_CHAT,  BODY_MAYBE, false, &family_completions, conversation_change_create },
	{ "conversation_update", "POST", "/v1/conversations/{id}",      AUTH_CHAT,  BODY_JSON, false, &family_completions, conversation_change_update },
	{ "conversation_delete", "DELETE", "/v1/conversations/{id}",    AUTH_CHAT,  BODY_NONE, false, &family_completions, conversation_change_delete },
	{ "conversation_fork",  "POST", "/v1/conversations/{id}/fork",  AUTH_CHAT,  BODY_MAYBE, false, &family_chat, conversation_change_fork },
	{ "conversation_append", "POST", "/v1/conversations/{id}/items", AUTH_CHAT, BODY_JSON, false, &family_completions, conversation_change_append },
	{ "conversation_item",  "GET",  "/v1/conversations/{id}/items/{item}", AUTH_READ, BODY_NONE, false, &family_completions, conversations_item },
	{ "conversation_item_delete", "DELETE", "/v1/conversations/{id}/items/{item}", AUTH_CHAT, BODY_NONE, false, &family_completions, conversation_change_remove },
	{ "conversation_items", "GET",  "/v1/conversations/{id}/items", AUTH_READ,  BODY_NONE, false, &family_completions, conversations_items },
	{ "conversation_export", "GET", "/v1/conversations/{id}/export", AUTH_READ, BODY_NONE, false, &family_chat, conversation_export_get },
	{ "messages",           "GET",  "/v1/conversations/{id}/messages", AUTH_READ, BODY_NONE, false, &family_chat, messages_list },
	{ "runs",               "GET",  "/v1/runs",                     AUTH_READ,  BODY_NONE, false, &family_chat, runs_get_all },
	{ "run",                "GET",  "/v1/runs/{id}",                AUTH_EITHER,  BODY_NONE, false, &family_chat, runs_get },
	{ "run_events",         "GET",  "/v1/runs/{id}/events",         AUTH_TICKET, BODY_NONE, false, &family_chat, run_events_get },
	{ "run_ticket",         "POST", "/v1/runs/{id}/ticket",         AUTH_EITHER,  BODY_NONE, false, &family_chat, run_ticket_post },
	{ "run_continue",       "POST", "/v1/runs/{id}/continue",       AUTH_CHAT,  BODY_MAYBE, false, &family_chat, run_continue_post },
	{ "run_cancel",         "POST", "/v1/runs/{id}/cancel",         AUTH_CHAT,  BODY_NONE, false, &family_chat, run_cancel_post },
	{ "file_upload",        "POST", "/v1/files",                    AUTH_FILES,  BODY_UPLOAD, false, &family_completions, file_upload_post },
	{ "files",              "GET",  "/v1/files",                    AUTH_FILES,  BODY_NONE, false, &family_completions, files_get_all },
	{ "file",               "GET",  "/v1/files/{id}",               AUTH_FILES,  BODY_NONE, false, &family_completions, files_get },
	{ "file_content",       "GET",  "/v1/files/{id}/content",       AUTH_FILES,  BODY_NONE, false, &family_completions, file_content_get },
	{ "file_delete",        "DELETE", "/v1/files/{id}",             AUTH_FILES,  BODY_NONE, false, &family_completions, files_delete },
	{ "search",             "GET",  "/v1/search",                   AUTH_READ,  BODY_NONE, false, &family_chat, search_get },
	{ "usage",              "GET",  "/v1/usage",                    AUTH_EITHER,  BODY_NONE, false, &family_chat, usage_get },
	{ "livez",              "GET",  "/livez",                       AUTH_NONE, BODY_NONE, true,  &family_chat, service_livez },
	{ "readyz",             "GET",  "/readyz",                      AUTH_NONE, BODY_NONE, true,  &family_chat, service_readyz },
	{ "healthz",            "GET",  "/healthz",                     AUTH_NONE, BODY_NONE, true,  &family_chat, service_readyz },
	{ "metrics",            "GET",  "/metrics",                     AUTH_NONE, BODY_NONE, true,  &family_chat, metrics_get },
	{ "openapi_yaml",       "GET",  "/openapi.yaml",                AUTH_NONE, BODY_NONE, false, &family_chat, service_openapi_yaml },
	{ "openapi_json",       "GET",  "/openapi.json",                AUTH_NONE, BODY_NONE, false, &family_chat, service_openapi_json },
	{ 0 },
};

const struct route admin_routes[] = {
	{ "admin_keys",       "GET",    "/v1/admin/keys",      AUTH_ADMIN, BODY_NONE,  false, &family_chat, admin_keys_list },
	{ "admin_key_create", "POST",   "/v1/admin/keys",      AUTH_ADMIN, BODY_MAYBE, false, &family_chat, admin_keys_create },
	{ "admin_key",        "GET",    "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  false, &family_chat, admin_keys_get },
	{ "admin_key_update", "POST",   "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_JSON,  false, &family_chat, admin_keys_update },
	{ "admin_key_revoke", "DELETE", "/v1/admin/keys/{id}", AUTH_ADMIN, BODY_NONE,  false, &family_chat, admin_keys_revoke },
	{ "admin_key_rotate", "POST",   "/v1/admin/keys/{id}/rotate", AUTH_ADMIN, BODY_MAYBE, false, &family_chat, admin_keys_rotate },
	{ "admin_usage",      "GET",    "/v1/admin/usage",     AUTH_ADMIN, BODY_NONE,  false, &family_chat, usage_admin_get },
	{ "livez",   "GET", "/livez",   AUTH_NONE, BODY_NONE, true, &family_chat, service_livez },
	{ "readyz",  "GET", "/readyz",  AUTH_NONE, BODY_NONE, true, &family_chat, service_readyz },
	{ "metrics", "GET", "/metrics", AUTH_NONE, BODY_NONE, true, &family_chat, metrics_get },
	{ 0 },
};
/* clang-format on */
