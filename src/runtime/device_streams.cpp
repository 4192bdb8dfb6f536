// What a device queues: launches, copies, fills, events, host functions.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/block_fit.h"
#include "runtime/device_implementation.h"
#include "runtime/launch_operation.h"

namespace heddle::runtime {
namespace {

using sim::Cycle;

/// A copy or fill: takes its time, then happens.
class TransferOperation final : public Operation {
 public:
  TransferOperation(Machine& machine, double nanoseconds, Cycle* link, std::function<void()> transfer)
      : link_(link), transfer_(std::move(transfer)) {
    if (machine.options().gpu)
      cycles_ = static_cast<Cycle>(std::ceil(nanoseconds * machine.options().gpu->core_mhz / 1e3));
  }
  [[nodiscard]] bool advance(Cycle now) override {
    if (end_ == sim::kNever) {
      // One copy at a time in each direction of the link.
      end_ = (link_ != nullptr ? std::max(now, *link_) : now) + cycles_;
      if (link_ != nullptr) *link_ = end_;
    }
    if (now < end_) return false;
    transfer_();
    return true;
  }
  [[nodiscard]] Cycle ends_at() const override { return end_; }

 private:
  Cycle cycles_ = 0;
  Cycle* link_;
  Cycle end_ = sim::kNever;
  std::function<void()> transfer_;
};

/// Pages of managed memory that come to one side.
class PrefetchOperation final : public Operation {
 public:
  PrefetchOperation(vm::ManagedMemory& managed, std::uint16_t application, DeviceAddress address, std::uint64_t bytes,
                    vm::Side to)
      : managed_(managed), application_(application), address_(address), bytes_(bytes), to_(to) {}
  [[nodiscard]] bool advance(Cycle now) override {
    if (!prefetch_) prefetch_ = managed_.begin_prefetch(application_, address_, bytes_, to_, now);
    if (now < prefetch_->ends_at) return false;
    managed_.end_prefetch(*prefetch_);
    return true;
  }
  [[nodiscard]] Cycle ends_at() const override { return prefetch_ ? prefetch_->ends_at : sim::kNever; }

 private:
  vm::ManagedMemory& managed_;
  std::uint16_t application_;
  DeviceAddress address_;
  std::uint64_t bytes_;
  vm::Side to_;
  std::optional<vm::ManagedMemory::Prefetch> prefetch_;
};

/// Managed memory that may be allocated beyond what the device has.
std::uint64_t beyond_bytes(const Machine& machine) {
  const auto& gpu = machine.options().gpu;
  return gpu && gpu->managed.migrates && !gpu->translates() ? std::uint64_t{gpu->managed.beyond_mib} << 20 : 0;
}

class RecordOperation final : public Operation {
 public:
  explicit RecordOperation(EventState& event) : recording_(std::make_shared<Recording>()) { event.latest = recording_; }
  [[nodiscard]] bool advance(Cycle now) override {
    recording_->reached = true;
    recording_->at = now;
    return true;
  }

 private:
  std::shared_ptr<Recording> recording_;
};

class WaitOperation final : public Operation {
 public:
  explicit WaitOperation(const EventState& event) : recording_(event.latest) {}
  [[nodiscard]] bool advance(Cycle /*now*/) override { return recording_ == nullptr || recording_->reached; }

 private:
  std::shared_ptr<Recording> recording_;
};

class CallOperation final : public Operation {
 public:
  CallOperation(Machine& machine, std::function<void()> function) : machine_(machine), function_(std::move(function)) {}
  [[nodiscard]] bool advance(Cycle /*now*/) override {
    machine_.begin_host_turn();
    function_();
    machine_.end_host_turn();
    return true;
  }

 private:
  Machine& machine_;
  std::function<void()> function_;
};

}  // namespace

DeviceImplementation::DeviceImplementation(std::shared_ptr<Machine> its_machine, const Device::Options& device_options)
    : machine(std::move(its_machine)),
      application(machine->join()),
      options(device_options),
      memory(device_options.memory_bytes + beyond_bytes(*machine), device_options.host_sees_memory
                                                                       ? exec::GlobalMemory::Placement::same_addresses
                                                                       : exec::GlobalMemory::Placement::anywhere) {
  environment.memory = &memory;
  if (space() != nullptr) {
    memory.watch({[this](std::uint64_t address, std::uint64_t bytes) { space()->add(address, bytes); },
                  [this](std::uint64_t address, std::uint64_t bytes) {
                    space()->remove(address, bytes);
                    machine->gpu()->shoot_down(application, address, bytes);
                  }});
    machine->gpu()->on_remap(application, [this](vm::VirtPage page, vm::VirtPage target) {
      for (std::uint64_t at = 0; at < page_bytes(); at += vm::kPageBytes)
        memory.alias(page.address() + at, target.address() + at);
    });
  }
  if (options.checks.any()) {
    checks = std::make_unique<exec::ProgramChecks>(options.checks);
    environment.checks = checks.get();
    memory.keep_released();
    memory.watch({[this](std::uint64_t address, std::uint64_t bytes) { checks->global().allocated(address, bytes); },
                  [this](std::uint64_t address, std::uint64_t) { checks->released(address); }});
  }
  environment.print =
      options.print ? options.print : [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  if (machine->gpu() != nullptr && machine->gpu()->managed() != nullptr) {
    managed = std::make_unique<ManagedSide>(*machine, memory, application, options.host_sees_memory);
    set_managed_room();
  }
  streams[0] = machine->streams().create(application);
}

DeviceImplementation::~DeviceImplementation() {
  if (machine.use_count() == 1 || machine->failed()) return;
  try {
    machine->wait([this] { return idle(); });
  } catch (...) {
    // The machine has stopped for good, and with it what was queued.
    return;
  }
  if (space() != nullptr) machine->gpu()->on_remap(application, {});
}

bool DeviceImplementation::idle() const {
  for (const auto& [own, stream] : streams) {
    if (!machine->streams().idle(stream)) return false;
  }
  return true;
}

Stream DeviceImplementation::stream(Stream own) const {
  const auto found = streams.find(own);
  if (found == streams.end()) throw UserError(fmt::format("there is no stream {}", own));
  return found->second;
}

void DeviceImplementation::for_each_piece(const char* what, DeviceAddress address, std::uint64_t bytes,
                                          const std::function<void(std::uint8_t*, std::uint64_t)>& f) const {
  if (!memory.for_each_piece(address, bytes, f))
    throw UserError(fmt::format("{}: {} bytes at {:#x} are not all allocated on the device", what, bytes, address));
}

double DeviceImplementation::link_ns(std::uint64_t bytes) const {
  return machine->options().gpu ? machine->options().gpu->link.copy_ns(bytes) : 0;
}

double DeviceImplementation::memory_ns(std::uint64_t bytes) const {
  const auto& gpu = machine->options().gpu;
  return gpu ? static_cast<double>(bytes) / gpu->peak_bandwidth() * 1e9 : 0;
}

Stream Device::create_stream() {
  const Stream own = ++implementation_->last_stream;
  implementation_->streams[own] = implementation_->machine->streams().create(implementation_->application);
  return own;
}

void Device::destroy_stream(Stream stream) {
  if (stream == 0) throw UserError("stream 0 cannot be destroyed");
  implementation_->machine->streams().destroy(implementation_->stream(stream));
  implementation_->streams.erase(stream);
}

void Device::launch_async(Stream stream, const Kernel& kernel, Dim3 grid, Dim3 block,
                          std::uint32_t dynamic_shared_bytes, std::span<const std::span<const std::byte>> arguments,
                          bool cooperative) {
  DeviceImplementation& device = *implementation_;
  const Stream queue = device.stream(stream);
  device.machine->check(device.application);
  const LoadedModule& module = *device.modules[kernel.module_];
  const compile::KernelCode& code = module.program.kernels[kernel.index_];
  exec::LaunchConfig plan = plan_launch(module, code, grid, block, dynamic_shared_bytes, arguments);
  give_stack(plan, code, device.stack_bytes);
  if (const auto& gpu = device.machine->options().gpu) {
    if (const std::string misfit = core::misfit(gpu->sm, plan); !misfit.empty()) {
      throw LaunchError(
          701, "cudaErrorLaunchOutOfResources",
          fmt::format("kernel '{}': a block of {} x {} x {} threads does not fit on an SM of this GPU: it "
                      "needs {}: cudaErrorLaunchOutOfResources (701)",
                      code.name, block.x, block.y, block.z, misfit));
    }
  }
  if (cooperative) {
    // Where the blocks of the grid count each other. Kernels of one stream follow each other and can share it.
    std::uint64_t& workspace = device.workspaces[stream];
    if (workspace == 0) {
      workspace = allocate(exec::GlobalMemory::kPageBytes);
      assume_written(workspace, exec::GlobalMemory::kPageBytes);
    }
    plan.workspace = workspace;
  }
  device.machine->push(device.application, queue,
                       std::make_unique<LaunchOperation>(device, stream, module, code, std::move(plan)));
}

LaunchStatistics Device::launch_raw(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                                    std::span<const std::span<const std::byte>> arguments) {
  const std::size_t before = implementation_->launches.size();
  launch_async(0, kernel, grid, block, dynamic_shared_bytes, arguments);
  synchronize(Stream{0});
  // The last of stream 0 is this one, whatever other streams have finished meanwhile.
  for (std::size_t l = implementation_->launches.size(); l-- > before;) {
    if (implementation_->launches[l].stream == 0) return implementation_->launches[l];
  }
  throw UserError("the launch was dropped");
}

void Device::transfer_async(Stream stream, Way way, std::uint64_t bytes, std::function<void()> transfer) {
  DeviceImplementation& device = *implementation_;
  Cycle* link = way == Way::to_device ? &device.machine->link().to_device
                : way == Way::to_host ? &device.machine->link().to_host
                                      : nullptr;
  device.machine->push(device.application, device.stream(stream),
                       std::make_unique<TransferOperation>(
                           *device.machine, link != nullptr ? device.link_ns(bytes) : device.memory_ns(bytes), link,
                           std::move(transfer)));
}

void Device::copy_to_device_async(Stream stream, DeviceAddress destination, const void* source, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  const auto* from = static_cast<const std::uint8_t*>(source);
  auto data = std::make_shared<std::vector<std::uint8_t>>(from, from + bytes);
  device.machine->push(device.application, device.stream(stream),
                       std::make_unique<TransferOperation>(
                           *device.machine, device.link_ns(bytes), &device.machine->link().to_device,
                           [this, destination, data] { copy_to_device(destination, data->data(), data->size()); }));
}

void Device::copy_to_host_async(Stream stream, void* destination, DeviceAddress source, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  device.machine->push(device.application, device.stream(stream),
                       std::make_unique<TransferOperation>(
                           *device.machine, device.link_ns(bytes), &device.machine->link().to_host,
                           [this, destination, source, bytes] { copy_to_host(destination, source, bytes); }));
}

void Device::copy_on_device_async(Stream stream, DeviceAddress destination, DeviceAddress source, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  device.machine->push(device.application, device.stream(stream),
                       std::make_unique<TransferOperation>(
                           *device.machine, device.memory_ns(2 * bytes), nullptr,
                           [this, destination, source, bytes] { copy_on_device(destination, source, bytes); }));
}

void Device::prefetch_async(Stream stream, DeviceAddress address, std::uint64_t bytes, vm::Side to) {
  DeviceImplementation& device = *implementation_;
  if (!device.managed) return;
  device.machine->push(
      device.application, device.stream(stream),
      std::make_unique<PrefetchOperation>(*device.machine->gpu()->managed(), device.application, address, bytes, to));
}

void Device::fill_async(Stream stream, DeviceAddress destination, std::uint8_t value, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  device.machine->push(
      device.application, device.stream(stream),
      std::make_unique<TransferOperation>(*device.machine, device.memory_ns(bytes), nullptr,
                                          [this, destination, value, bytes] { fill(destination, value, bytes); }));
}

void Device::call_async(Stream stream, std::function<void()> function) {
  implementation_->machine->push(implementation_->application, implementation_->stream(stream),
                                 std::make_unique<CallOperation>(*implementation_->machine, std::move(function)));
}

Event Device::create_event() { return std::make_shared<EventState>(); }

void Device::record(const Event& event, Stream stream) {
  implementation_->machine->push(implementation_->application, implementation_->stream(stream),
                                 std::make_unique<RecordOperation>(*event));
}

void Device::wait(Stream stream, const Event& event) {
  implementation_->machine->push(implementation_->application, implementation_->stream(stream),
                                 std::make_unique<WaitOperation>(*event));
}

bool Device::reached(const Event& event) { return event->reached(); }

double Device::elapsed_ms(const Event& from, const Event& to) const {
  const Cycle later = std::max(to->at(), from->at());
  const Cycle earlier = std::min(to->at(), from->at());
  const double value = implementation_->machine->milliseconds(later - earlier);
  return to->at() >= from->at() ? value : -value;
}

bool Device::idle(Stream stream) {
  DeviceImplementation& device = *implementation_;
  const Stream queue = device.stream(stream);
  // A program that asks in a loop makes time pass: so many quanta each time.
  constexpr unsigned kQuanta = 100;
  unsigned asked = 0;
  device.machine->wait(device.application, [&] { return device.machine->streams().idle(queue) || ++asked > kQuanta; });
  return device.machine->streams().idle(queue);
}

void Device::synchronize(const Event& event) {
  const std::shared_ptr<Recording> recording = event->latest;
  implementation_->machine->wait(implementation_->application,
                                 [&] { return recording == nullptr || recording->reached; });
}

void Device::synchronize(Stream stream) {
  const Stream queue = implementation_->stream(stream);
  implementation_->machine->wait(implementation_->application,
                                 [&] { return implementation_->machine->streams().idle(queue); });
}

void Device::synchronize() {
  implementation_->machine->wait(implementation_->application, [&] { return implementation_->idle(); });
}

}  // namespace heddle::runtime
