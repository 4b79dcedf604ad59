# Included by the first project() of a build that tells CTest of no test: its programs that stand among tests, or are
# called so, become tests once everything is known of them. Each is started without arguments.
# https://cmake.org/cmake/help/latest/variable/CMAKE_PROJECT_INCLUDE.html
include_guard(GLOBAL)

function(agent_fix_add_tests folder)
  get_directory_property(targets DIRECTORY "${folder}" BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(aside ${target} EXCLUDE_FROM_ALL)
    get_target_property(sources ${target} SOURCES)
    file(RELATIVE_PATH place "${CMAKE_SOURCE_DIR}" "${folder}/${target}")
    set(places "${place}")
    foreach(source IN LISTS sources)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      file(RELATIVE_PATH source "${CMAKE_SOURCE_DIR}" "${source}")
      list(APPEND places "${source}")
    endforeach()
    string(TOLOWER "${place}" place)
    string(TOLOWER "${places}" places)
    if(type STREQUAL "EXECUTABLE" AND NOT aside AND places MATCHES "(^|[/;_.-])(unit)?tests?($|[/;_.-])"
       AND NOT place MATCHES "bench|example|fuzz|perf|sample|mock|helper"
       AND NOT "/${place}" MATCHES "/(_?deps|contrib|extern|external|subprojects|third_?party|vendor|vendored)/")
      add_test(NAME ${target} COMMAND ${target})
      set_tests_properties(${target} PROPERTIES TIMEOUT 600)
    endif()
  endforeach()
  get_directory_property(below DIRECTORY "${folder}" SUBDIRECTORIES)
  foreach(each IN LISTS below)
    agent_fix_add_tests("${each}")
  endforeach()
endfunction()

cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL enable_testing)
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL agent_fix_add_tests "${CMAKE_SOURCE_DIR}")
