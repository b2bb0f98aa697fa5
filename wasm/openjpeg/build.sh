#!/bin/sh
# Builds openjpeg.wasm: the decoder of OpenJPEG 2.5.3 with Debian's security patches, and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, patch, xz, and apt with a deb-src entry of
# Debian 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/openjpeg
orig=openjpeg2_2.5.3.orig.tar.xz
debian=openjpeg2_2.5.3-2.1~deb13u2.debian.tar.xz

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only --tar-only openjpeg2=2.5.3-2.1~deb13u2
[ -e "$debian" ] || apt-get source --download-only --diff-only openjpeg2=2.5.3-2.1~deb13u2
sha256sum --check --quiet <<SUMS
3100f0316e922630112cf6d72c0c20776896e64ad7eab72c2f713c460287eb92  $orig
a9d861cd8f22249876a589b56ebcceed101a0ea17155258f3d778de13b619441  $debian
SUMS
rm -rf openjpeg-2.5.3 debian
tar xJf "$orig"
tar xJf "$debian"
cd openjpeg-2.5.3
grep -v '^ *#' ../debian/patches/series | while read -r name; do [ -z "$name" ] || patch -s -p1 <"../debian/patches/$name"; done

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here -Isrc/lib/openjp2 -DOPJ_STATIC -DMUTEX_stub
  -D_WASI_EMULATED_PROCESS_CLOCKS -O3 -msimd128 -mbulk-memory -flto -ffunction-sections -fdata-sections -w -ffile-prefix-map=$PWD=."
objects=
for name in bio cio dwt event function_list ht_dec image invert j2k jp2 mct mqc openjpeg opj_clock opj_malloc pi sparse_array t1 t2 tcd tgt thread; do
  clang-19 $flags -c "src/lib/openjp2/$name.c" -o "$name.o"
  objects="$objects $name.o"
done
clang-19 $flags -c "$here/glue.c" -o glue.o
clang-19 $flags -DHEAP_LIMIT_BYTES=67108864 -c "$here/../common/heap.c" -o heap.o
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o $objects glue.o heap.o -lwasi-emulated-process-clocks -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  --entry=_initialize -s --gc-sections --lto-O3 \
  --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=262144 -o "$here/openjpeg.wasm"
