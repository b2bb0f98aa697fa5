#!/bin/sh
# Builds ffmpeg.wasm: libavcodec, libswscale and libswresample (FFmpeg 7.1.5, GPL build) with x264, and glue.c. It has
# no containers, filters or command line. `src/core/containers/` reads and writes containers; `glue.c` is the only
# interface. Needs: clang-19, lld-19, llvm-19, wasi-libc, libclang-rt-19-dev-wasm32, make, patch, pkg-config and Debian
# 13's source packages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=$here/../.cache/ffmpeg
build=${BUILD_DIR:-$cache/build-7.1.5}
mkdir -p "$cache" "$build"

# Source archives by Debian package version; their checksums are verified before use.
fetch() { # package=version file sha256
  [ -f "$cache/$2" ] || (cd "$cache" && apt-get source --download-only --tar-only -q "$1" >/dev/null)
  echo "$3  $cache/$2" | sha256sum -c --quiet
}
fetch ffmpeg=7:7.1.5-0+deb13u1 ffmpeg_7.1.5.orig.tar.xz de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f
fetch x264=2:0.164.3108+git31e19f9-2 x264_0.164.3108+git31e19f9.orig.tar.gz 41606cb8e788a7f8c4514290646d4ba5c7bc68d9e1ccd1a73f446a90546913eb

target="--target=wasm32-wasi --sysroot=/usr -I/usr/include/wasm32-wasi"
flags="-O3 -msimd128 -mbulk-memory -fno-math-errno -ffile-prefix-map=$build=. -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN"
prefix=$build/prefix
jobs=${JOBS:-2}

x264=$build/x264
if [ ! -f "$prefix/lib/libx264.a" ]; then
  rm -rf "$x264" && mkdir -p "$x264" && tar xf "$cache/x264_0.164.3108+git31e19f9.orig.tar.gz" -C "$x264" --strip-components=1
  (cd "$x264" && CC="clang-19 $target" AR=llvm-ar-19 RANLIB=llvm-ranlib-19 STRIP=llvm-strip-19 ./configure --prefix="$prefix" --host=i686-gnu \
    --disable-cli --enable-static --disable-asm --disable-thread --disable-opencl --bit-depth=8 --chroma-format=420 \
    --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash --extra-cflags="$flags -Dmemalign=aligned_alloc" >"$build/x264-configure.log")
  patch -s -p1 -d "$x264" <"$here/simd/x264.patch" && cp -r "$here/simd" "$x264/simd"
  # Enables the vectoriser. x264 turns it off because its assembly is faster, but WebAssembly has only the code in
  # `simd/`.
  sed -i "s/-fno-tree-vectorize//; s/ -m32//" "$x264/config.mak"
  make -C "$x264" -j"$jobs" install-lib-static >"$build/x264-make.log" 2>&1
fi

ffmpeg=$build/ffmpeg
if [ ! -f "$ffmpeg/libavcodec/libavcodec.a" ]; then
  rm -rf "$ffmpeg" && mkdir -p "$ffmpeg" && tar xf "$cache/ffmpeg_7.1.5.orig.tar.xz" -C "$ffmpeg" --strip-components=1
  # Replaces tempnam(), which WASI lacks. No code in this build opens temporary files.
  sed -i 's/tempnam([^)]*)/NULL/' "$ffmpeg/libavutil/file_open.c"
  # Removes the tables of transforms longer than 8192, which are 16 MB of memory. The decoders here need up to 2048.
  sed -i -E '/(SR_TABLE|^DECL_SR_CODELET)\((16384|32768|65536|131072|262144|524288|1048576|2097152)[,)]/d
    /ff_tx_fft(16384|32768|65536|131072|262144|524288|1048576|2097152)_ns_def/d' "$ffmpeg/libavutil/tx_template.c"
  decoders=h264,hevc,mpeg4,mpeg1video,mpeg2video,msmpeg4v1,msmpeg4v2,msmpeg4v3,h263,mjpeg,mjpegb,prores,dnxhd,dvvideo,vp9,qtrle,rawvideo,svq3,cinepak,huffyuv,ffvhuff,utvideo,ffv1,msvideo1
  decoders="$decoders,aac,mp3float,mp2float,ac3,eac3,alac,flac,qdm2,mace6,pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw,pcm_dvd"
  decoders="$decoders,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,gsm_ms"
  (cd "$ffmpeg" && ./configure --prefix="$prefix" --target-os=none --arch=x86_32 --enable-cross-compile --disable-asm --disable-stripping \
    --disable-doc --disable-debug --disable-runtime-cpudetect --disable-autodetect --disable-pthreads --disable-w32threads --disable-os2threads \
    --disable-network --disable-everything --disable-programs --disable-avdevice --disable-swresample --disable-avformat --disable-avfilter --disable-postproc \
    --enable-gpl --nm=llvm-nm-19 --ar=llvm-ar-19 --ranlib=llvm-ranlib-19 --cc="clang-19 $target" --ld="clang-19 $target" \
    --host-cc=cc --extra-cflags="$flags" --extra-ldflags="-lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-mman" \
    --enable-decoder=$decoders --enable-encoder=aac --enable-parser=h264,hevc,mpeg4video,mpegvideo,mpegaudio,ac3,vp9 \
    --enable-bsf=mpeg4_unpack_bframes,vp9_superframe_split >"$build/ffmpeg-configure.log")
  make -C "$ffmpeg" -j"$jobs" libavcodec/libavcodec.a libswscale/libswscale.a libavutil/libavutil.a >"$build/ffmpeg-make.log" 2>&1
fi

# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
for file in glue ../measure/measure ../measure/pixels; do
  clang-19 $target -O3 -msimd128 -mbulk-memory -Wall -ffile-prefix-map="$here"=. -I"$here/../measure" -I"$ffmpeg" -I"$prefix/include" \
    -c "$here/$file.c" -o "$build/${file##*/}.o"
done
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$build/glue.o" "$build/measure.o" "$build/pixels.o" "$ffmpeg/libswscale/libswscale.a" "$ffmpeg/libavcodec/libavcodec.a" \
  "$ffmpeg/libavutil/libavutil.a" "$prefix/lib/libx264.a" -lc -lm -lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-mman \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --import-memory --export-memory --initial-memory=4194304 --max-memory=2147483648 -z stack-size=1048576 -o "$here/ffmpeg.wasm"
