#!/bin/sh
# Builds zstd.wasm: zstd 1.5.7 (in the crate zstd-sys 2.0.16+zstd.1.5.7) and glue.c. Needs: clang-19 lld-19 wasi-libc
# libclang-rt-19-dev-wasm32, and cargo to fetch the crate.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/zstd
crate=zstd-sys-2.0.16+zstd.1.5.7
hash=91e19ebc2adc8f83e43039e79776e3fda8ca919132d68a1fed6a5faca2683748

mkdir -p "$cache/fetch/src"
cd "$cache"
if [ ! -e "$crate.crate" ]; then
  # cargo fetches what a package depends on, so it gets a package that depends on the crate.
  : >fetch/src/lib.rs
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nzstd-sys = { version = "=2.0.16", default-features = false }\n' \
    >fetch/Cargo.toml
  CARGO_HOME=$cache/fetch/home cargo fetch --quiet --manifest-path fetch/Cargo.toml
  mv fetch/home/registry/cache/*/"$crate.crate" .
fi
echo "$hash  $crate.crate" | sha256sum --check --quiet
rm -rf "$crate" objects
tar xzf "$crate.crate"
mkdir objects
cd "$crate/zstd/lib"

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -isystem $here/shim -isystem . -O3 -msimd128 -mbulk-memory -flto -DNDEBUG
  -D ZSTD_ARCH_X86_SSE2 -D ZSTD_DISABLE_ASM=1 -D ZSTD_LEGACY_SUPPORT=0 -ffunction-sections -fdata-sections -fno-ident
  -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
for source in common/*.c compress/*.c decompress/*.c; do
  clang-19 $flags -w -c "$source" -o "$cache/objects/$(basename "$source" .c).o"
done
for source in "$here/glue.c" "$here/../common/stream.c" "$here/../common/heap.c"; do
  clang-19 $flags -Wall -Wextra -DHEAP_LIMIT_FROM_HOST -c "$source" -o "$cache/objects/$(basename "$source" .c).engine.o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache"/objects/*.o -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=2147483648 -z stack-size=131072 \
  -o "$here/zstd.wasm"
