#!/bin/sh
# How the files here were made, by avifenc 0.11.1 (aom 3.6.0) and ImageMagick 6.9: a
# quarter each of red, green, blue and yellow, as in quarters of avif_test.go.
set -eu
picture() { # width, height, further arguments of convert, file
    convert -size "$(($1 - $1 / 2))x$(($2 - $2 / 2))" \
        \( xc:'rgb(200,30,40)' xc:'rgb(40,180,60)' +append \) \
        \( xc:'rgb(50,60,190)' xc:'rgb(220,210,50)' +append \) \
        -append -crop "$1x$2+0+0" +repage $3 -define png:color-type=6 "$4"
}
work=$(mktemp -d)
picture 65 43 '' "$work/plain.png"
picture 65 43 '-alpha set -region 33x43+0+0 -channel A -evaluate set 40%' "$work/alpha.png"
picture 256 128 '' "$work/wide.png"
convert -seed 1 -size 2048x1024 plasma:fractal -colorspace gray "$work/large.png"
make() { # input, output, further arguments of avifenc
    input=$1 output=$2
    shift 2
    avifenc --jobs 1 --speed 6 --min 4 --max 8 --ignore-exif "$@" "$work/$input.png" "$output.avif" >/dev/null
}
make plain 420 --yuv 420 --range full --depth 8
make plain 422 --yuv 422 --range limited --depth 12 --cicp 1/13/1
make plain 444 --yuv 444 --range limited --depth 10 --cicp 9/16/9
make plain grey --yuv 400 --range limited --depth 8
make plain identity --lossless
make plain unspecified --yuv 444 --cicp 2/2/2
make plain turned --yuv 420 --clap 48,1,40,1,-9,2,1,2 --irot 1 --imir 1
make alpha alpha --yuv 444
make alpha premultiplied --yuv 444 --premultiply
make wide grid --yuv 420 --grid 2x1
avifenc --jobs 1 --speed 6 --min 60 --max 63 --ignore-exif --yuv 420 "$work/large.png" large.avif >/dev/null
rm -r "$work"
