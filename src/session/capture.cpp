#include "session/capture.h"

#include <fmt/format.h>

#include <cstring>

#include "base/diagnostics.h"
#include "base/files.h"

namespace heddle::session {
namespace {

// Each step: its number in Capture::Step, then its fields in the order below. A number has eight bytes, a text its
// length and then its bytes, a list its length and then its elements.

class Out {
 public:
  explicit Out(std::FILE* file) : file_(file) {}
  void operator()(std::uint64_t value) { std::fwrite(&value, sizeof(value), 1, file_); }
  void operator()(const std::string& text) {
    (*this)(text.size());
    std::fwrite(text.data(), 1, text.size(), file_);
  }
  void operator()(const std::vector<std::string>& texts) {
    (*this)(texts.size());
    for (const std::string& text : texts) (*this)(text);
  }

 private:
  std::FILE* file_;
};

class In {
 public:
  explicit In(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  void operator()(std::uint64_t& value) { std::memcpy(&value, take(sizeof(value)), sizeof(value)); }
  void operator()(std::string& text) {
    const std::uint64_t bytes = number();
    text.assign(take(bytes), bytes);
  }
  void operator()(std::vector<std::string>& texts) {
    for (std::uint64_t left = number(); left != 0; --left) (*this)(texts.emplace_back());
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    (*this)(value);
    return value;
  }

 private:
  const char* take(std::uint64_t bytes) {
    if (bytes > text_.size() - at_) throw UserError("the captured program is cut short: is the disk full?");
    at_ += bytes;
    return text_.data() + (at_ - bytes);
  }
  std::string text_;
  std::size_t at_ = 0;
};

/// A field that is no number of eight bytes.
template <typename Archive, typename Field>
void as_number(Archive& archive, Field& field) {
  auto value = static_cast<std::uint64_t>(field);
  archive(value);
  field = static_cast<std::remove_cvref_t<Field>>(value);
}

template <typename Archive>
void fields(Archive& archive, Capture::Load& step) {
  archive(step.ptx);
}
template <typename Archive>
void fields(Archive& archive, Capture::Memory& step) {
  archive(step.address);
  archive(step.bytes);
}
template <typename Archive>
void fields(Archive& archive, Capture::Write& step) {
  archive(step.address);
  archive(step.bytes);
}
template <typename Archive>
void fields(Archive& archive, Capture::WriteSymbol& step) {
  archive(step.module);
  archive(step.name);
  archive(step.offset);
  archive(step.bytes);
}
template <typename Archive>
void fields(Archive& archive, Capture::Launch& step) {
  archive(step.module);
  archive(step.kernel);
  for (Dim3* size : {&step.grid, &step.block}) {
    as_number(archive, size->x);
    as_number(archive, size->y);
    as_number(archive, size->z);
  }
  archive(step.shared);
  archive(step.arguments);
  archive(step.stream);
  as_number(archive, step.cooperative);
}
template <typename Archive>
void fields(Archive& /*archive*/, Capture::Wait& /*step*/) {}
template <typename Archive>
void fields(Archive& archive, Capture::Refused& step) {
  archive(step.why);
}

/// A step of that number, with nothing in it.
template <std::size_t kNumber = 0>
Capture::Step empty_step(std::uint64_t number) {
  if constexpr (kNumber < std::variant_size_v<Capture::Step>) {
    return number == kNumber ? Capture::Step(std::in_place_index<kNumber>) : empty_step<kNumber + 1>(number);
  } else {
    throw UserError(fmt::format("the captured program is damaged: there is no step {}", number));
  }
}

}  // namespace

CaptureWriter::CaptureWriter(const std::string& file) : file_(std::fopen(file.c_str(), "wb"), &std::fclose) {
  if (!file_) throw UserError(fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
}

void CaptureWriter::add(const Capture::Step& step) {
  Out out(file_.get());
  out(step.index());
  std::visit([&](auto copy) { fields(out, copy); },  // the fields are read and written by the same functions
             step);
  std::fflush(file_.get());
}

Capture read_capture(const std::string& file) {
  Capture capture;
  In in(read_file(file));
  while (!in.at_end()) {
    Capture::Step& step = capture.steps.emplace_back(empty_step(in.number()));
    std::visit([&](auto& own) { fields(in, own); }, step);
  }
  return capture;
}

}  // namespace heddle::session
