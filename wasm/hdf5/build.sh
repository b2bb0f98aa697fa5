#!/bin/sh
# Builds hdf5.wasm: HDF5 1.14.5, the inflate part of zlib 1.3.1 and libdeflate 1.14 (Debian source packages), and the
# rewriter in this folder. Needs: patch, clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, and apt with deb-src
# entries of Debian 12 and 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/hdf5
mkdir -p "$cache"
cd "$cache"

fetch() { # package=version, file, hash
  [ -e "$2" ] || apt-get source --download-only --tar-only "$1"
  echo "$3  $2" | sha256sum --check --quiet
}
fetch hdf5=1.14.5+repack-3 hdf5_1.14.5+repack.orig.tar.gz 71cdb04c151ef4e8a7f88907adfc4f3b75afd44e96fbd55775e1c9d7c4e7c112
fetch zlib=1:1.3.dfsg+really1.3.1-1+deb13u1 zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
fetch libdeflate=1.14-1 libdeflate_1.14.orig.tar.gz 89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac
rm -rf hdf5-1.14.5+repack zlib-1.3.1 libdeflate-1.14 objects
tar xzf hdf5_1.14.5+repack.orig.tar.gz
tar xzf zlib_1.3.dfsg+really1.3.1.orig.tar.gz
tar xzf libdeflate_1.14.orig.tar.gz
mkdir objects
hdf5=hdf5-1.14.5+repack/src
zlib=zlib-1.3.1
libdeflate=libdeflate-1.14
sed -i 's/^typedef size_t machine_word_t;$/typedef u64 machine_word_t;/' $libdeflate/common_defs.h
# Ends passes that find the same path again, and compares lengths four at a time: the same output, faster at level 12.
for change in passes lengths; do patch -s -p1 -d $libdeflate <"$here/../libdeflate/$change.patch"; done
# HDF5 patch against damaged files: an object of a global heap may declare any size, and with 32-bit pointers the padded
# size may be small. The last object may declare no bytes, which would be an endless loop.
sed -i '/^H5HG__cache_heap_deserialize/,/^}/s/^            if (H5_IS_BUFFER_OVERFLOW(begin, need, p_end))$/            if (heap->obj[idx].size > heap->size || need < H5HG_SIZEOF_OBJHDR(f) || H5_IS_BUFFER_OVERFLOW(begin, need, p_end))/' $hdf5/H5HGcache.c
# HDF5 patch against damaged files: an attribute index may have more attributes than its counter declares.
sed -i 's/^    assert(atable->num_attrs < atable->max_attrs);$/    if (atable->num_attrs >= atable->max_attrs)\
        HGOTO_ERROR(H5E_ATTR, H5E_BADITER, H5_ITER_ERROR, "more attributes than their index counts");/' $hdf5/H5Aint.c
# HDF5 patch against damaged files: a chunked layout must have at least two dimensions; the last one is the value size.
sed -i 's/^                    if (mesg->u.chunk.ndims > H5O_LAYOUT_NDIMS)$/                    if (mesg->u.chunk.ndims < 2 || mesg->u.chunk.ndims > H5O_LAYOUT_NDIMS)/' $hdf5/H5Olayout.c
# HDF5 patch: allocates the known decoded size of a chunk plus 64 bytes, which zlib needs to detect the end. A buffer
# that doubles would temporarily take up to three times as much memory.
sed -i 's/^        size_t   nalloc = \*buf_size; .*$/        extern size_t expected_chunk_bytes;\
        size_t nalloc = expected_chunk_bytes > *buf_size ? expected_chunk_bytes + 64 : *buf_size;/' $hdf5/H5Zdeflate.c
# HDF5 patch: the output buffer of Deflate is only as large as the chunk, because larger results are stored
# uncompressed.
sed -i 's/^        uLongf       z_dst_nbytes = (uLongf)compressBound(nbytes);$/        uLongf       z_dst_nbytes = (uLongf)nbytes;/' $hdf5/H5Zdeflate.c
# HDF5 patch: also frees the heap objects of empty values when they are overwritten. Release 1.14 leaves 16 bytes of each
# in the file, for example of fill values.
sed -i '/^H5T__vlen_disk_delete/,/^}/{s/^        \/\* Delete object, if length > 0 \*\/$/        (void)seq_len;/;s/^        if (seq_len > 0) {$/        {/}' $hdf5/H5Tvlen.c
# HDF5 patch: a reference keeps the size that its type declares. Release 1.14 takes the size from the superblock instead,
# but releases up to 1.10 wrote 8 and 12 bytes into files with shorter addresses. It also misses to convert the sizes.
sed -i '/^H5T__ref_set_loc/,/^}/s/^ *dt->shared->size *= H5T_REF_\(OBJ\|DSETREG\)_\(MEM_SIZE\|DISK_SIZE(f)\);$/                (void)"keeps its size";/' $hdf5/H5Tref.c
# Fails if a patch did not apply.
for change in 'need < H5HG_SIZEOF_OBJHDR/HGcache' 'more attributes than/Aint' 'ndims < 2 ||/Olayout' 'expected_chunk_bytes +/Zdeflate' '(uLongf)nbytes/Zdeflate' '(void)seq_len/Tvlen' '(void)"keeps/Tref'; do
  grep -qF "${change%/*}" "$hdf5/H5${change##*/}.c"
done

target="--target=wasm32-wasi -nostdlibinc -isystem $here/shim -isystem /usr/include/wasm32-wasi"
flags="$target -O2 -msimd128 -mbulk-memory -DNDEBUG -D_GNU_SOURCE -DH5_BUILT_AS_STATIC_LIB -D_WASI_EMULATED_SIGNAL
  -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID -Dtzset=whittle_no_timezone -Wno-implicit-function-declaration
  -Wno-implicit-int -ffunction-sections -fdata-sections -ffile-prefix-map=$here=. -ffile-prefix-map=$PWD=.
  -DFE_INVALID=0 -I$here -I$hdf5 -I$hdf5/H5FDsubfiling -I$zlib -I$libdeflate"
builtins=$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)

echo 'const char H5build_settings[] = "";' >H5build_settings.c

sources=$(ls $hdf5/H5*.c | grep -vE 'H5PL|H5FD(core|direct|family|hdfs|log|mirror|mpi|multi|onion|ros3|s3comms|splitter|stdio|windows)|[Hh]5mpi|mpio|H5Fmpi')
for part in adler32 crc32 inffast inflate inftrees zutil; do sources="$sources $zlib/$part.c"; done
sources="$sources H5build_settings.c"
for source in $libdeflate/lib/*.c; do
  clang-19 $flags -O3 -w -c "$source" -o "objects/$(echo "${source%.c}" | tr / -).o"
done
for source in $sources; do echo "$source"; done | xargs -P 2 -n 8 sh -c '
  for source; do clang-19 '"$(echo $flags)"' -w -c "$source" -o "objects/$(echo "${source%.c}" | tr / -).o" || exit 255; done' _
for source in "$here"/*.c; do
  clang-19 $flags -Wall -Wextra -c "$source" -o "objects/whittle-$(basename "$source" .c).o"
done
clang-19 $flags -Wall -DHEAP_INITIAL_BYTES=2490368 -DHEAP_LIMIT_BYTES='(64u << 20)' -c "$here/../common/heap.c" -o objects/whittle-heap.o
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o $(ls objects/*.o | LC_ALL=C sort) -lc -lm "$builtins" \
  --wrap=malloc --wrap=calloc --wrap=realloc -s --gc-sections --import-memory --export-memory \
  --initial-memory=2490368 --max-memory=100663296 -z stack-size=1048576 -o "$here/hdf5.wasm"
