// toml++, with the same settings everywhere: two files with different ones do not link to one program that works.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts that no table header begins with "[[[" and then reports it as an error all the same. What a user
// writes must not abort a debug build.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
