/* Included before a unit test: its own code, which the allocator knows by the section, is never refused. */
#pragma clang section text = "parley_test"
