#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh PROGRAM DIRECTORY -- the program with all that it needs of this system, in DIRECTORY.
#
# It runs on any Linux of the same kind of processor, whatever libraries are there: its own
# libraries, the loader, the converters of encodings and the database of file types lie beside
# it.  DIRECTORY/agent-q-fs starts it, wherever DIRECTORY is moved to.
set -eu
program=$1 to=$2
rm -rf "$to"
mkdir -p "$to/lib" "$to/gconv"

copy_whole() { # FILE DIRECTORY -- what FILE leads to, under its own name
    cp -L "$1" "$2/$(basename "$1")"
}

copy_whole "$program" "$to/lib"
# NAME => FILE (0x...), and the loader without a name
ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' |
    while read -r library; do
        copy_whole "$library" "$to/lib"
    done
loader=$(ldd "$program" | awk '$1 ~ /^\// { print $1 }')
mv "$to/lib/$(basename "$loader")" "$to/lib/loader"

converters=$(dirname "$(ldd "$program" | awk '$1 ~ /^libc\.so/ { print $3 }')")/gconv
[ -d "$converters" ] || converters=/usr$converters
cp -L "$converters"/*.so "$converters/gconv-modules" "$to/gconv/"
[ ! -d "$converters/gconv-modules.d" ] || cp -RL "$converters/gconv-modules.d" "$to/gconv/"

for types in /usr/lib/file/magic.mgc /usr/share/misc/magic.mgc /usr/share/file/misc/magic.mgc; do
    [ ! -f "$types" ] || { cp -L "$types" "$to/magic.mgc" && break; }
done
[ -f "$to/magic.mgc" ] || echo "bundle: there is no magic.mgc here: types of files will be unknown there" >&2

cat >"$to/agent-q-fs" <<'END'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export GCONV_PATH="$here/gconv" MAGIC="$here/magic.mgc"
exec "$here/lib/loader" --library-path "$here/lib" "$here/lib/agent-q-fs" "$@"
END
chmod 755 "$to/agent-q-fs"
