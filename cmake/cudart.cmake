# The CUDA runtime library that programs find in place of NVIDIA's: one file per major version, from the same objects.
# A program asks for its symbols under the version's name, and some structures differ, so each file has a node of its
# own and src/cudart/versions/ tells the code which one it is in.
#
# They go to lib/heddle beside bin, where `heddle exec` looks for them.
set(HEDDLE_CUDART_TARGETS "")
if(HEDDLE_SANITIZE)
  return()  # a library with sanitizers cannot be loaded into a program without
endif()
foreach(version IN ITEMS 11.0 12 13)
  string(REPLACE "." "_" suffix ${version})
  set(script ${CMAKE_BINARY_DIR}/cudart_${suffix}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "libcudart.so.${version} { global: cuda*; __cuda*; local: *; };\n")
  add_library(cudart_${suffix} SHARED ${CMAKE_SOURCE_DIR}/cmake/cudart_version.cpp)
  string(REGEX MATCH "^[0-9]+" major ${version})
  target_compile_definitions(cudart_${suffix} PRIVATE HEDDLE_CUDART_MAJOR=${major})
  heddle_link_rooms(cudart_${suffix} cudart)
  target_link_options(cudart_${suffix} PRIVATE -Wl,--version-script=${script} -Wl,-z,defs -Wl,-Bsymbolic
    -Wl,-z,nodelete)  # it is called when the process ends
  set_target_properties(cudart_${suffix} PROPERTIES
    OUTPUT_NAME cudart SUFFIX .so.${version} NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/heddle LINK_DEPENDS ${script})
  target_link_options(cudart_${suffix} PRIVATE -Wl,-soname,libcudart.so.${version})
  list(APPEND HEDDLE_CUDART_TARGETS cudart_${suffix})
endforeach()
