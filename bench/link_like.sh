#!/bin/sh
# link_like.sh OUTPUT SOURCE MODEL CC...: link a program that loads exactly the same libraries
# as MODEL, whether it uses them or not.
set -eu
output=$1 source=$2 model=$3
shift 3
libraries=$(readelf -d "$model" |
  sed -n -e '/libc\.so/d' -e '/ld-linux/d' -e 's/.*(NEEDED).*\[\(.*\)\]/-l:\1/p')
exec "$@" -O2 -fPIE -pie -o "$output" "$source" \
  -Wl,-z,relro,-z,now -Wl,--no-as-needed $libraries
