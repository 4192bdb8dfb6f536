// What compiled programs call by themselves: registration before main(), and the configuration of <<<...>>>.
#include <cstdint>
#include <vector>

#include "cudart/context.h"

namespace heddle::cudart {
namespace {

struct CallConfiguration {
  GridSize grid, block;
  std::size_t shared;
  StreamHandle stream;
};

std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

FatBinary* from_handle(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
HEDDLE_API void** __cudaRegisterFatBinary(void* wrapper) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  return reinterpret_cast<void**>(context.programs.add(wrapper));
}

HEDDLE_API void __cudaRegisterFatBinaryEnd(void** handle) {
  // Host code may touch a __managed__ variable before its first call.
  static_cast<void>(call([&](Context& context) { context.programs.place_managed(context, from_handle(handle)); }));
}

HEDDLE_API void __cudaUnregisterFatBinary(void** handle) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  // Without this what was queued last would never run: it does on hardware before the process ends.
  static_cast<void>(context.guarded([&] {
    if (context.has_device()) context.queues.drain(context);
  }));
  context.programs.remove(context, from_handle(handle));
}

HEDDLE_API char __cudaInitModule(void** handle) {
  static_cast<void>(call([&](Context& context) { context.programs.place_managed(context, from_handle(handle)); }));
  return 1;
}

HEDDLE_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                                       void*, void*, int*) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  context.programs.add_function(from_handle(handle), host, name);
}

HEDDLE_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                                  int constant, int) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  context.programs.add_variable(host, {from_handle(handle), name, bytes, constant != 0, nullptr});
}

HEDDLE_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                                         int constant, int) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  context.programs.add_variable(host, {from_handle(handle), name, bytes, constant != 0, host});
}

HEDDLE_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {
  // Names a host variable that device code could reach; nothing here looks for one.
}

HEDDLE_API void __cudaRegisterTexture(void**, const void*, const void**, const char* name, int, int, int) {
  tell_once(std::string("the texture reference '") + name + "' is not supported; use texture objects");
}
HEDDLE_API void __cudaRegisterSurface(void**, const void*, const void**, const char* name, int, int) {
  tell_once(std::string("the surface reference '") + name + "' is not supported");
}

HEDDLE_API unsigned __cudaPushCallConfiguration(GridSize grid, GridSize block, std::size_t shared,
                                                StreamHandle stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

HEDDLE_API Error __cudaPopCallConfiguration(GridSize* grid, GridSize* block, std::size_t* shared, void* stream) {
  auto& stack = configurations();
  if (stack.empty()) return last_error() = cudaErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared = stack.back().shared;
  *static_cast<StreamHandle*>(stream) = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier)

}  // namespace heddle::cudart
