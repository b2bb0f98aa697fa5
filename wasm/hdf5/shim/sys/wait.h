/* Stub of <sys/wait.h> for H5private.h. The library never waits for a process. */
