#!/bin/sh
# Builds jpeg.wasm: mozjpeg 4.1.5 (in the crate mozjpeg-sys 2.2.3) and the engine in src/.
# Needs clang-19, lld-19, wasi-libc, libclang-rt-19-dev-wasm32 (Debian names), and cargo to fetch the crate. The build is reproducible.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/mozjpeg
crate=mozjpeg-sys-2.2.3
hash=7f0dc668bf9bf888c88e2fb1ab16a406d2c380f1d082b20d51dd540ab2aa70c1

mkdir -p "$cache/fetch/src"
cd "$cache"
if [ ! -e "$crate.crate" ]; then
  # cargo fetches what a package depends on, so it gets a package that depends on the crate.
  : >fetch/src/lib.rs
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nmozjpeg-sys = { version = "=2.2.3", default-features = false }\n' \
    >fetch/Cargo.toml
  CARGO_HOME=$cache/fetch/home cargo fetch --quiet --manifest-path fetch/Cargo.toml
  mv fetch/home/registry/cache/*/"$crate.crate" .
fi
echo "$hash  $crate.crate" | sha256sum --check --quiet
rm -rf "$crate"
tar xzf "$crate.crate"
source=$cache/$crate/vendor
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here/config -I$here/../measure -I$source
  -O3 -msimd128 -mbulk-memory -flto -DNO_GETENV -ffunction-sections -fdata-sections -fno-ident"
cd "$source"
for name in jcapimin jcapistd jccoefct jccolor jcdctmgr jcext jchuff jcinit jcmainct jcmarker jcmaster jcomapi jcparam jcphuff \
  jcprepct jcsample jctrans jdapimin jdapistd jdatadst jdatasrc jdcoefct jdcolor jddctmgr jdhuff jdinput jdmainct jdmarker \
  jdmaster jdmerge jdphuff jdpostct jdsample jdtrans jerror jfdctflt jfdctfst jfdctint jidctflt jidctfst jidctint jidctred \
  jquant1 jquant2 jutils jmemmgr jmemnobs jsimd_none; do
  clang-19 $flags -w -c $name.c -o "$objects/$name.o"
done
cd "$here/src"
for file in *.c ../../measure/measure.c ../../measure/pixels.c ../../common/allocate.c ../../common/heap.c; do
  clang-19 $flags -Wall -Wextra -Wno-sign-compare -DHEAP_LIMIT_FROM_HOST -isystem "$source" -c "$file" \
    -o "$objects/$(basename "$file" .c).engine.o"
done
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize "$objects"/*.o -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 --import-memory --export-memory \
  --initial-memory=1048576 --max-memory=2147483648 -z stack-size=262144 -o "$here/jpeg.wasm"
sha256sum "$here/jpeg.wasm"
