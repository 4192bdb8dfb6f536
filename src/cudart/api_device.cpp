// The device, its limits, errors, versions.
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "cudart/context.h"
#include "cudart/properties.h"
#include "cudart/version.h"

namespace heddle::cudart {
namespace {

void check_device(int device) { require(device == 0, cudaErrorInvalidDevice); }

Error get_properties(void* properties, int device) {
  return call([&](Context& context) {
    require(properties != nullptr);
    check_device(device);
    write_properties(context, properties);
  });
}

enum Limit : int { kStackSize = 0, kPrintfFifoSize = 1, kMallocHeapSize = 2, kSyncDepth = 3, kPendingLaunches = 4 };

std::map<int, std::size_t>& limits() {
  static auto& values = *new std::map<int, std::size_t>{{kStackSize, 1024},
                                                        {kPrintfFifoSize, 1 << 20},
                                                        {kMallocHeapSize, 8 << 20},
                                                        {kSyncDepth, 2},
                                                        {kPendingLaunches, 2048},
                                                        {5, 64},
                                                        {6, 0}};
  return values;
}

int& device_flags() {
  static int flags = 0;
  return flags;
}

int version() { return kMajorVersion == 13 ? 13000 : kMajorVersion == 12 ? 12080 : 11080; }

}  // namespace

HEDDLE_API const char* cudaGetErrorString(Error error) { return error_text(error); }
HEDDLE_API const char* cudaGetErrorName(Error error) { return error_name(error); }
// An error that sticks is not the last one until some call has run into it again.
HEDDLE_API Error cudaGetLastError() { return std::exchange(last_error(), cudaSuccess); }
HEDDLE_API Error cudaPeekAtLastError() { return last_error(); }

HEDDLE_API Error cudaGetDeviceCount(int* count) {
  return call_without_device([&](Context&) {
    require(count != nullptr);
    *count = 1;
  });
}
HEDDLE_API Error cudaGetDevice(int* device) {
  return call_without_device([&](Context&) {
    require(device != nullptr);
    *device = 0;
  });
}
HEDDLE_API Error cudaSetDevice(int device) {
  return call([&](Context&) { check_device(device); });
}
HEDDLE_API Error cudaInitDevice(int device, unsigned, unsigned) {
  return call([&](Context&) { check_device(device); });
}
HEDDLE_API Error cudaSetValidDevices(int*, int) { return cudaSuccess; }
HEDDLE_API Error cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }
HEDDLE_API Error cudaSetDeviceFlags(unsigned flags) {
  return call([&](Context&) {
    require((flags & ~0xffu) == 0 && (flags & 7) <= 4);
    device_flags() = static_cast<int>(flags);
  });
}
HEDDLE_API Error cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Context&) {
    require(flags != nullptr);
    *flags = static_cast<unsigned>(device_flags()) | 8;  // host memory can be mapped
  });
}

HEDDLE_API Error cudaGetDeviceProperties(void* properties, int device) { return get_properties(properties, device); }
HEDDLE_API Error cudaGetDeviceProperties_v2(void* properties, int device) { return get_properties(properties, device); }
HEDDLE_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return call([&](Context& context) {
    require(value != nullptr);
    check_device(device);
    *value = device_attribute(context, attribute);
  });
}
HEDDLE_API Error cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return call([&](Context&) {
    check_device(device);
    require(text != nullptr && bytes > 0);
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:01:00.0");
  });
}
HEDDLE_API Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call([&](Context&) {
    require(device != nullptr && text != nullptr);
    require(std::strstr(text, "01:00") != nullptr, cudaErrorInvalidValue);
    *device = 0;
  });
}

HEDDLE_API Error cudaDeviceSynchronize() {
  return call([&](Context& context) { context.queues.wait_all(context); });
}
HEDDLE_API Error cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
HEDDLE_API Error cudaDeviceReset() {
  return call_without_device([](Context& context) { context.reset(); });
}
HEDDLE_API Error cudaThreadExit() { return cudaDeviceReset(); }

HEDDLE_API Error cudaDeviceSetLimit(int limit, std::size_t value) {
  return call([&](Context& context) {
    const auto found = limits().find(limit);
    require(found != limits().end());
    if (limit == kSyncDepth || limit == kPendingLaunches) throw Failure(cudaErrorUnsupportedLimit);
    found->second = value;
    if (limit == kMallocHeapSize) context.set_heap_bytes(value);
    if (limit == kStackSize) context.set_stack_bytes(value);
  });
}
HEDDLE_API Error cudaDeviceGetLimit(std::size_t* value, int limit) {
  return call([&](Context&) {
    const auto found = limits().find(limit);
    require(value != nullptr && found != limits().end());
    if (limit == kSyncDepth || limit == kPendingLaunches) throw Failure(cudaErrorUnsupportedLimit);
    *value = found->second;
  });
}

// Preferences of cache and bank layout: hints.
HEDDLE_API Error cudaDeviceSetCacheConfig(int) { return cudaSuccess; }
HEDDLE_API Error cudaDeviceGetCacheConfig(int* configuration) {
  if (configuration != nullptr) *configuration = 0;
  return cudaSuccess;
}
HEDDLE_API Error cudaDeviceSetSharedMemConfig(int) { return cudaSuccess; }
HEDDLE_API Error cudaDeviceGetSharedMemConfig(int* configuration) {
  if (configuration != nullptr) *configuration = 1;  // banks of four bytes
  return cudaSuccess;
}
HEDDLE_API Error cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
HEDDLE_API Error cudaProfilerStart() { return cudaSuccess; }
HEDDLE_API Error cudaProfilerStop() { return cudaSuccess; }

HEDDLE_API Error cudaDriverGetVersion(int* value) {
  return call_without_device([&](Context&) {
    require(value != nullptr);
    *value = version();
  });
}
HEDDLE_API Error cudaRuntimeGetVersion(int* value) { return cudaDriverGetVersion(value); }

// One GPU has no peers.
HEDDLE_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Context&) {
    require(can != nullptr);
    check_device(device);
    check_device(peer);
    *can = 0;
  });
}
HEDDLE_API Error cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call([&](Context&) {
    check_device(peer);
    throw Failure(cudaErrorInvalidDevice);
  });
}
HEDDLE_API Error cudaDeviceDisablePeerAccess(int peer) {
  return call([&](Context&) {
    check_device(peer);
    throw Failure(cudaErrorInvalidDevice);
  });
}

// There is no driver below: programs that look for its functions are told that there are none.
HEDDLE_API Error cudaGetDriverEntryPoint(const char*, void** function, unsigned long long, int* status) {
  return call([&](Context&) {
    require(function != nullptr);
    *function = nullptr;
    if (kMajorVersion >= 12 && status != nullptr) {
      *status = 1;  // symbol not found
      return;
    }
    throw Failure(cudaErrorSymbolNotFound);
  });
}
HEDDLE_API Error cudaGetDriverEntryPoint_ptsz(const char* name, void** function, unsigned long long flags,
                                              int* status) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
HEDDLE_API Error cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long flags,
                                                  int* status) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
HEDDLE_API Error cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** function, unsigned,
                                                       unsigned long long flags, int* status) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}

}  // namespace heddle::cudart
