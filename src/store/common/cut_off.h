/* cut_off: what a run is worth that its gateway has left without an end. */
#pragma once

#include "store/common/salvage.h"
#include "store/turn.h"

/* The error of such a run. */
#define CUT_OFF_ERROR                                                            \
	"{\"message\":\"the gateway stopped while this answer was being made\"," \
	"\"type\":\"server_error\",\"param\":null,\"code\":\"server_stopped\"}"

/* A run's bill, as its row has it. */
struct cut_off_bill {
	int64_t    attempts, first_token_ms;
	struct str provider; /* asked last */
	struct str key, model;
	bool       known;  /* false: the run began before rows had the rest */
	int64_t    in;     /* bytes of the prompt */
	bool       priced; /* and at which prices */
	int64_t    price_in, price_out;
	/* Usage of failed attempts, for which the key pays too; dropped false: none. */
	bool         dropped;
	struct usage dropped_usage; /* estimated, if it has any tokens */
	bool         dropped_priced;
	int64_t      dropped_nano;
	bool         asked; /* a provider was being asked */
};

/* cut_off_charge: estimates what the provider may have charged, for the run's end and for its note; false:
 * the bill is not known. */
bool cut_off_charge(const struct cut_off_bill *b, const struct salvage_told *told,
		    struct turn_end *end, struct usage_note *note);
