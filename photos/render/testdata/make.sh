#!/bin/sh
# Makes the pictures of this folder with ImageMagick 6.9 and heif-enc 1.15 (x265): quarters of
# red, green, blue and yellow in reading order, as those of helper_test.go.
set -e
quarters() { # width height
    w=$(($1 / 2)); h=$(($2 / 2)); w2=$(($1 - w)); h2=$(($2 - h))
    convert \( \( -size ${w}x$h "xc:rgb(200,30,30)" \) \( -size ${w2}x$h "xc:rgb(30,180,30)" \) +append \) \
        \( \( -size ${w}x$h2 "xc:rgb(40,40,220)" \) \( -size ${w2}x$h2 "xc:rgb(220,210,40)" \) +append \) -append "PNG24:$3"
}
quarters 151 161 odd.png
quarters 160 144 even.png
quarters 90 70 narrow.png
convert even.png \( -size 80x144 xc:white -size 80x144 xc:gray25 +append -colorspace sRGB \) -alpha off -compose CopyOpacity -composite PNG32:alpha.png
convert -size 100x90 xc:white -size 60x90 xc:gray20 +append -colorspace gray -depth 8 -define png:color-type=0 -define png:bit-depth=8 grey.png
heif-enc -q 80 odd.png -o odd.heic
heif-enc -q 80 -p chroma=444 even.png -o 444.heic
heif-enc -q 80 narrow.png -o narrow.heic
heif-enc -q 80 alpha.png -o alpha.heic
heif-enc -q 80 grey.png -o grey.heic
rm ./*.png
