# What `make install` gives beside the program: the library, headers, CMake package, pkg-config.
install(TARGETS berth EXPORT berth LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/berth TYPE INCLUDE)
