# Device code: CUDA C++ -> PTX -> bytes inside the program.
#
# clang needs no CUDA toolkit (workloads/cuda/heddle_cuda.h stands in for its headers) and is the default;
# HEDDLE_CUDA_COMPILER may name another clang or an nvcc. Host code never goes through either.

if(NOT HEDDLE_CUDA_COMPILER OR HEDDLE_CUDA_COMPILER STREQUAL "clang")
  find_program(HEDDLE_CUDA_CLANG NAMES clang-14 clang-16 clang-19 clang DOC "clang that compiles the bundled workloads")
  if(NOT HEDDLE_CUDA_CLANG)
    message(FATAL_ERROR "clang is needed to compile the bundled CUDA workloads: install clang, "
                        "or set HEDDLE_CUDA_COMPILER to a clang or an nvcc")
  endif()
  set(HEDDLE_CUDA_PROGRAM ${HEDDLE_CUDA_CLANG})
else()
  find_program(HEDDLE_CUDA_PROGRAM ${HEDDLE_CUDA_COMPILER} NO_CACHE)
  if(NOT HEDDLE_CUDA_PROGRAM)
    message(FATAL_ERROR "HEDDLE_CUDA_COMPILER is '${HEDDLE_CUDA_COMPILER}', which is no program here: "
                        "name a clang or an nvcc, or leave it empty for the clang that is installed")
  endif()
endif()

get_filename_component(cuda_program_name ${HEDDLE_CUDA_PROGRAM} NAME)
if(cuda_program_name MATCHES "nvcc")
  set(HEDDLE_CUDA_FLAGS -ptx -arch=compute_75 -std=c++17 -O3 -lineinfo)
else()
  # +ptx70 is stated because clang derives the PTX version from a toolkit, and there is none. The prefix map keeps the
  # place of the source tree out of the PTX (assert puts __FILE__ there): the same source gives the same bytes anywhere.
  set(HEDDLE_CUDA_FLAGS -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib
      --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx70 -S -O2 -std=c++17 -Wall -Wextra
      -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -gline-directives-only -fdebug-prefix-map=${CMAKE_SOURCE_DIR}/=
      -fdebug-compilation-dir=.)
endif()

file(GLOB HEDDLE_CUDA_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/workloads/cuda/*.h)

# heddle_add_ptx(SOURCE OUTPUT): a rule that compiles SOURCE (.cu) into OUTPUT (.ptx), with the lines of the source.
function(heddle_add_ptx source output)
  get_filename_component(name ${source} NAME)
  get_filename_component(folder ${source} DIRECTORY)
  file(GLOB neighbours CONFIGURE_DEPENDS ${folder}/*.h)  # what the kernels share with their host program
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${HEDDLE_CUDA_PROGRAM} ${HEDDLE_CUDA_FLAGS} -I${CMAKE_SOURCE_DIR}/workloads/cuda ${source} -o ${output}
    DEPENDS ${source} ${neighbours} ${HEDDLE_CUDA_HEADERS}
    COMMENT "Compiling ${name} to PTX"
    VERBATIM)
endfunction()

# heddle_embed_ptx(TARGET NAME SOURCE): compiles SOURCE and gives TARGET a function
# std::string_view heddle::workloads::embedded::NAME() that returns its PTX (declared by workloads/common/embedded.h).
function(heddle_embed_ptx target name source)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}_ptx.cpp)
  heddle_add_ptx(${source} ${ptx})
  set(HEDDLE_PTX_NAME ${name})
  set(HEDDLE_PTX_FILE ${ptx})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embed_ptx.cpp.in ${unit} @ONLY)
  # The compiler does not see through .incbin: the dependency is stated here.
  set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS ${ptx} SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${unit})
endfunction()
