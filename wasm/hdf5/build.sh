#!/bin/sh
# Builds hdf5.wasm: HDF5 1.10.8, the inflate part of zlib 1.2.13 and libdeflate 1.14 (Debian source packages), and the
# rewriter in this folder. Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, node 20 or newer, and apt with a
# deb-src entry.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/hdf5
mkdir -p "$cache"
cd "$cache"

fetch() { # package=version, file, hash
  [ -e "$2" ] || apt-get source --download-only "$1"
  echo "$3  $2" | sha256sum --check --quiet
}
fetch hdf5=1.10.8+repack1-1 hdf5_1.10.8+repack1.orig.tar.gz 7b38e58ff83b13fd8959a90b13bf896bc318ba096c940ab0847abf3ad41a0b31
fetch zlib=1:1.2.13.dfsg-1 zlib_1.2.13.dfsg.orig.tar.bz2 71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
fetch libdeflate=1.14-1 libdeflate_1.14.orig.tar.gz 89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac
rm -rf hdf5-1.10.8+repack1 zlib-1.2.13.dfsg libdeflate-1.14 objects
tar xzf hdf5_1.10.8+repack1.orig.tar.gz
tar xjf zlib_1.2.13.dfsg.orig.tar.bz2
tar xzf libdeflate_1.14.orig.tar.gz
mkdir objects
hdf5=hdf5-1.10.8+repack1/src
zlib=zlib-1.2.13.dfsg
libdeflate=libdeflate-1.14
sed -i 's/^typedef size_t machine_word_t;$/typedef u64 machine_word_t;/' $libdeflate/common_defs.h
# HDF5 patch against damaged files: an object of a global heap may declare any size. With 32-bit pointers, the next
# object could then start before it, in an endless loop.
sed -i 's/^            image = begin + need;$/            if (heap->obj[idx].size > heap->size || need < H5HG_SIZEOF_OBJHDR(f) || need > (size_t)(heap->chunk + heap->size - begin))\
                HGOTO_ERROR(H5E_HEAP, H5E_CANTDECODE, NULL, "an object outside of its heap")\
&/' $hdf5/H5HGcache.c
# HDF5 patch: if an attribute cannot be copied, the library frees the whole table. Entries not filled yet must be zero.
sed -i 's/^        udata->atable->nattrs = new_table_size;$/&\
        HDmemset(new_table + udata->curr_attr, 0, (new_table_size - udata->curr_attr) * sizeof(*new_table));/' $hdf5/H5Aint.c
# HDF5 patch against damaged files: an attribute index may have fewer or more attributes than its counter declares.
sed -i 's/^    HDassert(udata->curr_attr < udata->atable->nattrs);$/    if (udata->curr_attr >= udata->atable->nattrs)\
        HGOTO_ERROR(H5E_ATTR, H5E_BADITER, H5_ITER_ERROR, "more attributes than their index counts")/
s/^            HGOTO_ERROR(H5E_ATTR, H5E_CANTINIT, FAIL, "error building attribute table")$/&\
        atable->nattrs = udata.curr_attr;/' $hdf5/H5Aint.c
# HDF5 patch against damaged files: an attribute may declare more bytes than its message contains.
sed -i '/^H5O_attr_decode/,/^}/{
s/^    \/\* Version number \*\/$/    const uint8_t *p_end = p + p_size;\
&/
s/^    \/\* Decode and store the name \*\/$/    if (name_len > (size_t)(p_end - p))\
        HGOTO_ERROR(H5E_ATTR, H5E_OVERFLOW, NULL, "a name outside of its message")\
&/
s/^    \/\* Decode the attribute.s datatype \*\/$/    if (p > p_end || attr->shared->dt_size > (size_t)(p_end - p))\
        HGOTO_ERROR(H5E_ATTR, H5E_OVERFLOW, NULL, "a datatype outside of its message")\
&/
s/^        if (attr->shared->data_size > p_size)$/        if (p > p_end || attr->shared->data_size > (size_t)(p_end - p))/
}' $hdf5/H5Oattr.c
# HDF5 patch against damaged files: a datatype message may contain fewer members than it declares.
sed -i '/^H5O_dtype_decode(/,/^}/{
s/^    HDassert(p);$/    const uint8_t *p_start = p;/
s/^    \/\* Set return value \*\/$/    if ((size_t)(p - p_start) > p_size)\
        HGOTO_ERROR(H5E_DATATYPE, H5E_CANTDECODE, NULL, "a type outside of its message")\
&/
}' $hdf5/H5Odtype.c
# HDF5 patch against damaged files: a chunk of an object header may declare a length shorter than its checksum.
sed -i '/^H5F_get_checksums/,/^}/s/^    HDassert(buf_size);$/    if (buf_size < H5_SIZEOF_CHKSUM) {\
        if (s_chksum)\
            *s_chksum = 0;\
        if (c_chksum)\
            *c_chksum = 1;\
        return SUCCEED;\
    }/' $hdf5/H5Fio.c
# HDF5 patch against damaged files: a chunked layout must have at least two dimensions; the last one is the value size.
sed -i 's/^                    if (mesg->u.chunk.ndims > H5O_LAYOUT_NDIMS)$/                    if (mesg->u.chunk.ndims < 2 || mesg->u.chunk.ndims > H5O_LAYOUT_NDIMS)/' $hdf5/H5Olayout.c
# HDF5 patch: allocates the known decoded size of a chunk plus 64 bytes, which zlib needs to detect the end. A buffer
# that doubles would temporarily take up to three times as much memory.
sed -i 's/^        size_t   nalloc = \*buf_size; .*$/        extern size_t expected_chunk_bytes;\
        size_t nalloc = expected_chunk_bytes > *buf_size ? expected_chunk_bytes + 64 : *buf_size;/' $hdf5/H5Zdeflate.c
# HDF5 patch: the output buffer of Deflate is only as large as the chunk, because larger results are stored
# uncompressed.
sed -i 's/^        uLongf       z_dst_nbytes = (uLongf)H5Z_DEFLATE_SIZE_ADJUST(nbytes);$/        uLongf       z_dst_nbytes = (uLongf)nbytes;/' $hdf5/H5Zdeflate.c

target="--target=wasm32-wasi -nostdlibinc -isystem $here/shim -isystem /usr/include/wasm32-wasi"
flags="$target -O2 -msimd128 -mbulk-memory -DNDEBUG -D_GNU_SOURCE -DH5_BUILT_AS_STATIC_LIB -D_WASI_EMULATED_SIGNAL
  -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID -Dtzset=whittle_no_timezone -Wno-implicit-function-declaration
  -Wno-implicit-int -ffunction-sections -fdata-sections -ffile-prefix-map=$here=. -ffile-prefix-map=$PWD=.
  -I$here -I$hdf5 -I$zlib -I$libdeflate"
builtins=$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)

# HDF5 detects the number formats of the target with a program that runs there and prints H5Tinit.c.
clang-19 $flags -w '-DHDraise(signal)=0' -c $hdf5/H5detect.c -o H5detect.o
wasm-ld-19 -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-command.o H5detect.o -lc -lwasi-emulated-signal \
  -lwasi-emulated-process-clocks -lwasi-emulated-getpid "$builtins" -o H5detect.wasm
node --no-warnings -e '
  const { WASI } = require("node:wasi")
  const wasi = new WASI({ version: "preview1", args: ["H5detect"], env: {} })
  const module = new WebAssembly.Module(require("node:fs").readFileSync("H5detect.wasm"))
  wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()))
' >H5Tinit.c 2>H5detect.log
echo 'char H5libhdf5_settings[] = "";' >H5lib_settings.c

sources=$(ls $hdf5/H5*.c | grep -vE 'H5detect|H5make_libsettings|H5PL|H5FD(direct|hdfs|ros3|s3comms|windows|mirror|mpi)|[Hh]5mpi|mpio|H5ACmpio|H5Fmpi')
for part in adler32 crc32 inffast inflate inftrees zutil; do sources="$sources $zlib/$part.c"; done
sources="$sources H5Tinit.c H5lib_settings.c $(ls $libdeflate/lib/*.c)"
for source in $sources; do echo "$source"; done | xargs -P 2 -n 8 sh -c '
  for source; do clang-19 '"$(echo $flags)"' -w -c "$source" -o "objects/$(echo "${source%.c}" | tr / -).o" || exit 255; done' _
for source in "$here"/*.c; do
  clang-19 $flags -Wall -Wextra -c "$source" -o "objects/whittle-$(basename "$source" .c).o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o $(ls objects/*.o | LC_ALL=C sort) -lc -lm "$builtins" \
  --wrap=malloc --wrap=calloc --wrap=realloc -s --gc-sections --max-memory=67108864 -z stack-size=1048576 -o "$here/hdf5.wasm"
