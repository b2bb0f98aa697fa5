/* libjpeg includes <setjmp.h> in a few front ends only; the engine never jumps: the host throws. */
typedef int jmp_buf[1];
