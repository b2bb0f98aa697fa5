#!/bin/sh
# Builds brotli.wasm: brotli 1.2.0 (in the source archive of the Python package brotli 1.2.0) and glue.c. Needs: clang-19
# lld-19 wasi-libc libclang-rt-19-dev-wasm32, and pip to fetch the archive.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/brotli
archive=brotli-1.2.0.tar.gz
hash=e310f77e41941c13340a95976fe66a8a95b01e783d430eeaf7a2f87e0a57dd0a

mkdir -p "$cache"
cd "$cache"
[ -e "$archive" ] || pip download --quiet --no-deps --no-binary :all: brotli==1.2.0
echo "$hash  $archive" | sha256sum --check --quiet
rm -rf brotli-1.2.0 objects
tar xzf "$archive"
mkdir objects
cd brotli-1.2.0/c

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -isystem include -O3 -msimd128 -mbulk-memory -flto -DNDEBUG -D BROTLI_BUILD_64_BIT
  -ffunction-sections -fdata-sections -fno-ident -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
for folder in common dec enc; do
  for source in "$folder"/*.c; do
    clang-19 $flags -w -c "$source" -o "$cache/objects/$folder-$(basename "$source" .c).o"
  done
done
for source in "$here/glue.c" "$here/../common/stream.c" "$here/../common/heap.c"; do
  clang-19 $flags -Wall -Wextra -c "$source" -o "$cache/objects/$(basename "$source" .c).engine.o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache"/objects/*.o -lc -lm \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=131072 \
  -o "$here/brotli.wasm"
