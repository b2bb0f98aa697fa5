/* Stub of <setjmp.h> for H5private.h and H5detect.c. It never jumps: WebAssembly raises no signal for misaligned
 * accesses. */
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
#define longjmp(buffer, value) __builtin_trap()
