/* HDF5 configuration for wasm32-wasi, in place of configure's output. Disabled: signals, processes, sockets, file
 * locks, plugins, szip, conversions of long double beyond 64-bit doubles. The library uses a single virtual file driver
 * and needs no POSIX files. */
#ifndef H5_CONFIG_H_
#define H5_CONFIG_H_

#define H5_DEFAULT_PLUGINDIR ""
#define H5_DEV_T_IS_SCALAR 1
#define H5_HAVE_ATTRIBUTE 1
#define H5_HAVE_FILTER_DEFLATE 1
#define H5_HAVE_GETTIMEOFDAY 1
#define H5_HAVE_RANDOM 1
#define H5_HAVE_RAND_R 1
#define H5_HAVE_SYS_STAT_H 1
#define H5_HAVE_SYS_TIME_H 1
#define H5_HAVE_SYS_TYPES_H 1
#define H5_HAVE_TM_GMTOFF 1
#define H5_HAVE_UNISTD_H 1
#define H5_HAVE_ZLIB_H 1
#define H5_LDOUBLE_TO_LLONG_ACCURATE 1
#define H5_LLONG_TO_LDOUBLE_CORRECT 1
#define H5_SIZEOF_CHAR 1
#define H5_SIZEOF_DOUBLE 8
#define H5_SIZEOF_FLOAT 4
#define H5_SIZEOF_INT 4
#define H5_SIZEOF_INT8_T 1
#define H5_SIZEOF_INT16_T 2
#define H5_SIZEOF_INT32_T 4
#define H5_SIZEOF_INT64_T 8
#define H5_SIZEOF_INT_FAST8_T 1
#define H5_SIZEOF_INT_FAST16_T 4
#define H5_SIZEOF_INT_FAST32_T 4
#define H5_SIZEOF_INT_FAST64_T 8
#define H5_SIZEOF_INT_LEAST8_T 1
#define H5_SIZEOF_INT_LEAST16_T 2
#define H5_SIZEOF_INT_LEAST32_T 4
#define H5_SIZEOF_INT_LEAST64_T 8
#define H5_SIZEOF_LONG 4
#define H5_SIZEOF_LONG_DOUBLE 16
#define H5_SIZEOF_LONG_LONG 8
#define H5_SIZEOF_OFF_T 8
#define H5_SIZEOF_PTRDIFF_T 4
#define H5_SIZEOF_SHORT 2
#define H5_SIZEOF_SIZE_T 4
#define H5_SIZEOF_SSIZE_T 4
#define H5_SIZEOF_TIME_T 8
#define H5_SIZEOF_UINT8_T 1
#define H5_SIZEOF_UINT16_T 2
#define H5_SIZEOF_UINT32_T 4
#define H5_SIZEOF_UINT64_T 8
#define H5_SIZEOF_UINT_FAST8_T 1
#define H5_SIZEOF_UINT_FAST16_T 4
#define H5_SIZEOF_UINT_FAST32_T 4
#define H5_SIZEOF_UINT_FAST64_T 8
#define H5_SIZEOF_UINT_LEAST8_T 1
#define H5_SIZEOF_UINT_LEAST16_T 2
#define H5_SIZEOF_UINT_LEAST32_T 4
#define H5_SIZEOF_UINT_LEAST64_T 8
#define H5_SIZEOF_UNSIGNED 4
#define H5_USE_110_API_DEFAULT 1
#define H5_WANT_DATA_ACCURACY 1
#define H5_WANT_DCONV_EXCEPTION 1

#endif
