# Makes a C file of FILES into OUT, at build time.  KIND migrations, ENGINE_migrations: an array of {name, SQL,
# SHA-256}, ended by a row of NULLs.  KIND texts: NAME[] and NAME_len for each pair of NAMES and FILES, declared in HEADER.
# KIND console: an array of {name, gzip's bytes, their number, the file's size, the start of its SHA-256}, ended in the same way.

# embed_bytes(FILE VARIABLE): the file as C array members.
function(embed_bytes file variable)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  # Bytes above 127 do not fit a signed char unnoticed.
  string(REGEX REPLACE "(0x[89a-f].)" "(char)\\1" bytes "${bytes}")
  set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
set(n 0)
foreach(file ${FILES})
  if(KIND STREQUAL "console")
    # Without the name and the time, so that two builds are equal.
    execute_process(COMMAND gzip -9nc ${file} OUTPUT_FILE ${OUT}.gz COMMAND_ERROR_IS_FATAL ANY)
    embed_bytes(${OUT}.gz bytes)
    file(REMOVE ${OUT}.gz)
    file(SIZE ${file} size)
    file(SHA256 ${file} sum)
    string(SUBSTRING ${sum} 0 32 sum)
    get_filename_component(name ${file} NAME)
    string(APPEND arrays "static const char file_${n}[] = {${bytes}};\n")
    string(APPEND rows "\t{ \"${name}\", file_${n}, sizeof file_${n}, ${size}, \"${sum}\" },\n")
  elseif(KIND MATCHES "migrations$")
    embed_bytes(${file} bytes)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND arrays "static const char sql_${n}[] = {${bytes}0};\n")
    file(SHA256 ${file} sum)
    string(APPEND rows "\t{ \"${name}\", sql_${n}, \"${sum}\" },\n")
  else()
    embed_bytes(${file} bytes)
    list(GET NAMES ${n} name)
    string(APPEND arrays "const char ${name}[] = {${bytes}0};\n"
                         "const size_t ${name}_len = sizeof ${name} - 1;\n")
  endif()
  math(EXPR n "${n} + 1")
endforeach()

if(KIND MATCHES "migrations$")
  string(REGEX REPLACE "s$" "" row ${KIND})
  string(APPEND arrays "\nconst struct ${row} ${KIND}[] = {\n${rows}\t{ 0, 0, 0 },\n};\n")
endif()
if(KIND STREQUAL "console")
  string(APPEND arrays "\nconst struct console_file console_files[] = {\n${rows}\t{ 0, 0, 0, 0, 0 },\n};\n")
endif()
file(WRITE ${OUT} "/* Made by scripts/embed.cmake. */\n#include \"${HEADER}\"\n\n${arrays}")
