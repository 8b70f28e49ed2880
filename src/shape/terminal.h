/* shape/terminal: the output of the computer as a model is sent it.  What is stored is all that was
 * printed; a model is sent the beginning and the end of a long output, as a terminal would show it: a
 * carriage return overwrites its line. */
#pragma once

#include "base/arena.h"

/* terminal_fit: the message, where the outputs among its LMC messages fit; *ret is the message itself
 * where nothing has to change, or in the arena.  False: no memory. */
bool terminal_fit(struct str message, struct arena *arena, struct str *ret) MUST_USE;
