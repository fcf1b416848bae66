# Where <berth/NAME.h> is: version.h is made of project()'s version.
set(BERTH_HEADERS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
configure_file(include/berth/version.h.in include/berth/version.h @ONLY)

# berth_flags(target): the language and warnings that all of berth is built with.
function(berth_flags target)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpointer-arith
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    -Wcast-qual -Wformat=2 -Wvla -fno-omit-frame-pointer
    # Plain structs may gain members; what an initializer leaves out is zero.
    -Wno-missing-field-initializers
    # Builds in other folders give the same files. A debugger that starts in the sources finds them.
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}=. -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=.
    -fmacro-prefix-map=${PROJECT_BINARY_DIR}=build -fdebug-prefix-map=${PROJECT_BINARY_DIR}=build)
endfunction()

# berth_sanitize(target): the sanitizers, where the build asks for them.
function(berth_sanitize target)
  if(BERTH_SANITIZE)
    # Tests take three times as long unoptimised, and -O2 -g takes twice as long to build. What the
    # sanitizers put in hides from gcc how long a number can be.
    target_compile_options(${target} PRIVATE -O1 -g1 -fsanitize=address,undefined
      -fno-sanitize-recover=undefined -Wno-format-truncation)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
    # What the sanitizers put in has so many addresses that a program at a place of its own choice
    # starts in three quarters of the time.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      target_link_options(${target} PRIVATE -no-pie)
    endif()
  endif()
  if(BERTH_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# berth_optional(NAME WITH files… WITHOUT file): files of src that a build with BERTH_WITH_NAME has, and
# the one that it has without. That one's functions fail with a line that names the option.
function(berth_optional name)
  cmake_parse_arguments(arg "" "" "WITH;WITHOUT" ${ARGN})
  set(left_out ${arg_WITH})
  if(BERTH_WITH_${name})
    set(left_out ${arg_WITHOUT})
  endif()
  list(TRANSFORM left_out PREPEND ${PROJECT_SOURCE_DIR}/src/)
  set_property(GLOBAL APPEND PROPERTY BERTH_LEFT_OUT ${left_out})
endfunction()

# berth_optional_library(NAME package): with BERTH_WITH_NAME, ${NAME} is the target of pkg-config's
# package.
macro(berth_optional_library name package)
  if(BERTH_WITH_${name})
    pkg_check_modules(${package} REQUIRED IMPORTED_TARGET ${package})
    set(${name} PkgConfig::${package})
  endif()
endmacro()

# berth_module(name USES modules… LINKS libraries…): the module src/name as a static library. Its
# public headers are include/berth/; its own are seen as "name/file.h" by those who use it. A folder
# src/name/mpi isn't part of it: what is there is built for each MPI.
function(berth_module name)
  cmake_parse_arguments(arg "" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c
    ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/mpi/")
  get_property(left_out GLOBAL PROPERTY BERTH_LEFT_OUT)
  list(REMOVE_ITEM sources ${left_out})
  add_library(berth_${name} STATIC ${sources})
  berth_flags(berth_${name})
  berth_sanitize(berth_${name})
  target_include_directories(berth_${name} PUBLIC ${BERTH_HEADERS} ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_USES PREPEND berth_)
  target_link_libraries(berth_${name} PUBLIC ${arg_USES} PRIVATE ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY BERTH_MODULE_LINKS ${arg_LINKS})
endfunction()

# berth_uses(name modules…): which modules a folder of src may include that is no berth_module. MPI
# stands for mpi.h. It is a statement: nothing is built by it.
function(berth_uses name)
endfunction()

# berth_embed(target list files…): the files as bytes in the target, by the name of a list
# (src/base/embedded.h).
function(berth_embed target list)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${list}.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DLIST=${list} "-DFILES=${ARGN}"
      -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# berth_library(modules…): libberth.so, the modules that see no MPI in one shared library.
function(berth_library)
  add_library(berth SHARED)
  foreach(module ${ARGN})
    target_sources(berth PRIVATE $<TARGET_OBJECTS:berth_${module}>)
  endforeach()
  berth_sanitize(berth)
  set(symbols ${PROJECT_SOURCE_DIR}/src/libberth.map)
  target_link_options(berth PRIVATE -Wl,--version-script=${symbols})
  set_property(TARGET berth PROPERTY LINK_DEPENDS ${symbols})
  get_property(links GLOBAL PROPERTY BERTH_MODULE_LINKS)
  list(REMOVE_DUPLICATES links)
  target_link_libraries(berth PRIVATE ${links})
  target_include_directories(berth INTERFACE "$<BUILD_INTERFACE:${BERTH_HEADERS}>"
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(berth PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
    LINKER_LANGUAGE C)
endfunction()
