# heddle_room(NAME [COLD] [SEES room...] [LIBRARIES target...])
#
# Builds src/NAME/**/*.cpp into the target heddle_NAME. Headers of a room are included as "NAME/header.h" through a
# link in the build tree, and only the links of the rooms named in SEES (and what those see) are on the include path:
# an include that the map does not allow does not compile.
# COLD: runs once per command, so builds do not spend time on optimising it.
# Its files may be compiled together (heddle_unity): no two say the same name in an unnamed namespace.
# Rooms are object libraries, so that self-registering mechanisms are never dropped by the linker.
function(heddle_room name)
  cmake_parse_arguments(ROOM "COLD" "" "SEES;LIBRARIES" ${ARGN})
  set(view ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)  # headers only, so far
    set(sources ${view}/empty.cpp)
    if(NOT EXISTS ${sources})
      file(TOUCH ${sources})
    endif()
  endif()
  add_library(heddle_${name} OBJECT ${sources})
  target_include_directories(heddle_${name} PUBLIC ${view})
  target_link_libraries(heddle_${name} PRIVATE heddle_flags PUBLIC ${ROOM_LIBRARIES})
  foreach(seen IN LISTS ROOM_SEES)
    target_link_libraries(heddle_${name} PUBLIC heddle_${seen})
  endforeach()
  heddle_unity(heddle_${name})
  if(ROOM_COLD)
    heddle_cold(heddle_${name})
  else()
    heddle_hot(heddle_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY HEDDLE_ROOMS ${name})
endfunction()

# heddle_link_rooms(TARGET room...): links the objects of these rooms and of every room they see, each once.
function(heddle_link_rooms target)
  set(pending ${ARGN})
  set(done "")
  while(pending)
    list(POP_FRONT pending room)
    if(room IN_LIST done)
      continue()
    endif()
    list(APPEND done ${room})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:heddle_${room}>)
    get_target_property(links heddle_${room} INTERFACE_LINK_LIBRARIES)
    foreach(link IN LISTS links)
      if(link MATCHES "^heddle_(.+)$" AND NOT link STREQUAL "heddle_flags")
        list(APPEND pending ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endwhile()
  foreach(room IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE heddle_${room})
  endforeach()
  target_link_libraries(${target} PRIVATE heddle_flags)
endfunction()
