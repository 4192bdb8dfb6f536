// A device and one kernel around a piece of PTX.
//
// The kernel has registers %r<50>, %d<20>, %f<20>, %e<8>, %h<8>, %p<12> and 256 bytes of shared memory. Before the
// body, %r0 is the thread's number in the grid, %d0 the output array and %d1 this thread's 32-bit element of it. The
// header is line 1 and the body begins in line 4 (or later by the lines of what stands before the kernel).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/device.h"

namespace heddle::runtime {

inline std::string kernel_text(std::string_view body, std::string_view before = "") {
  return ".version 8.0 .target sm_80 .address_size 64 " + std::string(before) +
         "\n.visible .entry k(.param .u64 out) { .reg .b32 %r<50>; .reg .b64 %d<20>; .reg .f32 %f<20>; .reg .f64 "
         "%e<8>; .reg .b16 %h<8>; "
         ".reg .pred %p<12>; .shared .align 16 .b8 shared_data[256];\n"
         "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, "
         "%r0, %r1, %r2; "
         "mad.wide.u32 %d1, %r0, 4, %d0;\n" +
         std::string(body) + "\nret; }";
}

class Bench {
 public:
  Bench() : device_(options()) {}
  explicit Bench(Device::Options device_options) : device_(with_print(std::move(device_options))) {}

  Device& device() { return device_; }
  [[nodiscard]] const std::string& printed() const { return printed_; }

  /// Runs the body and returns `count` elements of the output array, which starts as zeros.
  template <typename T = std::uint32_t>
  std::vector<T> run(std::string_view body, Dim3 grid, Dim3 block, std::size_t count, std::string_view before = "",
                     std::uint32_t dynamic_shared = 0) {
    const Module module = device_.load(kernel_text(body, before), "test.ptx");
    const DeviceArray<T> out(device_, count);
    device_.launch(module.kernel("k"), grid, block, dynamic_shared, out.address());
    return out.download();
  }
  /// One warp, one 32-bit element for each lane.
  std::vector<std::uint32_t> run_warp(std::string_view body, std::string_view before = "") {
    return run(body, {1}, {32}, 32, before);
  }

  /// The error that running the body ends with.
  LaunchError fault(std::string_view body, Dim3 grid = {1}, Dim3 block = {32}, std::string_view before = "",
                    std::size_t bytes = 4096) {
    const Module module = device_.load(kernel_text(body, before), "test.ptx");
    const DeviceArray<std::uint8_t> out(device_, bytes);
    try {
      device_.launch(module.kernel("k"), grid, block, 0, out.address());
    } catch (const LaunchError& error) {
      return error;
    }
    ADD_FAILURE() << "no fault in: " << body;
    return {0, "", ""};
  }

 private:
  Device::Options options() { return with_print({}); }
  Device::Options with_print(Device::Options device_options) {
    device_options.print = [this](std::string_view text) { printed_ += text; };
    return device_options;
  }

  std::string printed_;
  Device device_;
};

/// f(lane) for 32 lanes.
template <typename Function>
std::vector<std::uint32_t> lanes(Function&& f) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < 32; ++lane) values.push_back(static_cast<std::uint32_t>(f(lane)));
  return values;
}

}  // namespace heddle::runtime
