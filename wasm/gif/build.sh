#!/bin/sh
# Builds gif.wasm from the C code of this project. Needs clang-19, lld-19, wasi-libc, libclang-rt-19-dev-wasm32.
set -eu
cd "$(dirname "$(realpath "$0")")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -O3 -msimd128 -mbulk-memory -flto
       -ffunction-sections -fdata-sections -std=c11 -Wall -Wextra -ffp-contract=off"
for file in output colours lzw flatness colour_cast similarity ssimulacra2_tiles lossy_lzw recode decode_pixels decode \
  changes colour_tables codings frame_quality frame_search frame_write target_frame scan engine \
  ../measure/measure ../measure/pixels ../measure/score ../common/allocate ../common/heap; do
  clang-19 $flags -DHEAP_INITIAL_BYTES=2359296 -DHEAP_LIMIT_FROM_HOST -c "$file.c" -o "$work/$(basename "$file").o"
done
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize \
  "$work"/*.o -lc "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=2359296 --max-memory=2147483648 -z stack-size=131072 -o gif.wasm
sha256sum gif.wasm
