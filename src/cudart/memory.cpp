#include "cudart/memory.h"

#include <algorithm>

#include "cudart/capture.h"
#include "cudart/context.h"

namespace heddle::cudart {

std::uint64_t Memory::allocate(Context& context, std::uint64_t bytes, MemoryKind kind, unsigned flags) {
  std::uint64_t address = 0;
  try {
    address = kind == MemoryKind::managed ? context.device().allocate_managed(bytes) : context.device().allocate(bytes);
  } catch (const runtime::LaunchError&) {
    throw Failure(cudaErrorMemoryAllocation);
  }
  if (Capturer* capture = Capturer::instance()) capture->allocated(address, bytes, kind != MemoryKind::device);
  // The host writes to its own memory as it likes.
  if (kind != MemoryKind::device) context.device().assume_written(address, bytes);
  allocations_[address] = {address, bytes, kind, flags};
  used_ += bytes;
  return address;
}

void Memory::free(Context& context, const void* pointer, bool pinned, int error) {
  if (pointer == nullptr) return;
  const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == allocations_.end() || found->second.kind == MemoryKind::symbol ||
      found->second.kind == MemoryKind::registered || (found->second.kind == MemoryKind::pinned) != pinned)
    throw Failure(static_cast<ErrorCode>(error));
  context.queues.wait_all(context);  // kernels may still use it
  if (Capturer* capture = Capturer::instance()) capture->freed(found->first);
  context.device().free(found->first);
  used_ -= found->second.bytes;
  allocations_.erase(found);
}

const Allocation* Memory::find(const void* pointer) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  --next;
  return address - next->first < std::max<std::uint64_t>(next->second.bytes, 1) ? &next->second : nullptr;
}

bool Memory::is_device(const void* pointer, std::uint64_t bytes) const {
  const Allocation* found = find(pointer);
  return found != nullptr && bytes <= found->bytes - (reinterpret_cast<std::uint64_t>(pointer) - found->address);
}

void Memory::add_symbol(std::uint64_t address, std::uint64_t bytes) {
  allocations_.try_emplace(address, Allocation{address, bytes, MemoryKind::symbol, 0});
}

void Memory::register_host(Context& context, void* pointer, std::uint64_t bytes, unsigned flags) {
  require(pointer != nullptr && bytes != 0);
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  // Two mappings of one byte would be two places for its atomics.
  const auto next = allocations_.lower_bound(address);
  require(find(pointer) == nullptr && (next == allocations_.end() || next->first >= address + bytes),
          cudaErrorHostMemoryAlreadyRegistered);
  if (Capturer* capture = Capturer::instance()) capture->refuse("it registers memory of the host");
  Allocation allocation{address, bytes, MemoryKind::registered, flags, 0};
  allocation.mapped = context.device().map_host(pointer, bytes);
  allocations_[address] = allocation;
  // What the kernels' pointer points into is known as well, so that copies may be given it.
  allocations_[allocation.mapped] = {allocation.mapped, bytes, MemoryKind::registered, flags, address};
}

void Memory::unregister_host(Context& context, void* pointer) {
  require(pointer != nullptr);
  const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(pointer));
  require(found != allocations_.end() && found->second.kind == MemoryKind::registered,
          cudaErrorHostMemoryNotRegistered);
  context.queues.wait_all(context);
  const std::uint64_t mapped = found->second.mapped;
  constexpr std::uint64_t kPage = 4096;
  context.device().free(mapped / kPage * kPage);
  allocations_.erase(found);
  allocations_.erase(mapped);
}

Block Memory::on_host(Block block) const {
  const Allocation* found = find(block.base);
  // Of the two entries of registered memory, the one in device memory says where the host has it.
  if (found != nullptr && found->kind == MemoryKind::registered && found->address < found->mapped)
    block.base =
        reinterpret_cast<std::uint8_t*>(found->mapped) + (reinterpret_cast<std::uint64_t>(block.base) - found->address);
  return block;
}

Array* Memory::make_array(Context& context, const ChannelFormat& format, Extent extent, unsigned flags) {
  auto array = std::make_unique<Array>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  for (const int bits : {format.x, format.y, format.z, format.w})
    require(bits == 0 || bits == 8 || bits == 16 || bits == 32, cudaErrorInvalidChannelDescriptor);
  require(array->element_bytes() != 0, cudaErrorInvalidChannelDescriptor);
  require(extent.width != 0);
  constexpr std::uint64_t kRowAlignment = 32;
  array->pitch = (extent.width * array->element_bytes() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  array->address = allocate(context, array->pitch * array->rows() * array->slices(), MemoryKind::device);
  Array* made = array.get();
  arrays_[made] = std::move(array);
  return made;
}

void Memory::free_array(Context& context, Array* array) {
  if (array == nullptr) return;
  const auto found = arrays_.find(array);
  require(found != arrays_.end());
  free(context, reinterpret_cast<void*>(array->address), false, cudaErrorInvalidValue);
  arrays_.erase(found);
}

Array& Memory::array(const Array* array) const {
  const auto found = arrays_.find(array);
  require(found != arrays_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

void Memory::forget_all(Context& context) {
  for (const auto& [address, allocation] : allocations_) {
    constexpr std::uint64_t kPage = 4096;
    const bool registered = allocation.kind == MemoryKind::registered;
    if (registered && allocation.address > allocation.mapped) context.device().free(allocation.mapped / kPage * kPage);
    if (!registered && allocation.kind != MemoryKind::symbol) context.device().free(address);
  }
  for (const auto& [handle, texture] : textures) context.device().destroy_texture(handle);
  allocations_.clear();
  arrays_.clear();
  textures.clear();
  used_ = 0;
}

}  // namespace heddle::cudart
