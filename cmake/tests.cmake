include(GoogleTest)

# heddle_add_tests(TARGET [FILTER PATTERN] [ENVIRONMENT NAME=VALUE])
#
# Each test of the program is a test of ctest's. With sanitizers a process takes long to start: there the program runs in
# a few shares instead.
function(heddle_add_tests target)
  cmake_parse_arguments(arg "" "FILTER;ENVIRONMENT" "" ${ARGN})
  if(NOT arg_FILTER)
    set(arg_FILTER "*")
  endif()
  if(NOT HEDDLE_SANITIZE)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 TEST_FILTER ${arg_FILTER}
      PROPERTIES ENVIRONMENT "${arg_ENVIRONMENT}")
    return()
  endif()
  set(shares 4)
  foreach(share RANGE 1 ${shares})
    math(EXPR index "${share} - 1")
    add_test(NAME ${target}.${share}_of_${shares} COMMAND ${target} --gtest_filter=${arg_FILTER} --gtest_brief=1)
    set_tests_properties(${target}.${share}_of_${shares} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shares};GTEST_SHARD_INDEX=${index};${arg_ENVIRONMENT}")
  endforeach()
endfunction()
