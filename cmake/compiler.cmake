# Compiler and linker settings shared by every target.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-march=x86-64-v2 -maes -mpclmul)  # the floor; faster instruction sets are dispatched at run time
endif()
add_compile_options(-Wall -Wextra -Werror -Wno-missing-field-initializers $<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno>)
# clang reports what libstdc++ itself does inside std::stable_sort (get_temporary_buffer is deprecated since C++17).
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
add_compile_options(-ffp-contract=off)  # fused multiply-add only where a kernel asks for it: same bits with every compiler
if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENON_SANITIZE})
  # The sanitized presets compile at -O0: with g++ the checks cost three times the compile time at -O1. The kernels, which do
  # the work, are compiled at -O1 (src/CMakeLists.txt), without the check for null that the address sanitizer has as well.
  set(TENON_KERNEL_OPTIONS -O1 -fno-sanitize=null)
endif()
option(TENON_FUZZ "Build the fuzz targets in tests/fuzz (clang only)" OFF)
if(TENON_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime CCACHE_NOHASHDIR=1 ${TENON_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
find_program(TENON_MOLD mold)
if(TENON_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
find_package(Threads REQUIRED)
