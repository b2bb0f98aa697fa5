/* H5private.h includes it; nothing in the library waits for a process. */
