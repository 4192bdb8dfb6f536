#include "core/context_mover.h"

#include "core/request_names.h"

namespace heddle::core {

std::uint32_t ContextMover::start(const ContextMove& move) {
  const std::uint32_t number = moves_.take();
  moves_.at(number) = {move, (move.bytes + line_bytes_ - 1) / line_bytes_, 0, 0};
  unsent_.push_back(number);
  ++(move.kind == memory::RequestKind::write ? statistics_.contexts_saved
                                             : statistics_.contexts_restored)[move.application];
  statistics_.context_bytes[move.application] += move.bytes;
  return number;
}

void ContextMover::send() {
  if (unsent_.empty() || port_.full()) return;
  const std::uint32_t number = unsent_.front();
  UnderWay& moving = moves_.at(number);
  memory::Request request;
  request.line = memory::LineTag(memory::PhysLine{moving.move.place + moving.sent * line_bytes_});
  request.sectors = (1u << line_bytes_ / memory::kSectorUnit) - 1;
  request.id = request_id(RequestName::context, number);
  request.application = moving.move.application;
  request.kind = moving.move.kind;
  request.bytes = static_cast<std::uint16_t>(line_bytes_);
  port_.push(request);
  if (++moving.sent == moving.lines) unsent_.pop_front();
}

std::optional<ContextMover::Ended> ContextMover::answered(std::uint32_t number) {
  UnderWay& moving = moves_.at(number);
  if (++moving.answered != moving.lines) return std::nullopt;
  const Ended ended{number, moving.move};
  moves_.release(number);
  return ended;
}

}  // namespace heddle::core
