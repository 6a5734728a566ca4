#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh PROGRAM DIRECTORY -- the program with all that it needs of this system, in DIRECTORY.
# bundle.sh PROGRAM DIRECTORY PACK -- the same, and packed in the directory PACK, as Emacs takes it
# to other machines.
#
# It runs on any Linux of the same kind of processor, whatever libraries are there: its own
# libraries, the loader, the converters of encodings and the database of file types lie beside
# it.  DIRECTORY/agent-q-fs starts it, wherever DIRECTORY is moved to.  The runner of commands, which
# lies beside PROGRAM, comes along.
#
# PACK has three files: agent-q-fs.tar.gz; SUMS, the SHA-256 of each file in it, whose own is the name
# of the program on other machines; and facts, a list that Emacs reads.
#
# For another architecture: MACHINE is its name, SYSROOT has its libraries, LIST is the command that
# tells which of them a program needs, as ldd does, and STRIP is its strip.
set -eu
program=$1 to=$2 pack=${3:-}
list=${LIST:-ldd} strip=${STRIP:-strip} sysroot=${SYSROOT:-}
machine=${MACHINE:-$(uname -m)}
left_out=
rm -rf "$to"
mkdir -p "$to/lib" "$to/gconv"

copy_whole() { # FILE DIRECTORY -- what FILE leads to, under its own name
    cp -L "$1" "$2/$(basename "$1")"
}

# NAME => FILE (0x...), and the loader: without a name, or with a file of the same name.
needed() { # PROGRAM
    $list "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3; next } $1 ~ /^\// { print $1 }'
}

copy_program() { # FILE
    copy_whole "$1" "$to/lib"
    $strip "$to/lib/$(basename "$1")" 2>/dev/null || true # it runs with its symbols, too
    for library in $(needed "$1"); do
        case $library in
        */ld-linux* | */ld[0-9]*.so* | */ld.so*) cp -L "$library" "$to/lib/loader" ;;
        *) copy_whole "$library" "$to/lib" ;;
        esac
    done
}

copy_converters() {
    libc=$(needed "$program" | grep '/libc\.so' | head -n 1)
    for converters in "${libc%/*}/gconv" "$sysroot/usr${libc%/*}/gconv"; do
        [ ! -d "$converters" ] || break
    done
    cp -L "$converters"/*.so "$converters/gconv-modules" "$to/gconv/"
    [ ! -d "$converters/gconv-modules.d" ] || cp -RL "$converters/gconv-modules.d" "$to/gconv/"
}

copy_types() {
    for types in /usr/lib/file/magic.mgc /usr/share/misc/magic.mgc /usr/share/file/misc/magic.mgc; do
        [ ! -f "$sysroot$types" ] || { cp -L "$sysroot$types" "$to/magic.mgc" && return; }
    done
    left_out="types of files"
    echo "bundle: there is no magic.mgc here: types of files will be unknown there" >&2
}

# Commands are started with the environment that the runner has, so it gets no variable of ours.
write_start() { # NAME VARIABLES
    cat >"$to/$1" <<END
#!/bin/sh
here=\$0
[ ! -L "\$here" ] || here=\$(readlink -f "\$here")
case \$here in */*) here=\${here%/*} ;; *) here=. ;; esac
$2exec "\$here/lib/loader" --library-path "\$here/lib" "\$here/lib/$1" "\$@"
END
    chmod 755 "$to/$1"
}

copy_program "$program"
copy_program "$program-run"
copy_converters
copy_types
# shellcheck disable=SC2016 # for the shell there
write_start agent-q-fs 'export GCONV_PATH="$here/gconv" MAGIC="$here/magic.mgc"
'
write_start agent-q-fs-run ''
[ -n "$pack" ] || exit 0

# ---- Packed

rm -rf "$pack" "$pack.new"
mkdir -p "$pack.new"
(cd "$to" && find . ! -type d | LC_ALL=C sort | xargs sha256sum) >"$pack.new/SUMS"
cp "$pack.new/SUMS" "$to/SUMS"
# In two steps, because nobody hears of a tar that fails in a pipe.
tar -C "$to" --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go= \
    -cf "$pack.new/agent-q-fs.tar" .
gzip -9n "$pack.new/agent-q-fs.tar"
version=$(sed -n 's/^.define AQFS_VERSION "\(.*\)"/\1/p' module/include/aqfs.h)
echo "(:version \"$version\" :machine \"$machine\" :kilobytes $(du -sk "$to" | cut -f1)" \
    ":left-out \"$left_out\")" >"$pack.new/facts"
mv "$pack.new" "$pack"
