# What is installed beside the program, and the Debian package: cpack -G DEB in the build folder.
include(GNUInstallDirs)
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(HEDDLE_CUDART_TARGETS)
  install(TARGETS ${HEDDLE_CUDART_TARGETS} LIBRARY DESTINATION lib/heddle)
endif()
install(DIRECTORY presets experiments validation DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The manual page and completion are what the program says of itself.
if(NOT HEDDLE_SANITIZE)
  set(pages ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${pages})
  add_custom_command(TARGET heddle POST_BUILD
    COMMAND heddle generate man > ${pages}/heddle.1
    COMMAND heddle generate completion bash > ${pages}/heddle
    COMMAND heddle generate completion zsh > ${pages}/_heddle
    COMMAND heddle generate completion fish > ${pages}/heddle.fish)
  install(FILES ${pages}/heddle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/_heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${pages}/heddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-liberation")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
find_program(HEDDLE_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(HEDDLE_SHLIBDEPS)
if(HEDDLE_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()  # what Debian 12 has
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, libfmt9, libsqlite3-0, liblz4-1, libzstd1, libxxhash0")
endif()
include(CPack)
