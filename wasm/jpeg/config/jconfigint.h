#define BUILD "wasm"
#define INLINE inline __attribute__((always_inline))
#define PACKAGE_NAME "mozjpeg"
#define VERSION "4.1.5"
#define SIZEOF_SIZE_T 4
#define FALLTHROUGH
#define HIDDEN __attribute__((visibility("hidden")))
#define THREAD_LOCAL
#define HAVE_BUILTIN_CTZL 1
