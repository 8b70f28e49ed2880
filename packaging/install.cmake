# What `cmake --install` and the Debian package are made of.  Paths are put into the files when they
# are installed, so that `--prefix` counts; DESTDIR goes in front of everything.
set(PARLEY_MAINTAINER "Parley maintainers <maintainers@parley.example>" CACHE STRING
  "who answers for the Debian package")

install(TARGETS parley RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(FILES docs/parley.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md packaging/debian/copyright openapi.yaml
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB pages ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*.png)
install(FILES bench/README.md bench/RESULTS.md bench/PROFILE.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY docs/internals DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY operate DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/completions/parley.bash RENAME parley
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES packaging/completions/parley.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The runner is a component of its own, and a package: cmake --install BUILD --component runner
if(PARLEY_RUNNER)
  install(TARGETS parley-seat parley-filter RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/parley
    COMPONENT runner EXCLUDE_FROM_ALL)
  install(FILES ${PARLEY_DRIVERS} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/parley
    COMPONENT runner EXCLUDE_FROM_ALL)
endif()

foreach(component Unspecified debian runner)
  set(PARLEY_COMPONENT ${component})
  configure_file(packaging/install_files.cmake.in ${CMAKE_BINARY_DIR}/install_${component}.cmake @ONLY)
endforeach()
install(SCRIPT ${CMAKE_BINARY_DIR}/install_Unspecified.cmake)
install(SCRIPT ${CMAKE_BINARY_DIR}/install_debian.cmake COMPONENT debian EXCLUDE_FROM_ALL)
if(PARLEY_RUNNER)
  install(SCRIPT ${CMAKE_BINARY_DIR}/install_runner.cmake COMPONENT runner EXCLUDE_FROM_ALL)
endif()

# cpack -G DEB
foreach(PARLEY_PACKAGE parley parley-runner)
  string(REPLACE parley-runner -runner suffix "${PARLEY_PACKAGE}")
  string(REPLACE parley "" suffix "${suffix}")
  configure_file(packaging/debian/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog${suffix} @ONLY)
endforeach()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME parley)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${PARLEY_MAINTAINER}")
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${CMAKE_BINARY_DIR};parley;ALL;/;${CMAKE_BINARY_DIR};parley;debian;/")
# The files in /etc and /usr/lib/systemd stand where Debian has them, whatever the build's prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "self-hosted gateway for LLM chat
Parley checks the chat requests of your programs, stores the conversations in
one SQLite file, asks a model provider, and gives the answers back, whole or
as a stream. It speaks OpenAI's interface and one of its own.

It is a single program; no other service is needed.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# systemd-sysusers and systemd-tmpfiles are called by postinst
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles")
# libpq5 is loaded where the database is a PostgreSQL one
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "parley-runner, libpq5")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_SOURCE_DIR}/packaging/debian/prerm
  ${CMAKE_SOURCE_DIR}/packaging/debian/postrm ${CMAKE_SOURCE_DIR}/packaging/debian/conffiles)
include(CPack)
if(PARLEY_RUNNER)
  configure_file(packaging/cpack_runner.cmake.in ${CMAKE_BINARY_DIR}/CPackRunnerConfig.cmake @ONLY)
endif()
