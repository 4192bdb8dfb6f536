#include "cudart/programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cudart/capture.h"
#include "cudart/context.h"
#include "cudart/version.h"
#include "fatbin/fat_binary.h"

namespace heddle::cudart {

using namespace fatbin;  // NOLINT(google-build-using-namespace): containers and what is in them

namespace {

/// What the compiler leaves for the runtime: __fatBinC_Wrapper_t.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* data;
  const std::byte* const* linked;  ///< version 2: containers to link, ended by a null pointer
};

std::vector<const std::byte*> containers(const Wrapper& wrapper) {
  if (wrapper.magic != kWrapperMagic)
    throw Failure(cudaErrorInvalidKernelImage,
                  fmt::format("the program registered a fat binary of an unknown kind ({:#x})", wrapper.magic));
  if (wrapper.version < 2 || wrapper.linked == nullptr) return {wrapper.data};
  std::vector<const std::byte*> all;
  for (const std::byte* const* next = wrapper.linked; *next != nullptr; ++next) all.push_back(*next);
  return all;
}

}  // namespace

FatBinary* Programs::add(const void* wrapper) {
  auto binary = std::make_unique<FatBinary>();
  binary->wrapper = wrapper;
  binaries_.push_back(std::move(binary));
  return binaries_.back().get();
}

void Programs::remove(Context& context, FatBinary* binary) {
  std::erase_if(functions_, [&](const auto& entry) {
    if (entry.second->binary != binary) return false;
    handles_.erase(entry.second.get());
    return true;
  });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
  static_cast<void>(context);  // the module's code and data stay on the device: running kernels may use them
}

void Programs::add_function(FatBinary* binary, const void* host, const char* name) {
  auto function = std::make_unique<Function>();
  function->binary = binary;
  function->name = name;
  handles_[function.get()] = function.get();
  functions_[host] = std::move(function);
}

void Programs::add_variable(const void* host, const Variable& variable) {
  variables_[host] = variable;
  if (variable.managed != nullptr) variable.binary->has_managed = true;
}

void Programs::place_managed(Context& context, FatBinary* binary) {
  if (!binary->has_managed) return;
  load(context, *binary);
  for (const auto& [host, variable] : variables_) {
    if (variable.binary != binary || variable.managed == nullptr) continue;
    const runtime::Module::Symbol symbol = binary->module.symbol(variable.name);
    *variable.managed = reinterpret_cast<void*>(symbol.address);
    if (Capturer* capture = Capturer::instance())
      capture->found_symbol(binary, variable.name, symbol.address, symbol.size, true);
  }
}

Function& Programs::function(const void* host_or_handle) {
  if (const auto found = functions_.find(host_or_handle); found != functions_.end()) return *found->second;
  if (const auto found = handles_.find(host_or_handle); found != handles_.end()) return *found->second;
  throw Failure(kMajorVersion >= 13 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction);
}

void Programs::read(Context& context, FatBinary& binary) {
  if (!binary.ptx.empty() || !binary.failure.empty()) return;
  const unsigned capability = context.gpu_capability();
  std::string machine_code;
  try {
    for (const std::byte* container : containers(*static_cast<const Wrapper*>(binary.wrapper))) {
      const auto entries = read_fat_binary({container, fat_binary_bytes(container)});
      if (const FatBinaryEntry* best = choose_ptx(entries, capability)) {
        binary.ptx.push_back(unpack_ptx(*best));
        text_ += binary.ptx.back();
        binary.architecture = std::max(binary.architecture, best->architecture);
      } else if (!entries.empty()) {
        machine_code += (machine_code.empty() ? "" : ", ") + machine_code_names(entries);
      }
    }
  } catch (const UserError& error) {
    binary.failure = error.what();
    binary.failure_code = cudaErrorInvalidKernelImage;
    return;
  }
  if (binary.ptx.empty() || !machine_code.empty()) {
    binary.failure = fmt::format(
        "a part of this program holds machine code alone ({}), which only that hardware runs. Rebuild it with PTX: "
        "nvcc -gencode arch=compute_75,code=compute_75 ...",
        machine_code.empty() ? "or nothing at all" : machine_code);
    binary.failure_code = cudaErrorNoKernelImageForDevice;
  }
}

void Programs::load(Context& context, FatBinary& binary) {
  if (binary.loaded) return;
  read(context, binary);
  if (binary.failure.empty()) {
    std::string name = "module";
    if (const auto place =
            std::find_if(binaries_.begin(), binaries_.end(), [&](const auto& b) { return b.get() == &binary; });
        place != binaries_.end())
      name = fmt::format("module{}.ptx", place - binaries_.begin());
    try {
      binary.module = context.device().load_linked(binary.ptx, name);
      binary.loaded = true;
      if (Capturer* capture = Capturer::instance()) capture->loaded(&binary, binary.ptx);
      return;
    } catch (const UserError& error) {
      binary.failure = fmt::format("the program's PTX cannot be run:\n{}", error.what());
      binary.failure_code = cudaErrorInvalidPtx;
    }
  }
  throw Failure(static_cast<ErrorCode>(binary.failure_code), binary.failure);
}

const runtime::Kernel& Programs::kernel(Context& context, Function& function) {
  if (function.found && function.binary->loaded) return function.kernel;
  load(context, *function.binary);
  try {
    function.kernel = function.binary->module.kernel(function.name);
  } catch (const UserError& error) {
    throw Failure(cudaErrorInvalidDeviceFunction, fmt::format("the kernel cannot be run:\n{}", error.what()));
  }
  function.found = true;
  return function.kernel;
}

runtime::Module::Symbol Programs::symbol(Context& context, const void* host) {
  const auto found = variables_.find(host);
  if (found == variables_.end()) throw Failure(cudaErrorInvalidSymbol);
  load(context, *found->second.binary);
  try {
    const Variable& variable = found->second;
    const runtime::Module::Symbol symbol = variable.binary->module.symbol(variable.name);
    if (Capturer* capture = Capturer::instance())
      capture->found_symbol(variable.binary, variable.name, symbol.address, symbol.size, false);
    return symbol;
  } catch (const UserError&) {
    throw Failure(cudaErrorInvalidSymbol);
  }
}

bool Programs::is_managed(const void* pointer, std::uint64_t bytes) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  return std::any_of(variables_.begin(), variables_.end(), [&](const auto& known) {
    const Variable& variable = known.second;
    if (variable.managed == nullptr || !variable.binary->loaded) return false;
    const runtime::Module::Symbol symbol = variable.binary->module.symbol(variable.name);
    return address >= symbol.address && address - symbol.address < symbol.size &&
           bytes <= symbol.size - (address - symbol.address);
  });
}

unsigned Programs::newest_architecture(Context& context) {
  unsigned newest = 0;
  for (const auto& binary : binaries_) {
    read(context, *binary);
    newest = std::max(newest, binary->architecture);
  }
  return newest;
}

void Programs::forget_loaded() {
  for (const auto& binary : binaries_) binary->loaded = false;
}

}  // namespace heddle::cudart
