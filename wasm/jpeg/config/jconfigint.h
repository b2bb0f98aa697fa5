#define BUILD "wasm"
#define INLINE inline __attribute__((always_inline))
#define PACKAGE_NAME "mozjpeg"
#define VERSION "3.2"
#define SIZEOF_SIZE_T 4
