#!/bin/sh
# Builds vorbis.wasm: the decoder of libvorbis 1.3.7, the bit reader of libogg 1.3.5 and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, xz, and apt with a deb-src entry.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/vorbis

mkdir -p "$cache"
cd "$cache"
fetch() { # package=version file sha256
  [ -e "$2" ] || apt-get source --download-only "$1"
  echo "$3  $2" | sha256sum --check --quiet
}
fetch libvorbis=1.3.7-1 libvorbis_1.3.7.orig.tar.gz 0e982409a9c3fc82ee06e08205b1355e5c6aa4c36bca58146ef399621b0ce5ab
fetch libogg=1.3.5-3 libogg_1.3.5.orig.tar.xz c4d91be36fc8e54deae7575241e03f4211eb102afb3fc0775fbbc1b740016705
rm -rf libvorbis-1.3.7 libogg-1.3.5
tar xzf libvorbis_1.3.7.orig.tar.gz
tar xJf libogg_1.3.5.orig.tar.xz
# The types of shim/ take the place of libogg's.
rm -f libogg-1.3.5/include/ogg/os_types.h
cd libvorbis-1.3.7

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here/shim -I../libogg-1.3.5/include -Iinclude -Ilib -DNDEBUG
  -O3 -msimd128 -mbulk-memory -ffunction-sections -fdata-sections -fno-math-errno -flto -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
objects=
for name in mdct smallft block envelope window lsp lpc analysis synthesis psy info floor1 floor0 res0 mapping0 registry codebook sharedbook lookup bitrate; do
  clang-19 $flags -w -c "lib/$name.c" -o "$name.o"
  objects="$objects $name.o"
done
clang-19 $flags -w -c ../libogg-1.3.5/src/bitwise.c -o bitwise.o
for file in vorbis/glue common/heap; do
  clang-19 $flags -Wall -Wextra -DHEAP_INITIAL_BYTES=1048576 -DHEAP_LIMIT_BYTES='(32u << 20)' -c "$here/../$file.c" -o "own-$(basename "$file").o"
  objects="$objects own-$(basename "$file").o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize $objects bitwise.o -lc -lm \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 \
  --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 --stack-first -z stack-size=262144 -o "$here/vorbis.wasm"
sha256sum "$here/vorbis.wasm"
