# heddle_embed_text(TARGET NAME FILE): gives TARGET a function std::string_view heddle::results::NAME() with the file's
# contents (declared by src/results/page.h).
function(heddle_embed_text target name file)
  set(HEDDLE_TEXT_NAME ${name})
  set(HEDDLE_TEXT_FILE ${file})
  set(unit ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embed_text.cpp.in ${unit} @ONLY)
  set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${unit})
endfunction()
