# A toolchain file for CMake: the compilers of Inspect and the tools beside them.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=.../inspect.cmake ...
#
# CMake takes compilers from variables of the environment, but looks for an archiver itself, and may find one of an older
# LLVM, which cannot read the objects.

# Installed in lib/inspect, or in a build tree beside the tools or in the sources.
set(inspect_places
    "${CMAKE_CURRENT_LIST_DIR}/../../bin"
    "${CMAKE_CURRENT_LIST_DIR}"
    "${CMAKE_CURRENT_LIST_DIR}/../../target/release")
foreach(inspect_place IN LISTS inspect_places)
  get_filename_component(inspect_place "${inspect_place}" ABSOLUTE)
  if(NOT inspect_bin AND EXISTS "${inspect_place}/inspect-cc")
    set(inspect_bin "${inspect_place}")
  endif()
endforeach()
if(NOT inspect_bin)
  message(FATAL_ERROR "inspect-cc is in none of ${inspect_places}")
endif()

set(CMAKE_C_COMPILER "${inspect_bin}/inspect-cc")
set(CMAKE_CXX_COMPILER "${inspect_bin}/inspect-c++")
set(CMAKE_AR "${inspect_bin}/inspect-ar" CACHE FILEPATH "archiver")
set(CMAKE_RANLIB "${inspect_bin}/inspect-ranlib" CACHE FILEPATH "indexer of archives")
set(CMAKE_NM "${inspect_bin}/inspect-nm" CACHE FILEPATH "lister of symbols")
# Those that are used with link-time optimisation.
foreach(inspect_language C CXX)
  set(CMAKE_${inspect_language}_COMPILER_AR "${inspect_bin}/inspect-ar" CACHE FILEPATH "archiver")
  set(CMAKE_${inspect_language}_COMPILER_RANLIB "${inspect_bin}/inspect-ranlib" CACHE FILEPATH "indexer of archives")
endforeach()
