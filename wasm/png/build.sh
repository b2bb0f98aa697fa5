#!/bin/sh
# Builds png.wasm: libdeflate 1.14 (Debian source package, pinned by SHA-256) with libdeflate-window.patch, and the C
# code in this folder. Needs clang-19, lld-19, wasi-libc, libclang-rt-19-dev-wasm32 and, for the first run, a deb-src
# entry for apt-get. Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH. The
# build is reproducible.
set -eu
cd "$(dirname "$(realpath "$0")")"
cache=../.cache
tarball=libdeflate_1.14.orig.tar.gz
sha256=89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac
mkdir -p "$cache"
[ -f "$cache/$tarball" ] || (cd "$cache" && apt-get source --download-only -qq libdeflate=1.14-1)
echo "$sha256  $cache/$tarball" | sha256sum -c --quiet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar xzf "$cache/$tarball" -C "$work"
patch -s -p1 -d "$work/libdeflate-1.14" <libdeflate-window.patch

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -O3 -msimd128 -mbulk-memory -flto
       -ffunction-sections -fdata-sections -ffile-prefix-map=$work=. "
for file in deflate_compress utils; do
  clang-19 $flags -w -I"$work/libdeflate-1.14" -c "$work/libdeflate-1.14/lib/$file.c" -o "$work/deflate-$file.o"
done
for file in analyse checksum encode exports filter_cost filters hard_blocks hiding histogram inflate layout near_lossless \
  numbered palette palette_order passes perceptual quantise remap sample samples source trial ../measure/measure \
  ../measure/pixels ../measure/score ../measure/shades ../measure/texture ../common/allocate ../common/heap; do
  clang-19 $flags -std=c11 -Wall -Wextra -ffp-contract=off -c "$file.c" -o "$work/$(basename "$file").o"
done
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize \
  "$work"/*.o -lc "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=131072 -o png.wasm
sha256sum png.wasm
