# Puts the man pages of folder FROM into TO/man1, TO/man5 and TO/man7, by their sections, as man wants
# them: cmake -D FROM=… -D TO=… -P ManSections.cmake.
file(REMOVE_RECURSE ${TO})
foreach(section 1 5 7)
  file(GLOB pages ${FROM}/*.${section})
  file(COPY ${pages} DESTINATION ${TO}/man${section})
endforeach()
