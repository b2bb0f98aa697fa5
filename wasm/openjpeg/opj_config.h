/* OpenJPEG configuration for wasm32-wasi, in place of its build system's output. */
#define OPJ_HAVE_STDINT_H
#define OPJ_HAVE_INTTYPES_H 1
#define OPJ_VERSION_MAJOR 2
#define OPJ_VERSION_MINOR 5
#define OPJ_VERSION_BUILD 0
#define OPJ_PACKAGE_VERSION "2.5.0"
