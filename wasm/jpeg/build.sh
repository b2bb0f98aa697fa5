#!/bin/sh
# Builds jpeg.wasm: mozjpeg 3.2 (vendored in the npm package mozjpeg 8.0.0) and the engine in src/.
# Needs clang-19, lld-19, wasi-libc and libclang-rt-19-dev-wasm32 (Debian names). The build is reproducible.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/mozjpeg-8.0.0
package=2a28f72ac9991a53572e634efa668ab9bdafa4653aa6d771298f2212e49d9467
if [ ! -d "$cache/source" ]; then
  mkdir -p "$cache"
  (cd "$cache" && npm pack --silent mozjpeg@8.0.0 >/dev/null)
  echo "$package  $cache/mozjpeg-8.0.0.tgz" | sha256sum --check --quiet
  tar -xzf "$cache/mozjpeg-8.0.0.tgz" -C "$cache" package/vendor/source/mozjpeg.tar.gz
  mkdir -p "$cache/unpacking"
  tar -xzf "$cache/package/vendor/source/mozjpeg.tar.gz" -C "$cache/unpacking" --strip-components=1
  mv "$cache/unpacking" "$cache/source"
fi
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here/config -I$here/../measure -I$cache/source
  -O3 -msimd128 -mbulk-memory -flto -DNO_GETENV -ffunction-sections -fdata-sections -fno-ident"
cd "$cache/source"
for name in jcapimin jcapistd jccoefct jccolor jcdctmgr jcext jchuff jcinit jcmainct jcmarker jcmaster jcomapi jcparam jcphuff \
  jcprepct jcsample jctrans jdapimin jdapistd jdatadst jdatasrc jdcoefct jdcolor jddctmgr jdhuff jdinput jdmainct jdmarker \
  jdmaster jdmerge jdphuff jdpostct jdsample jdtrans jerror jfdctflt jfdctfst jfdctint jidctflt jidctfst jidctint jidctred \
  jquant1 jquant2 jutils jmemmgr jmemnobs jsimd_none; do
  clang-19 $flags -w -c $name.c -o "$objects/$name.o"
done
cd "$here/src"
for file in *.c ../../measure/measure.c ../../measure/pixels.c ../../common/allocate.c ../../common/heap.c; do
  clang-19 $flags -Wall -Wextra -Wno-sign-compare -DHEAP_LIMIT_FROM_HOST -isystem "$cache/source" -c "$file" \
    -o "$objects/$(basename "$file" .c).engine.o"
done
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize "$objects"/*.o -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 --import-memory --export-memory \
  --initial-memory=1048576 --max-memory=2147483648 -z stack-size=262144 -o "$here/jpeg.wasm"
sha256sum "$here/jpeg.wasm"
