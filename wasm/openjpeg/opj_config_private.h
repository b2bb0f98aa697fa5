/* What the build system of OpenJPEG would have found out. */
#define OPJ_PACKAGE_VERSION "2.5.0"
#define OPJ_HAVE_FSEEKO 1
#define OPJ_HAVE_INTTYPES_H 1
