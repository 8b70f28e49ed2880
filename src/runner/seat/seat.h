/* seat: what the runner and the seat say to each other: one packet of a SOCK_SEQPACKET socket for each
 * of these structs.  Both are built together, for one machine. */
#pragma once

#include <stdint.h>

enum {
	SEAT_FD = 3, /* the seat's end of the socket; a language finds its control socket there */
	SEAT_ARGUMENTS = 480, /* bytes of a program's arguments, each with its NUL */
	SEAT_DIRECTORY = 512, /* bytes of a directory's path, with its NUL */
};

enum seat_order {
	SEAT_START = 1, /* with two descriptors: the pipe for output, the control socket */
	SEAT_SIGNAL
};

struct seat_ask {
	uint8_t  order;  /* enum seat_order */
	uint8_t  signal; /* SEAT_SIGNAL: for the process group */
	uint16_t length; /* SEAT_START: bytes of arguments */
	uint32_t id;     /* a program's; the runner counts */
	char     directory[SEAT_DIRECTORY];
	char     arguments[SEAT_ARGUMENTS];
};

enum seat_news {
	SEAT_READY = 1, /* with two descriptors: the user's folder, the folder for code */
	SEAT_ENDED
};

struct seat_say {
	uint8_t  news; /* enum seat_news */
	uint32_t id;
	int32_t  status; /* SEAT_ENDED: as waitpid(2) gives it */
};
