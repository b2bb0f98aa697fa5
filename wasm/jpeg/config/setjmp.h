/* Stub of <setjmp.h>, which a few libjpeg files include. The engine never calls longjmp: on an error the host
 * throws. */
typedef int jmp_buf[1];
