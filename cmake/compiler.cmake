# Flags every target of the project gets.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# ccache makes a second build of the same source cheap. Paths are made relative, so that another clone profits too.
find_program(HEDDLE_CCACHE ccache DOC "ccache, used when present")
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HEDDLE_CCACHE})
endif()

add_library(heddle_flags INTERFACE)
target_compile_options(heddle_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # Simulated arithmetic must round once where the program says so: no contraction, no fast-math.
  -ffp-contract=off -fno-fast-math
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
# Functions of a shared library may be replaced by others' at load time, which keeps them from being inlined; ours may not.
target_compile_options(heddle_flags INTERFACE -fno-semantic-interposition -ftls-model=initial-exec)
if(HEDDLE_ARCH)
  target_compile_options(heddle_flags INTERFACE -march=${HEDDLE_ARCH})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 in optimised standard-library code.
  target_compile_options(heddle_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_flags INTERFACE
    -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES "undefined")
    # Null pointers are caught by the address sanitizer when they are used; checking each one costs a third of the build.
    target_compile_options(heddle_flags INTERFACE -fno-sanitize=null,vptr)
  endif()
endif()

# heddle_unity(TARGET): a few large compilation units where HEDDLE_UNITY says so. Most of the time of a small file goes into
# the headers it includes, for the compiler and for the linter alike. Arithmetic, where each file has its own `Add`, stays on
# its own.
function(heddle_unity target)
  string(REGEX REPLACE "^heddle_|_tests$" "" name ${target})
  if(NOT HEDDLE_UNITY OR name IN_LIST HEDDLE_SPLIT)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "/src/exec/alu/")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# heddle_cold(TARGET): runs once per command, so it is not worth the time to optimise it fully; in builds with sanitizers,
# where compiling is what takes the time, not at all.
function(heddle_cold target)
  if(HEDDLE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# heddle_hot(TARGET): where runs spend their time, so what counts of runs say is worth it (HEDDLE_PROFILE). Counts are found
# by the paths of objects, so recording and using them share a build folder. Code that no recorded run went through is
# optimised as without counts.
if(HEDDLE_PROFILE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "HEDDLE_PROFILE needs GCC")
elseif(HEDDLE_PROFILE AND NOT HEDDLE_PROFILE MATCHES "^(record|use)$")
  message(FATAL_ERROR "HEDDLE_PROFILE is '${HEDDLE_PROFILE}'; it may be empty, record or use")
elseif(HEDDLE_PROFILE STREQUAL "record")
  target_link_options(heddle_flags INTERFACE -fprofile-generate)
endif()
function(heddle_hot target)
  set(recorded ${CMAKE_BINARY_DIR}/recorded)
  if(HEDDLE_PROFILE STREQUAL "record")
    target_compile_options(${target} PRIVATE -fprofile-generate=${recorded})
  elseif(HEDDLE_PROFILE STREQUAL "use")
    target_compile_options(${target} PRIVATE -fprofile-use=${recorded} -fprofile-partial-training
                                             -Wno-missing-profile -Wno-error=coverage-mismatch)
  endif()
endfunction()
