# find_package(aqueduct): the targets aqueduct::aqueduct (shared) and aqueduct::static.
get_filename_component(aqueduct_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET aqueduct::aqueduct)
  add_library(aqueduct::aqueduct SHARED IMPORTED)
  set_target_properties(aqueduct::aqueduct PROPERTIES
    IMPORTED_LOCATION "${aqueduct_PREFIX}/lib/libaqueduct.so"
    IMPORTED_SONAME libaqueduct.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${aqueduct_PREFIX}/include")
  add_library(aqueduct::static STATIC IMPORTED)
  set_target_properties(aqueduct::static PROPERTIES
    IMPORTED_LOCATION "${aqueduct_PREFIX}/lib/libaqueduct.a"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m"
    INTERFACE_INCLUDE_DIRECTORIES "${aqueduct_PREFIX}/include")
endif()
