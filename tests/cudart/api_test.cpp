// The library's functions as a compiled program calls them, with a recorded fat binary in place of a compiler.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cudart/abi.h"
#include "cudart/errors.h"
#include "tests/cudart/fat_binary_file.h"

namespace heddle::cudart {

HEDDLE_API void** __cudaRegisterFatBinary(void*);
HEDDLE_API void __cudaRegisterFatBinaryEnd(void**);
HEDDLE_API void __cudaUnregisterFatBinary(void**);
HEDDLE_API void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
HEDDLE_API void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
HEDDLE_API Error cudaMalloc(void**, std::size_t);
HEDDLE_API Error cudaFree(void*);
HEDDLE_API Error cudaMemcpy(void*, const void*, std::size_t, int);
HEDDLE_API Error cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
HEDDLE_API Error cudaLaunchKernel(const void*, GridSize, GridSize, void**, std::size_t, StreamHandle);
HEDDLE_API Error cudaGetLastError();
HEDDLE_API Error cudaGraphCreate();

namespace {

struct Wrapper {
  unsigned magic = 0x466243b1;
  unsigned version = 1;
  const void* data;
  const void* const* linked = nullptr;
};

/// A program that has registered one container, as its static constructors would.
class Program {
 public:
  explicit Program(const std::string& name) : container_(recorded(name)) {
    setenv("HEDDLE_OPTIONS", "--functional --quiet --no-db", 1);
    wrapper_.data = container_.data();
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(handle_, &kernel, nullptr, "_Z5scalePfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle_, &factor, nullptr, "factor", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~Program() { __cudaUnregisterFatBinary(handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs the kernel on 1, 2, 3, ...
  std::vector<float> run(Error& launched) {
    std::vector<float> values(40);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
    void* data = nullptr;
    int count = 40;
    EXPECT_EQ(cudaMalloc(&data, 160), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data, values.data(), 160, kHostToDevice), cudaSuccess);
    void* arguments[] = {&data, &count};
    launched = cudaLaunchKernel(&kernel, {2, 1, 1}, {32, 1, 1}, arguments, 0, nullptr);
    EXPECT_EQ(cudaMemcpy(values.data(), data, 160, kDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaFree(data), cudaSuccess);
    return values;
  }

  char kernel = 0;
  char factor = 0;

 private:
  std::vector<std::byte> container_;
  Wrapper wrapper_{.data = nullptr};
  void** handle_ = nullptr;
};

TEST(Api, RunsTheKernelOfEveryKindOfContainer) {
  for (const char* name : {"raw.fatbin", "lz4.fatbin", "zstd.fatbin"}) {
    Program program(name);
    Error launched = cudaErrorUnknown;
    const std::vector<float> values = program.run(launched);
    EXPECT_EQ(launched, cudaSuccess) << name;
    EXPECT_EQ(values[0], 3.0f) << name;
    EXPECT_EQ(values[39], 120.0f) << name;
  }
}

TEST(Api, CopiesToTheVariableThatTheKernelReads) {
  Program program("raw.fatbin");
  const float half = 0.5f;
  ASSERT_EQ(cudaMemcpyToSymbol(&program.factor, &half, 4, 0, kHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(&program.factor, &half, 8, 0, kHostToDevice), cudaErrorInvalidValue);
  Error launched = cudaErrorUnknown;
  EXPECT_EQ(program.run(launched)[39], 20.0f);
}

TEST(Api, RefusesMachineCodeWithTheErrorOfHardware) {
  Program program("machine_code.fatbin");
  Error launched = cudaSuccess;
  EXPECT_EQ(program.run(launched)[1], 2.0f) << "nothing ran";
  EXPECT_EQ(launched, cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Api, SaysThatItDoesNotHaveAFunction) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphCreate(), cudaErrorNotSupported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cudaGraphCreate"), std::string::npos);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

}  // namespace
}  // namespace heddle::cudart
