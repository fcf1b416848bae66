# cmake -DOUTPUT=FILE.c -DLIST=NAME "-DFILES=a;b" -P Embed.cmake: the files' bytes as the list NAME of
# src/base/embedded.h, each by its name without the folder.
set(parts "")
set(list "")
set(i 0)
foreach(file ${FILES})
  cmake_path(GET file FILENAME name)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND parts "static const unsigned char part_${i}[] = {${bytes}0};\n")
  string(APPEND list "    {\"${name}\", part_${i}, sizeof part_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"base/embedded.h\"\n\n${parts}\nextern const embedded_t ${LIST}[];\n"
  "const embedded_t ${LIST}[] = {\n${list}    {0}};\n")
