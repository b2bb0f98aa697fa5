#!/bin/sh
# Builds visible.wasm, the perceptual comparison of pictures, from the C code in this folder and in ../measure.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32.
set -eu
here=$(dirname "$(realpath "$0")")
mkdir -p "$here/../.cache/visible"
cd "$here/../.cache/visible"
for source in visible/visible measure/score measure/shades measure/texture common/heap; do
  clang-19 --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -O3 -msimd128 -mbulk-memory -flto -std=c11 \
    -Wall -Wextra -ffp-contract=off -ffunction-sections -DHEAP_INITIAL_BYTES=196608 -ffile-prefix-map="$here"=. -c "$here/../$source.c" -o "$(basename $source).o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi visible.o score.o shades.o texture.o heap.o -lc "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=196608 --max-memory=100663296 -z stack-size=65536 -o "$here/visible.wasm"
