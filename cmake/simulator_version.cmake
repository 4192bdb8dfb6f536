# heddle_simulator_version(TARGET room...): gives TARGET a header simulator_version.h that defines
# HEDDLE_SIMULATOR_VERSION: a hash over the sources of these rooms, made when they are built.
#
# Results of a simulator that may compute something else must not be taken for each other; a change of a command or a
# page must not make all results stale. (Workloads are not in it: a run's identity holds the code it ran.)
set(heddle_version_script ${CMAKE_CURRENT_LIST_DIR}/hash_sources.cmake)

function(heddle_simulator_version target)
  set(sources "")
  foreach(room IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*)
    list(APPEND sources ${found})
  endforeach()
  list(SORT sources)
  set(folder ${CMAKE_BINARY_DIR}/generated)
  string(REPLACE ";" "\n" lines "${sources}")
  file(GENERATE OUTPUT ${folder}/simulator_sources.txt CONTENT "${lines}\n")
  add_custom_command(
    OUTPUT ${folder}/simulator_version.h
    COMMAND ${CMAKE_COMMAND} -DLIST=${folder}/simulator_sources.txt -DROOT=${CMAKE_SOURCE_DIR}
            -DOUTPUT=${folder}/simulator_version.h -P ${heddle_version_script}
    DEPENDS ${sources} ${folder}/simulator_sources.txt ${heddle_version_script}
    COMMENT "Hashing the simulator's sources"
    VERBATIM)
  target_sources(${target} PRIVATE ${folder}/simulator_version.h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
