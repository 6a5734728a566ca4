#!/bin/sh
# SPDX-License-Identifier: MIT
# bench-plot.sh [DATA [PICTURE]] -- draws the last run of `make bench` with gnuplot:
# how long each question takes here and with each peer, by its version.
#
# DATA is build/bench/last.tsv, which the run wrote, and PICTURE is
# doc/images/speed.png.  A bar is as long as its time in terms of ours; behind it
# stand the milliseconds.  A question whose row is not in the data is left out.
set -eu

cd "$(dirname "$0")/.."
data=${1:-build/bench/last.tsv}
picture=${2:-doc/images/speed.png}
[ -r "$data" ] || { echo "bench-plot: no $data: run \`make bench\` first" >&2 && exit 1; }
command -v gnuplot >/dev/null || { echo "bench-plot: gnuplot is not installed" >&2 && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The questions, in the order in which they are drawn: the row, and what it asks.
cat >"$scratch/questions" <<'END'
corpus/walk|Walk 65,000 files
corpus/find-d.ts|Find *.d.ts among them
links/walk|Walk 50,000 files, 5,000 links
corpus/grep-word|Search for a word
corpus/grep-re-literal-prefix|Search for function\\s+\\w+\\(
corpus/grep-re-class|Search for [A-Z][a-z]+Error
corpus/grep-re-ignore-case|Search in any case
cold/walk|Walk, nothing in memory
cold/grep-word|Search, nothing in memory
END

# Makes the files that gnuplot reads.  bars: length, place, number of the color; texts: the same
# places and what stands there; titles: place, question.
awk -F'\t' -v scratch="$scratch" '
    function bar(ratio, color, text) {
        printf "%f\t%f\t%d\n", ratio, y, color >(scratch "/bars")
        printf "%f\t%f\t%s\n", ratio, y, text >(scratch "/texts")
        if (ratio > longest) longest = ratio
        y -= 1
    }
    function time(ms) { return ms < 1000 ? sprintf("%.0f ms", ms) : sprintf("%.1f s", ms / 1000) }
    # The rows of one question differ behind its name: corpus/grep-word, corpus/grep-word-ugrep.
    function draw(row, title,    i, suffixes, first) {
        split("|-ugrep|-git", suffixes, "|")
        first = y
        for (i = 1; i <= 3; i++)
            if ((row suffixes[i]) in ours) {
                if (y == first) bar(1, 0, time(ours[row]) "  agent-q-fs")
                bar(peer_ms[row suffixes[i]] / ours[row], i,
                    time(peer_ms[row suffixes[i]]) "  " peer[row suffixes[i]])
            }
        if (y == first) return
        printf "%f\t%s\n", (first + y + 1) / 2, title >(scratch "/titles")
        y -= 0.7
        drawn++
    }
    FILENAME ~ /questions$/ { split($0, q, "|"); row[++n] = q[1]; title[n] = q[2]; next }
    /^# (commit|load)/ { next }
    /^#/ { about = about (about == "" ? "" : "; ") substr($0, 3); next }
    $1 != "row" { ours[$1] = $2; peer_ms[$1] = $5
                  named = $3; sub(/-/, " ", named); peer[$1] = named " " $4 }
    END { for (i = 1; i <= n; i++) draw(row[i], title[i])
          printf "lowest = %f\nlongest = %f\nabout = \"%s\"\ndrawn = %d\n", y, longest, about, drawn >(scratch "/numbers")
          exit drawn == 0 }
' "$scratch/questions" "$data" || { echo "bench-plot: $data has none of the rows" >&2 && exit 1; }

gnuplot <<END
load "$scratch/numbers"
height = 27 * (1 - lowest) + 190
set terminal pngcairo size 1240, height font "DejaVu Sans,20" background "#ffffff" linewidth 2
set output "$scratch/speed.png"
set lmargin at screen 0.36
set rmargin at screen 0.985
set tmargin at screen 1 - 62.0 / height
set bmargin at screen 100.0 / height
set border 0
unset key
unset ytics
set yrange [lowest + 0.8 : 1]
set xrange [0 : longest * 1.55]
set xtics 0, 1 scale 0 font ",16" textcolor "#57606a"
set format x "%gx"
set grid xtics linecolor "#eaeef2" linewidth 1
set style fill solid noborder
set title "Time for the same answer, ours = 1x" textcolor "#24292f" offset -10, -0.3
set label 1 about at screen 0.985, 26.0 / height right font ",13" textcolor "#57606a" noenhanced
set datafile separator "\t"
color(i) = i == 0 ? 0x1f6feb : i == 1 ? 0x8c959f : i == 2 ? 0xafb8c1 : 0xd0d7de
plot "$scratch/bars" using 1:2:(0):1:(\$2 - 0.42):(\$2 + 0.42):(color(\$3)) with boxxyerror fillcolor rgb variable, \\
     "$scratch/texts" using 1:2:3 with labels left offset 0.6, 0 font ",17" textcolor "#24292f" noenhanced, \\
     "$scratch/titles" using (0):1:2 with labels right offset -1.2, 0 textcolor "#24292f" noenhanced
END
mv "$scratch/speed.png" "$picture"
ls -l "$picture"
