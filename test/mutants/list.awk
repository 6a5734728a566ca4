# list.awk -- numbers mutants, each a file of its own.
#
#     awk -v dir=DIR [-v wanted=TEXT] -f list.awk equivalent named drawn
#
# Writes DIR/0001 and so on, and an index to standard output: the number, or the share of a file,
# and where the mutant comes from.  Of what was drawn, it leaves out what `named' or `equivalent'
# has.  WANTED is a part of what a record says of its place or its kind.
#
# SPDX-License-Identifier: MIT

BEGIN { RS = ""; FS = "\n" }

# Place and lines of a record, without its line number.
function key(   i, s, out) {
    for (i = 1; i <= NF; i++) {
        s = $i
        if (s ~ /^@/) sub(/:[0-9]+/, "", s)
        if (s ~ /^[-+@]/) out = out s "\n"
    }
    return out
}

{
    source = FILENAME
    sub(/.*\//, "", source)
    text = ""
    for (i = 1; i <= NF; i++) if ($i !~ /^#/) text = text $i "\n"
}
text ~ /^!/ { print $1; next }
text !~ /^@/ { next }
source == "drawn" && (key() in known) { next }
{ known[key()] = 1 }
source == "equivalent" && !equivalents { next }
{
    about = text
    gsub(/\n[-+][^\n]*/, "", about)
    if (wanted && !index(about, wanted)) next
    name = sprintf("%04d", ++number)
    printf "%s", text >(dir "/" name)
    close(dir "/" name)
    print name, source
}
