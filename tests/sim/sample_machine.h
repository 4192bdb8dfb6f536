// A small machine description that the tests configure.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/parameter.h"

namespace heddle::sim {

struct SampleCache : ParameterGroup {
  using ParameterGroup::ParameterGroup;
  Parameter<unsigned> ways{*this, "ways", 4, {1, 64}, "ways", "Associativity."};
  Parameter<unsigned> sets{*this, "sets", 32, {1, 4096}, "sets", "Sets."};
  Flag enabled{*this, "enabled", true, "Whether loads use it."};
};

struct SampleSm : ParameterGroup {
  using ParameterGroup::ParameterGroup;
  Parameter<double> clock{*this, "clock", 1.5, {0.1, 10.0}, "GHz", "Clock."};
  Choice scheduler{*this, "scheduler", "gto", {"gto", "lrr", "two-level"}, "Picks the warp that issues."};
  SampleCache l1{*this, "l1", "The cache of one SM."};
};

struct SampleMachine : ParameterGroup {
  Parameter<int> offset{*this, "offset", 0, {-5, 5}, "bytes", "May be negative."};
  SampleSm sm{*this, "sm", "One streaming multiprocessor."};
};

/// What a UserError says, or nothing if none is thrown.
template <typename Function>
std::string message_of(Function&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace heddle::sim
