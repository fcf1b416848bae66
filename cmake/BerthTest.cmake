# berth_unit_test(name USES modules…): tests/<folder>/name.c as a cmocka program and a test.
function(berth_unit_test name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  add_executable(test_${folder}_${name} ${name}.c)
  berth_flags(test_${folder}_${name})
  berth_sanitize(test_${folder}_${name})
  target_include_directories(test_${folder}_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM arg_USES PREPEND berth_)
  target_link_libraries(test_${folder}_${name} PRIVATE ${arg_USES} PkgConfig::cmocka)
  add_test(NAME ${folder}/${name} COMMAND test_${folder}_${name})
  set_tests_properties(${folder}/${name} PROPERTIES LABELS ${folder}
    ENVIRONMENT "BERTH_SOURCE_DIR=${PROJECT_SOURCE_DIR};BERTH_BUILD_DIR=${PROJECT_BINARY_DIR}")
endfunction()

# berth_script_test(name [ALONE] [TESTBED] [MPI]): tests/<folder>/name.sh as a test. It exits 77 to say
# that this machine lacks what it needs, and prints what. ALONE: it measures the machine, or fills
# it, and so runs when no other test does. TESTBED: it makes a testbed, of which there is one at a
# time; jobs on it wait for slow links, so other tests run beside it, and it begins before them
# (COST). MPI: it starts MPI jobs, whose ranks poll while they wait, so it takes the place of two;
# builds that leave these out know them by the label. Tests start Python a few hundred times: the
# system's, because a version manager's takes six times as long to start.
function(berth_script_test name)
  cmake_parse_arguments(arg "ALONE;TESTBED;MPI" "" "" ${ARGN})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  add_test(NAME ${folder}/${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${name}.sh)
  set_tests_properties(${folder}/${name} PROPERTIES LABELS ${folder} SKIP_RETURN_CODE 77
    RUN_SERIAL ${arg_ALONE} ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:/usr/bin"
    ENVIRONMENT "BERTH_SOURCE_DIR=${PROJECT_SOURCE_DIR};BERTH_BUILD_DIR=${PROJECT_BINARY_DIR}")
  if(arg_MPI)
    set_tests_properties(${folder}/${name} PROPERTIES LABELS "${folder};mpi" PROCESSORS 2 COST 50)
  endif()
  if(arg_TESTBED)
    set_tests_properties(${folder}/${name} PROPERTIES RESOURCE_LOCK testbed COST 100)
  endif()
endfunction()

# berth_fuzz_target(name USES modules…): tests/fuzz/fuzz_name.c, a libFuzzer target in builds with
# BERTH_FUZZ. Elsewhere a driver replays the files of tests/fuzz/corpus/name through it, as a test.
function(berth_fuzz_target name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  add_executable(fuzz_${name} fuzz_${name}.c)
  berth_flags(fuzz_${name})
  berth_sanitize(fuzz_${name})
  list(TRANSFORM arg_USES PREPEND berth_)
  target_link_libraries(fuzz_${name} PRIVATE ${arg_USES})
  if(BERTH_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(replay -runs=0)
  else()
    target_sources(fuzz_${name} PRIVATE driver.c)
  endif()
  add_test(NAME fuzz/${name}
    COMMAND fuzz_${name} ${replay} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz)
endfunction()
