# man-page.awk -- `agent-q-fs --help | awk -v version=... -f man-page.awk` writes the page agent-q-fs(1).
#
# SPDX-License-Identifier: MIT
#
# The help is usage lines, paragraphs, and options of the form `  --option VALUE   what it does`.

# Nothing of the help is an instruction to the formatter.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

function heading(name) {
    print ".SH " name
    section = name
}

BEGIN {
    printf ".TH AGENT\\-Q\\-FS 1 \"\" \"agent\\-q\\-fs %s\" \"User Commands\"\n", plain(version)
    heading("NAME")
    print "agent\\-q\\-fs \\- file tools that an AI agent can be trusted with"
    heading("SYNOPSIS")
    print ".nf"
}

section == "SYNOPSIS" && /^(usage:| )/ {
    sub(/^(usage:)? */, "")
    print plain($0)
    next
}

section == "SYNOPSIS" {
    print ".fi"
    heading("DESCRIPTION")
    next
}

section == "DESCRIPTION" && /^  --/ { heading("OPTIONS") }

section == "OPTIONS" && match($0, /  +[^ ]/) && match(substr($0, 3), /  +/) {
    print ".TP"
    print ".B " plain(substr($0, 3, RSTART - 1))
    print plain(substr($0, 2 + RSTART + RLENGTH))
    next
}

/^$/ {
    apart = 1
    next
}

{
    if (apart) print ".PP"
    apart = 0
    print plain($0)
}

END {
    heading("SEE ALSO")
    print "The manual, which"
    print ".B info agent\\-q\\-fs"
    print "shows."
}
