// Variables of the program in device memory, by the host variable that stands for them.
#include "cudart/copies.h"

namespace heddle::cudart {
namespace {

Error copy_to(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
              StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    const auto [address, size] = context.programs.symbol(context, symbol);
    require(offset <= size && bytes <= size - offset);
    require(kind == kHostToDevice || kind == kDeviceToDevice || kind == kCopyDefault, cudaErrorInvalidMemcpyDirection);
    context.memory.add_symbol(address, size);
    copy(context, linear(reinterpret_cast<void*>(address + offset)), linear(from), {bytes}, kind, stream, waits);
  });
}

Error copy_from(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind, StreamHandle stream,
                Waits waits) {
  return call([&](Context& context) {
    const auto [address, size] = context.programs.symbol(context, symbol);
    require(offset <= size && bytes <= size - offset);
    require(kind == kDeviceToHost || kind == kDeviceToDevice || kind == kCopyDefault, cudaErrorInvalidMemcpyDirection);
    context.memory.add_symbol(address, size);
    copy(context, linear(to), linear(reinterpret_cast<void*>(address + offset)), {bytes}, kind, stream, waits);
  });
}

}  // namespace

HEDDLE_API Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    int kind) {
  return copy_to(symbol, from, bytes, offset, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                         int kind) {
  return copy_to(symbol, from, bytes, offset, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                         int kind, StreamHandle stream) {
  return copy_to(symbol, from, bytes, offset, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, std::size_t bytes,
                                              std::size_t offset, int kind, StreamHandle stream) {
  return copy_to(symbol, from, bytes, offset, kind, stream_or_default(stream, true), Waits::no);
}
HEDDLE_API Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return copy_from(to, symbol, bytes, offset, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                           int kind) {
  return copy_from(to, symbol, bytes, offset, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                           int kind, StreamHandle stream) {
  return copy_from(to, symbol, bytes, offset, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                int kind, StreamHandle stream) {
  return copy_from(to, symbol, bytes, offset, kind, stream_or_default(stream, true), Waits::no);
}
HEDDLE_API Error cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&](Context& context) {
    require(address != nullptr);
    const auto found = context.programs.symbol(context, symbol);
    context.memory.add_symbol(found.address, found.size);
    *address = reinterpret_cast<void*>(found.address);
  });
}
HEDDLE_API Error cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&](Context& context) {
    require(bytes != nullptr);
    *bytes = context.programs.symbol(context, symbol).size;
  });
}

}  // namespace heddle::cudart
