#!/bin/sh
# Builds dav1d.wasm: the AV1 decoder dav1d 1.5.1 without assembly and threads, the conversion of yuv/, and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, xz, and apt with a deb-src entry of Debian 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/dav1d
archive=dav1d_1.5.1.orig.tar.xz

mkdir -p "$cache"
cd "$cache"
[ -e "$archive" ] || apt-get source --download-only dav1d=1.5.1-1
echo "401813f1f89fa8fd4295805aa5284d9aed9bc7fc1fdbe554af4292f64cbabe21  $archive" | sha256sum --check --quiet
rm -rf dav1d-1.5.1
tar xJf "$archive"
cd dav1d-1.5.1

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here/shim -I. -Iinclude -Iinclude/dav1d -Isrc
  -O3 -msimd128 -mbulk-memory -flto -ffunction-sections -fdata-sections -fno-math-errno -DNDEBUG -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
objects=
for name in cdf cpu ctx data decode dequant_tables getbits intra_edge itx_1d lf_mask lib log mem msac obu pal picture qm ref \
  refmvs scan tables thread_task warpmv wedge; do
  clang-19 $flags -std=gnu11 -w -c "src/$name.c" -o "$name.o"
  objects="$objects $name.o"
done
for depth in 8 16; do
  for name in cdef_apply cdef fg_apply filmgrain ipred_prepare ipred itx lf_apply loopfilter looprestoration lr_apply mc recon; do
    clang-19 $flags -std=gnu11 -w -DBITDEPTH=$depth -c "src/${name}_tmpl.c" -o "$name$depth.o"
    objects="$objects $name$depth.o"
  done
done
for file in dav1d/glue yuv/yuv yuv/exports common/allocate common/heap; do
  clang-19 $flags -Wall -Wextra -DHEAP_INITIAL_BYTES=2097152 -DHEAP_LIMIT_BYTES=75497472 -DHEAP_LIMIT_FROM_HOST -c "$here/../$file.c" \
    -o "own-$(basename "$file").o"
  objects="$objects own-$(basename "$file").o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize $objects -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 \
  --import-memory --export-memory --initial-memory=2097152 --max-memory=2147483648 -z stack-size=524288 -o "$here/dav1d.wasm"
sha256sum "$here/dav1d.wasm"
