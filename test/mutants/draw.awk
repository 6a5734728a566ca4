# draw.awk -- draws single-point mutants of C sources.
#
#     awk -v seed=1 -v n=300 -f draw.awk module/ROOM/x.c...     writes records as in `named'
#     awk -v all=1 -f draw.awk x.c...                           every mutant that there is
#
# Each file has a share of the N that grows with its lines, and a stock beyond it: what turns out
# not to compile, or to be the same code, is replaced by the next of the file.  In a file, the
# kind is drawn by the weights below, then the place.  The mutants of a file depend on its
# text and the seed alone, so that a change elsewhere does not move it.
#
# The layout is clang-format's, and a reading by tokens is enough: a mutant that is no C does not
# compile.  Preprocessor lines are skipped but for a `#define NAME number'.
#
# SPDX-License-Identifier: MIT

BEGIN {
    # How often a kind is drawn where a file has all kinds.
    split("relation 3 logic 3 negation 4 boolean 2 number 3 sum 1 call 4 store 4 flag 3 " \
          "success 4 constant 2 row 3 character 1", words)
    for (i = 1; i in words; i += 2) {
        kinds[(i + 1) / 2] = words[i]
        weight[words[i]] = words[i + 1]
    }
    split("< <= <= < > >= >= > == != != ==", words)
    for (i = 1; i in words; i += 2) relation[words[i]] = words[i + 1]
    share_reserve = 12
}

FNR == 1 { end_file(); begin_file() }
{ read_line($0) }
END {
    end_file()
    if (!all) write_shares()
}

# -- Reading

function begin_file() {
    file = FILENAME
    nlines = ntokens = nsites = comment = directive = 0
    depth = parens = 0
    place = named = ""
    split("", open_at)
    split("", closes)
    split("", initializer)
}

function read_line(s,   column) {
    line[++nlines] = s
    if (directive || (!comment && s ~ /^[ \t]*#/)) {
        if (!directive && match(s, /^#define [A-Z0-9_]+ +\(?[0-9]+/)) {
            match(s, /[0-9]+/)
            split(s, words, " ")
            column = index(s, words[2]) + length(words[2])
            match(substr(s, column), /[0-9]+/)
            add_site("constant", nlines, column + RSTART - 1, nlines, column + RSTART + RLENGTH - 2,
                     other_constant(substr(s, column + RSTART - 1, RLENGTH)), "")
        }
        directive = s ~ /\\$/
        return
    }
    for (column = 1; column <= length(s);) column = read_token(s, column)
}

# Takes what begins at COLUMN of S, and returns the column behind it.
function read_token(s, column,   rest, text) {
    rest = substr(s, column)
    if (comment) {
        match(rest, /\*\//)
        comment = !RSTART
        return RSTART ? column + RSTART + 1 : length(s) + 1
    }
    if (match(rest, /^[ \t]+/)) return column + RLENGTH
    if (rest ~ /^\/\//) return length(s) + 1
    if (rest ~ /^\/\*/) {
        comment = 1
        return column + 2
    }
    if (!match(rest, /^"([^"\\]|\\.)*"/) && !match(rest, /^'([^'\\]|\\.)+'/) &&
        !match(rest, /^[A-Za-z_][A-Za-z_0-9]*/) && !match(rest, /^[0-9][A-Za-z_0-9.]*/) &&
        !match(rest, /^(<<=|>>=|\.\.\.)/) &&
        !match(rest, /^(->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*\/%&|^]=)/))
        match(rest, /^./)
    text = substr(rest, 1, RLENGTH)
    add_token(text, column)
    return column + length(text)
}

function add_token(text, column,   before) {
    before = token[ntokens]
    token[++ntokens] = text
    at_line[ntokens] = nlines
    at_column[ntokens] = column
    if (text == "}" || text == ")" || text == "]") {
        closes[open_at[depth]] = ntokens
        depth--
    }
    # The name of what begins in the first column: a function, or a table.
    if (!depth && column == 1) named = ""
    if (!depth && !named && text ~ /^[[(=]$/ && before ~ /^[A-Za-z]/) {
        named = before
    }
    if (!depth && column == 1) place = ""
    if (named && !place) place = named
    level[ntokens] = depth
    within[ntokens] = place
    inside[ntokens] = depth ? open_at[depth] : 0
    if (text == "{" || text == "(" || text == "[") {
        open_at[++depth] = ntokens
        initializer[ntokens] = text == "{" && (before == "=" || initializer[open_at[depth - 1]])
    }
}

# -- Places

function add_site(kind, line1, column1, line2, column2, text, place) {
    nsites++
    site_kind[nsites] = kind
    site_place[nsites] = place
    site_from[nsites] = line1
    site_to[nsites] = line2
    site_column[nsites] = column1
    site_end[nsites] = column2
    site_text[nsites] = text
}

# The tokens I..K become TEXT.
function site(kind, i, k, text) {
    add_site(kind, at_line[i], at_column[i], at_line[k], at_column[k] + length(token[k]) - 1, text,
             within[i])
}

# The source from token I to token K.
function source(i, k,   text, n) {
    if (at_line[i] == at_line[k])
        return substr(line[at_line[i]], at_column[i], at_column[k] + length(token[k]) - at_column[i])
    text = substr(line[at_line[i]], at_column[i])
    for (n = at_line[i] + 1; n < at_line[k]; n++) text = text "\n" line[n]
    return text "\n" substr(line[n], 1, at_column[k] + length(token[k]) - 1)
}

function is_name(text) { return text ~ /^[A-Za-z_]/ }
function is_flag(text) { return text ~ /^[A-Z][A-Z0-9_]+$/ }
function is_value(text) { return text ~ /^[A-Za-z_0-9)\]"']/ && text !~ /^(return|case|else)$/ }

function other_constant(text) { return text + 0 > 3 ? int(text / 2) : text + 1 }

function find_sites(   i, text) {
    for (i = 1; i <= ntokens; i++) {
        text = token[i]
        if (level[i] < 1 && !inside[i]) continue
        if (text in relation) site("relation", i, i, relation[text])
        else if (text == "&&" || text == "||") site("logic", i, i, text == "&&" ? "||" : "&&")
        else if (text == "true" || text == "false") site("boolean", i, i, text == "true" ? "false" : "true")
        else if (text == "!") site("negation", i, i, "")
        else if (text ~ /^[0-9]+[uUlL]*$/) find_number(i, text)
        else if ((text == "+" || text == "-") && is_value(token[i - 1])) site("sum", i, i, text == "+" ? "-" : "+")
        else if (text == "if" || text == "while") find_condition(i + 1)
        else if (text ~ /^'/) site("character", i, i, text == "'\\1'" ? "'\\2'" : "'\\1'")
        else if (text == "return") find_return(i)
        else if (is_flag(text)) find_flag(i, text)
        if (starts_statement(i)) find_statement(i)
        if (initializer[inside[i]] && (token[i - 1] == "," || token[i - 1] == "{") && text != "}") find_row(i)
    }
}

function find_number(i, text) {
    if (token[i - 1] == "=" && !initializer[inside[i]] && token[i + 1] == ",") # of an enum
        site("constant", i, i, other_constant(text))
    else
        site("number", i, i, text == "1" && (i % 2) ? "0" : text + 1)
}

function find_condition(i,   k) {
    k = closes[i]
    if (k) site("negation", i, k, "(!" source(i, k) ")")
}

# A failure becomes a success.
function find_return(i,   k, first) {
    first = token[i + 1]
    if (first !~ /^(code|error|fail[a-z_]*|AQFS_[A-Z_]+|-)$/ || first == "AQFS_OK") return
    for (k = i; token[k] != ";" && k < ntokens; k++) continue
    site("success", i, k, first == "-" ? "return 0;" : "return AQFS_OK;")
}

function find_flag(i, text) {
    if (token[i - 1] == "|" && is_flag(token[i - 2])) site("flag", i - 2, i, token[i - 2])
    else if (token[i + 1] == "|" && is_flag(token[i + 2])) site("flag", i, i + 2, token[i + 2])
    else if (text ~ /^(O|AT|RESOLVE|RENAME|LOCK|MSG|GRND|OPEN|PLAN)_/ && text != "O_RDONLY" && token[i + 1] ~ /^[,);]$/)
        site("flag", i, i, "0")
}

function starts_statement(i,   before) {
    before = token[i - 1]
    if (!is_name(token[i]) && token[i] !~ /^(\*|\+\+|--|\()$/) return 0
    if (!inside[i] || token[inside[i]] != "{" || initializer[inside[i]]) return 0
    if (before ~ /^(;|\{|\}|else)$/) return 1
    return before == ")" && is_name(token[i]) && i > 1 && token[opener[i - 1] - 1] ~ /^(if|while|for)$/
}

# A statement that is one call, or stores something, goes away.
function find_statement(i,   k, first, next_, stores) {
    first = token[i]
    next_ = token[i + 1]
    if (first ~ /^(if|for|while|switch|do|return|case|default|else|break|continue|goto|static|const|struct)$/) return
    if (first == "(" && token[i + 1] token[i + 2] != "void)") return
    if (is_name(first) && next_ !~ /^(\(|=|\.|->|\[|\+\+|--|[-+*\/%&|^]=|<<=|>>=)$/) return
    for (k = i; k < ntokens && !(token[k] == ";" && inside[k] == inside[i]); k++) {
        if (token[k] == "{" || token[k] == "}") return
        if (inside[k] == inside[i] && token[k] ~ /^(=|\+\+|--|[-+*\/%&|^]=|<<=|>>=)$/) stores = 1
    }
    if (stores || first == "(" || next_ == "(" || next_ == "->" || next_ == ".")
        site(stores ? "store" : "call", i, k, ";")
}

# A row of a table, or an element of an initializer.
function find_row(i,   k) {
    for (k = i; k < ntokens && !(token[k] == "," && inside[k] == inside[i]); k++)
        if (k > i && token[k] == "}" && level[k] < level[i]) {
            if (token[k - 1] == "," || k - 1 < i) return
            if (token[i - 1] == "{") return # the only one
            site("row", i - 1, k - 1, "")
            return
        }
    site("row", i, k, "")
}

# -- Drawing

# Park and Miller's generator: its products fit into a double.
function draw(limit) {
    state = (state * 16807) % 2147483647
    return int(state / 2147483647 * limit)
}

function sow(text,   i) {
    state = seed + 1
    for (i = 1; i <= length(text); i++)
        state = (state * 69 + index("/._abcdefghijklmnopqrstuvwxyz0123456789", substr(text, i, 1))) % 2147483646
    state++
    for (i = 0; i < 9; i++) draw(2)
}

function end_file(   i) {
    if (!file || !nlines) return
    split("", opener)
    for (i in closes) opener[closes[i]] = i
    find_sites()
    if (all)
        for (i = 1; i <= nsites; i++) printf "%s", record(i)
    else
        draw_order()
    nlines = 0
}

function draw_order(   i, k, kind, total, pick, count, stock, order) {
    sow(file)
    for (i = 1; i <= nsites; i++) stock[site_kind[i], ++count[site_kind[i]]] = i
    for (order = 1; order <= nsites && order <= n + share_reserve; order++) {
        total = 0
        for (k = 1; k in kinds; k++) if (count[kinds[k]]) total += weight[kinds[k]]
        pick = draw(total)
        for (k = 1; k in kinds; k++) {
            if (!count[kinds[k]]) continue
            pick -= weight[kinds[k]]
            if (pick < 0) break
        }
        kind = kinds[k]
        i = 1 + draw(count[kind])
        drawn[file, order] = record(stock[kind, i])
        stock[kind, i] = stock[kind, count[kind]--]
    }
    files[++nfiles] = file
    have[nfiles] = order - 1
    size[nfiles] = nlines
    lines += nlines
}

# The largest remainders get what rounding leaves.
function write_shares(   i, k, left, best) {
    left = n
    for (i = 1; i <= nfiles; i++) {
        share[i] = int(n * size[i] / lines)
        remainder[i] = n * size[i] / lines - share[i]
        left -= share[i]
    }
    for (; left > 0; left--) {
        best = 1
        for (i = 2; i <= nfiles; i++) if (remainder[i] > remainder[best]) best = i
        share[best]++
        remainder[best] = -1
    }
    for (i = 1; i <= nfiles; i++) {
        if (!share[i]) continue
        print "! " share[i] " of " files[i] "\n"
        for (k = 1; k <= share[i] + share_reserve && k <= have[i]; k++) printf "%s", drawn[files[i], k]
    }
}

function lines_with(mark, text,   i, parts, count, out) {
    count = split(text, parts, "\n")
    for (i = 1; i <= count; i++) {
        sub(/^[ \t]+/, "", parts[i])
        sub(/[ \t]+$/, "", parts[i])
        if (mark == "-" || parts[i] != "") out = out mark " " parts[i] "\n"
    }
    return out
}

function record(i,   before, after, k) {
    for (k = site_from[i]; k <= site_to[i]; k++) before = before (k > site_from[i] ? "\n" : "") line[k]
    after = substr(line[site_from[i]], 1, site_column[i] - 1) site_text[i] \
            substr(line[site_to[i]], site_end[i] + 1)
    return "@ " file ":" site_from[i] (site_place[i] ? " " site_place[i] : "") "\n: " site_kind[i] "\n" \
           lines_with("-", before) lines_with("+", after) "\n"
}
