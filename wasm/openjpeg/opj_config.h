/* OpenJPEG configuration for wasm32-wasi, in place of its build system's output. */
#define OPJ_VERSION_MAJOR 2
#define OPJ_VERSION_MINOR 5
#define OPJ_VERSION_BUILD 3
#define OPJ_PACKAGE_VERSION "2.5.3"
