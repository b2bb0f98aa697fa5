#!/bin/sh
# Builds hevc.wasm: FFmpeg's HEVC decoder alone, under LGPL-2.1-or-later (no --enable-gpl), the conversion of yuv/, and
# glue.c. Needs: clang-19, lld-19, llvm-19, wasi-libc, libclang-rt-19-dev-wasm32, make, pkg-config and Debian 13's
# source packages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=$here/../.cache/hevc
build=$cache/build-7.1.5
archive=ffmpeg_7.1.5.orig.tar.xz
mkdir -p "$cache" "$build"
[ -e "$cache/$archive" ] || (cd "$cache" && apt-get source --download-only --tar-only -q ffmpeg=7:7.1.5-0+deb13u1 >/dev/null)
echo "de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f  $cache/$archive" | sha256sum --check --quiet

target="--target=wasm32-wasi --sysroot=/usr -I/usr/include/wasm32-wasi"
flags="-O3 -msimd128 -mbulk-memory -fno-math-errno -ffile-prefix-map=$build=. -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN"
ffmpeg=$build/ffmpeg
if [ ! -f "$ffmpeg/libavcodec/libavcodec.a" ]; then
  rm -rf "$ffmpeg" && mkdir -p "$ffmpeg" && tar xf "$cache/$archive" -C "$ffmpeg" --strip-components=1
  # Replaces tempnam(), which WASI lacks. No code in this build opens temporary files.
  sed -i 's/tempnam([^)]*)/NULL/' "$ffmpeg/libavutil/file_open.c"
  (cd "$ffmpeg" && ./configure --target-os=none --arch=x86_32 --enable-cross-compile --disable-asm --disable-stripping \
    --disable-doc --disable-debug --disable-runtime-cpudetect --disable-autodetect --disable-pthreads --disable-w32threads --disable-os2threads \
    --disable-network --disable-everything --disable-programs --disable-avdevice --disable-swresample --disable-swscale --disable-avformat \
    --disable-avfilter --disable-postproc --nm=llvm-nm-19 --ar=llvm-ar-19 --ranlib=llvm-ranlib-19 --cc="clang-19 $target" --ld="clang-19 $target" \
    --host-cc=cc --extra-cflags="$flags" --extra-ldflags="-lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-mman" \
    --enable-decoder=hevc >"$build/ffmpeg-configure.log")
  make -C "$ffmpeg" -j"${JOBS:-2}" libavcodec/libavcodec.a libavutil/libavutil.a >"$build/ffmpeg-make.log" 2>&1
fi

objects=
for file in hevc/glue yuv/yuv yuv/exports common/allocate common/heap; do
  object=$build/own-$(basename "$file").o
  clang-19 $target -O3 -msimd128 -mbulk-memory -fno-math-errno -Wall -Wextra -Wno-deprecated-declarations -ffile-prefix-map="$here"=. -I"$ffmpeg" \
    -DHEAP_INITIAL_BYTES=2097152 -DHEAP_LIMIT_BYTES=75497472 -DHEAP_LIMIT_FROM_HOST -c "$here/../$file.c" -o "$object"
  objects="$objects $object"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize $objects \
  "$ffmpeg/libavcodec/libavcodec.a" "$ffmpeg/libavutil/libavutil.a" -lc -lm -lwasi-emulated-signal -lwasi-emulated-process-clocks \
  -lwasi-emulated-mman "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --import-memory --export-memory --initial-memory=2097152 --max-memory=2147483648 -z stack-size=1048576 -o "$here/hevc.wasm"
sha256sum "$here/hevc.wasm"
