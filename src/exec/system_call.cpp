// What kernels can call on the device: printf, malloc, free, assert.
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "exec/fault.h"
#include "exec/interpreter.h"

namespace heddle::exec {

using isa::SystemCall;

namespace {

/// Most bytes of one conversion, and of one call: the size that a GPU's buffer for output has by default.
constexpr std::size_t kLongestConversion = 64 * 1024;
constexpr std::size_t kLongestOutput = 1024 * 1024;

/// Whether a width or precision asks for more than is ever printed. The host's printf would take its time, and memory,
/// before it said so.
bool asks_for_too_much(const std::string& specification) {
  std::size_t number = 0;
  for (const char c : specification) {
    number = c >= '0' && c <= '9' ? 10 * number + static_cast<std::size_t>(c - '0') : 0;
    if (number > kLongestConversion) return true;
  }
  return false;
}

/// Appends one conversion, formatted as the host's printf does it.
template <typename Value>
void append(std::string& out, const std::string& specification, Value value) {
  if (asks_for_too_much(specification)) return;
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length <= 0 || static_cast<std::size_t>(length) > kLongestConversion) return;
  if (out.size() + static_cast<std::size_t>(length) > kLongestOutput) return;
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(length) + 1);
  std::snprintf(out.data() + before, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
  out.pop_back();
}

}  // namespace

std::string Interpreter::read_string(const Warp& warp, unsigned lane, std::uint64_t address) {
  constexpr std::size_t kLongest = 64 * 1024;
  std::string text;
  if (address == 0) return "(null)";
  while (text.size() < kLongest) {
    const std::uint8_t byte = *locate(warp, lane, address + text.size(), 1, isa::Space::generic);
    if (byte == 0) break;
    text += static_cast<char>(byte);
  }
  return text;
}

std::uint64_t Interpreter::print(const Warp& warp, unsigned lane, std::uint64_t format_address,
                                 std::uint64_t arguments) {
  const std::string format = read_string(warp, lane, format_address);
  std::string out;
  std::uint64_t printed = 0;
  std::uint64_t at = arguments;
  const auto take = [&](unsigned bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    std::memcpy(&value, locate(warp, lane, at, bytes, isa::Space::generic), bytes);
    at += bytes;
    return value;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    // %[flags][width][.precision][length]conversion; `*` takes an int.
    std::string specification = "%";
    std::size_t j = i + 1;
    bool verbatim = false;  // as hardware has it: a precision cannot come from an argument
    while (j < format.size() && std::strchr("-+ #0123456789.*", format[j]) != nullptr) {
      if (format[j] == '*') {
        verbatim = format[j - 1] == '.';
        specification += std::to_string(static_cast<std::int32_t>(take(4)));
      } else {
        specification += format[j];
      }
      ++j;
    }
    unsigned longs = 0;
    unsigned shorts = 0;
    while (j < format.size() && std::strchr("hljztL", format[j]) != nullptr) {
      if (format[j] == 'h') ++shorts;
      if (format[j] == 'l' || format[j] == 'j' || format[j] == 'z' || format[j] == 't')
        longs = format[j] == 'l' ? longs + 1 : 2;
      ++j;
    }
    if (j >= format.size() || specification.size() > 64) {
      out += format.substr(i);
      break;
    }
    const char conversion = verbatim ? '\0' : format[j];
    switch (conversion) {
      case 'd':
      case 'i': {
        std::int64_t value = longs > 0 ? static_cast<std::int64_t>(take(8)) : static_cast<std::int32_t>(take(4));
        if (shorts > 0) value = shorts == 1 ? static_cast<std::int16_t>(value) : static_cast<std::int8_t>(value);
        append(out, specification + "lld", static_cast<long long>(value));
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        std::uint64_t value = take(longs > 0 ? 8 : 4);
        if (shorts > 0) value &= shorts == 1 ? 0xffffu : 0xffu;
        append(out, specification + "ll" + conversion, static_cast<unsigned long long>(value));
        break;
      }
      case 'c':
        append(out, specification + conversion, static_cast<int>(take(4)));
        break;
      case 'p':
        append(out, "0x%llx", static_cast<unsigned long long>(take(8)));
        break;
      case 's':
        append(out, specification + conversion, read_string(warp, lane, take(8)).c_str());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        append(out, specification + conversion, std::bit_cast<double>(take(8)));
        break;
      default:
        out += format.substr(i, j - i + 1);
        --printed;
        break;
    }
    ++printed;
    i = j;
  }
  if (launch_->environment.print) launch_->environment.print(out);
  return printed;
}

void Interpreter::system_call(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  Environment& environment = launch_->environment;
  const auto argument = [&](unsigned s, unsigned lane) { return source_value(op, warp, s, lane, 8); };
  std::uint64_t results[kWarpSize] = {};  // written at the end: the destination may overlay an argument of another lane
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t& result = results[lane];
    switch (i.system_call) {
      case SystemCall::vprintf:
        result = print(warp, lane, argument(0, lane), argument(1, lane));
        break;
      case SystemCall::malloc: {
        const std::uint64_t bytes = argument(0, lane);
        if (bytes == 0 || bytes > environment.heap_limit - environment.heap_used) break;
        if (const auto address = environment.memory->allocate(bytes)) {
          environment.heap.insert(*address);
          environment.heap_used += bytes;
          result = *address;
        }
        break;
      }
      case SystemCall::free: {
        const std::uint64_t address = argument(0, lane);
        if (address == 0) break;
        if (environment.heap.erase(address) == 0) {
          ProgramFault what;
          what.kind = FaultKind::illegal_address;
          what.address = address;
          what.space = "heap";
          what.detail = "free() was called with an address that malloc() did not return";
          fault(lane, std::move(what));
        }
        if (const auto allocation = environment.memory->find_allocation(address))
          environment.heap_used -= allocation->bytes;
        if (launch_->checks != nullptr) launch_->checks->frees(*slot_, lane);
        environment.memory->release(address);
        break;
      }
      case SystemCall::assertfail: {
        ProgramFault what;
        what.kind = FaultKind::assertion;
        what.detail =
            fmt::format("{}:{}: {}: assertion `{}' failed", read_string(warp, lane, argument(1, lane)),
                        static_cast<std::uint32_t>(argument(2, lane)), read_string(warp, lane, argument(3, lane)),
                        read_string(warp, lane, argument(0, lane)));
        fault(lane, std::move(what));
      }
    }
  }
  if (!i.dst[0].exists()) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    write_value(op, warp, lane, results[lane]);
  }
}

}  // namespace heddle::exec
