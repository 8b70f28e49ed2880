/* routes/conversation/conversation_computer: the computer of a conversation: its session and its
 * files. */
#pragma once

struct request;

void conversation_computer_get(struct request *r, void *app);
void conversation_computer_delete(struct request *r, void *app);
void conversation_computer_files(struct request *r, void *app);
void conversation_computer_file(struct request *r, void *app);
