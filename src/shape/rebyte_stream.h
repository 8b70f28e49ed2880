/* shape/rebyte_stream: the encoder of Rebyte's runs. */
#pragma once

#include "shape/encoder.h"

/* rebyte_stream_create: NULL: no memory. */
struct encoder *rebyte_stream_create(const struct encoder_about *about) MUST_USE;
