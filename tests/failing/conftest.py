"""The end-to-end fixtures, with the gateway whose allocator refuses what a test says."""

import gateway
from fixtures import *  # noqa: F403

gateway.BINARY = gateway.BINARY.with_name("parley_refuse")
