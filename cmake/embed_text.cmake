# heddle_embed_text(TARGET NAME FILE): gives the room that TARGET is, heddle_ROOM, a function
# std::string_view heddle::ROOM::NAME() with the file's contents; the room declares it itself.
function(heddle_embed_text target name file)
  set(HEDDLE_TEXT_NAME ${name})
  string(REPLACE "heddle_" "" HEDDLE_TEXT_ROOM ${target})
  set(HEDDLE_TEXT_FILE ${file})
  set(unit ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embed_text.cpp.in ${unit} @ONLY)
  # By itself, because a unit of several files does not know that it depends on this one.
  set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS ${file} SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${unit})
endfunction()
