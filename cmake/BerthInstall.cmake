# What `cmake --install` gives beside the program: the library, headers, CMake package, pkg-config
# file, man pages and documentation.
include(CMakePackageConfigHelpers)

install(TARGETS berth EXPORT berth LIBRARY)
install(DIRECTORY include/berth ${PROJECT_BINARY_DIR}/include/berth TYPE INCLUDE
  FILES_MATCHING PATTERN *.h)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/berth)
install(EXPORT berth NAMESPACE berth:: FILE berth-config.cmake DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/berth-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/berth-config-version.cmake DESTINATION ${package})

# The prefix is known only when installing (cmake --install --prefix). The file is made where it goes:
# installations into several prefixes may run at once.
install(CODE "
  set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
  set(PROJECT_VERSION ${PROJECT_VERSION})
  set(pc \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/berth.pc\")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/berth.pc.in \"\$ENV{DESTDIR}\${pc}\" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${pc}\")
  message(STATUS \"Installing: \$ENV{DESTDIR}\${pc}\")")

foreach(section 1 5 7)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man${section}/
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section}
    FILES_MATCHING PATTERN *.${section})
endforeach()

# The Python module, where Debian's python3 looks for modules under the prefix /usr. It finds the
# library of the same prefix by a path from its own folder, so a moved installation works.
set(python lib/python3/dist-packages/berth)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(library ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH library /prefix/${python} /prefix/${CMAKE_INSTALL_LIBDIR})
endif()
file(CONFIGURE OUTPUT python/_installed.py CONTENT
  "\"\"\"Where `cmake --install` puts the library, seen from here.\"\"\"\nLIBRARY = \"@library@/libberth.so.0\"\n"
  @ONLY)
install(DIRECTORY python/berth/ DESTINATION ${python}
  FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/_installed.py DESTINATION ${python})

# As in the repository, so that their links lead somewhere.
install(FILES README.md CHANGELOG.md LICENSE TYPE DOC)
install(DIRECTORY docs examples rankfiles TYPE DOC USE_SOURCE_PERMISSIONS)

# For Lmod: `module use PREFIX/share/modulefiles`.
configure_file(packaging/lmod/berth.lua.in packaging/berth.lua @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/packaging/berth.lua RENAME ${PROJECT_VERSION}.lua
  DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/berth)
