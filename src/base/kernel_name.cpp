#include "base/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle {
namespace {

/// Where the list of parameters begins: the bracket that the last one closes.
std::size_t parameters_of(const std::string& name) {
  if (name.empty() || name.back() != ')') return name.size();
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at;
  }
  return name.size();
}

}  // namespace

std::string kernel_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || !text) return symbol;
  std::string name = text.get();
  // Templates are written with what they return, which of a kernel is always nothing.
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

std::string short_kernel_name(const std::string& symbol) {
  const std::string name = kernel_name(symbol);
  return name == symbol ? name : name.substr(0, parameters_of(name));
}

}  // namespace heddle
