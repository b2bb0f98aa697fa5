/* H5private.h and H5detect.c include it. Nothing jumps: Wasm raises no signal for a misaligned access. */
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
#define longjmp(buffer, value) __builtin_trap()
