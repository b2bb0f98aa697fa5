/* Version and copyright strings of libjpeg's messages, in place of configure's output. */
#define JVERSION "6b"
#define JCOPYRIGHT "Copyright (C) 2009-2023 The libjpeg-turbo Project and many others"
#define JCOPYRIGHT_SHORT JCOPYRIGHT
