# The Python module: import heddle. Built where Debian's pybind11 is found; HEDDLE_PYTHON=OFF leaves it out.
option(HEDDLE_PYTHON "Build the Python module, if pybind11 is there" ON)
if(HEDDLE_PYTHON AND NOT HEDDLE_SANITIZE)
  # Debian's own python3 is the one that Debian's pybind11 and packages are for; others may come first in the path.
  find_program(HEDDLE_PYTHON_PROGRAM python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(HEDDLE_PYTHON_PROGRAM python3)
  set(PYTHON_EXECUTABLE ${HEDDLE_PYTHON_PROGRAM})
  find_package(pybind11 QUIET)
  if(pybind11_FOUND)
    pybind11_add_module(heddle_python MODULE NO_EXTRAS ${CMAKE_SOURCE_DIR}/python/module.cpp)
    heddle_link_rooms(heddle_python cli)
    # bin/heddle is the program; the module lies in python/ beside it.
    set_target_properties(heddle_python PROPERTIES OUTPUT_NAME _heddle LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/heddle)
    set(python_files ${CMAKE_SOURCE_DIR}/python/heddle/__init__.py ${CMAKE_SOURCE_DIR}/python/heddle/results.py
                     ${CMAKE_SOURCE_DIR}/python/heddle/py.typed)
    add_custom_command(TARGET heddle_python POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy
      ${python_files} ${CMAKE_BINARY_DIR}/python/heddle)
    set_property(TARGET heddle_python APPEND PROPERTY LINK_DEPENDS ${python_files})
    if(HEDDLE_CUDART_TARGETS)
      add_dependencies(heddle_python ${HEDDLE_CUDART_TARGETS})  # heddle.exec looks for them near it
    endif()
    install(TARGETS heddle_python LIBRARY DESTINATION lib/python3/dist-packages/heddle)
    install(FILES ${python_files} DESTINATION lib/python3/dist-packages/heddle)
  else()
    message(STATUS "pybind11 is not installed: the Python module is left out")
  endif()
endif()
