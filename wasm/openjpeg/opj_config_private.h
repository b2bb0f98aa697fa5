/* Private OpenJPEG configuration for wasm32-wasi, in place of its build system's output. */
#define OPJ_PACKAGE_VERSION "2.5.3"
#define OPJ_HAVE_FSEEKO 1
