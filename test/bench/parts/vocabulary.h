/* SPDX-License-Identifier: MIT */
/* vocabulary.h -- what the words and lines of the corpus are made of.
 *
 * The words stand in the order of how often code uses them, the most frequent
 * first; corpus.c adds rarer, invented ones behind them. */
#ifndef BENCH_VOCABULARY_H
#define BENCH_VOCABULARY_H

static const char *const common_words[] = {
    "value",      "name",      "type",        "data",       "index",      "key",       "node",
    "options",    "result",    "path",        "file",       "list",       "size",      "length",
    "string",     "object",    "array",       "element",    "item",       "parent",    "state",
    "context",    "config",    "module",      "request",    "response",   "handler",   "event",
    "callback",   "buffer",    "stream",      "source",     "target",     "input",     "output",
    "start",      "end",       "count",       "offset",     "position",   "line",      "text",
    "token",      "parser",    "symbol",      "scope",      "version",    "default",   "property",
    "attribute",  "method",    "argument",    "parameter",  "message",    "code",      "status",
    "level",      "flag",      "mode",        "format",     "prefix",     "suffix",    "match",
    "pattern",    "filter",    "map",         "set",        "get",        "create",    "update",
    "remove",     "insert",    "find",        "check",      "is",         "has",       "read",
    "write",      "open",      "close",       "load",       "store",      "cache",     "entry",
    "table",      "row",       "column",      "field",      "record",     "header",    "body",
    "content",    "document",  "window",      "frame",      "view",       "model",     "controller",
    "service",    "client",    "server",      "socket",     "connection", "session",   "user",
    "group",      "role",      "permission",  "password",   "hash",       "digest",    "signature",
    "encode",     "decode",    "encoding",    "charset",    "locale",     "language",  "date",
    "time",       "timeout",   "delay",       "timer",      "clock",      "schedule",  "queue",
    "stack",      "heap",      "tree",        "graph",      "edge",       "vertex",    "matrix",
    "vector",     "point",     "rect",        "width",      "height",     "color",     "style",
    "layout",     "render",    "draw",        "paint",      "canvas",     "image",     "font",
    "glyph",      "icon",      "button",      "menu",       "dialog",     "panel",     "widget",
    "component",  "children",  "sibling",     "root",       "leaf",       "depth",     "visit",
    "walk",       "iterate",   "iterator",    "next",       "previous",   "first",     "last",
    "current",    "pending",   "resolve",     "reject",     "promise",    "async",     "await",
    "worker",     "thread",    "process",     "task",       "job",        "signal",    "lock",
    "mutex",      "atomic",    "barrier",     "channel",    "message",    "packet",    "frame",
    "protocol",   "port",      "host",        "address",    "route",      "router",    "query",
    "schema",     "database",  "transaction", "commit",     "rollback",   "snapshot",  "branch",
    "merge",      "diff",      "patch",       "chunk",      "block",      "page",      "segment",
    "region",     "range",     "limit",       "bound",      "minimum",    "maximum",   "average",
    "total",      "sum",       "delta",       "factor",     "ratio",      "scale",     "transform",
    "translate",  "rotate",    "compile",     "compiler",   "runtime",    "literal",   "operator",
    "expression", "statement", "declaration", "identifier", "namespace",  "package",   "dependency",
    "plugin",     "loader",    "bundle",      "export",     "import",     "require",   "register",
    "dispatch",   "emit",      "listen",      "subscribe",  "publish",    "notify",    "observer",
    "proxy",      "wrapper",   "adapter",     "factory",    "builder",    "visitor",   "strategy",
    "manager",    "provider",  "consumer",    "producer",   "registry",   "resource",  "acquire",
    "release",    "allocate",  "free",        "copy",       "clone",      "merge",     "compare",
    "equal",      "sort",      "order",       "priority",   "weight",     "score",     "deprecated",
    "error",      "internal",  "public",      "private",    "static",     "virtual",   "abstract",
    "warning",    "debug",     "trace",       "log",        "logger",     "assert",    "expect",
    "test",       "suite",     "fixture",     "mock",       "stub",       "benchmark", "profile",
};

/* Written in prose, comments and strings of files that are not plain ASCII. */
static const char *const foreign_words[] = {
    "café",   "naïve", "über", "Größe",    "señor", "façade",
    "Müller", "année", "déjà", "Ångström", "coöp",  "résumé",
};

/* The same for files that Latin-1 could not hold. */
static const char *const unicode_words[] = {
    "日本語", "Привет", "→", "…", "“quoted”", "naïve", "Größe", "café", "한국어", "λ", "π≈3.14",
};

/* In a template `%` and a letter stand for
 *
 *     i  camelCase identifier       p  prose, 4 to 13 words
 *     I  the same, capitalised      v  a version number
 *     s  snake_case identifier      n  a number
 *     S  SNAKE_CASE                 x  16 hexadecimal digits
 *     k  kebab-case                 m  a piece of base64
 *     w  one word                   %  a percent sign */

// clang-format off
static const char *const javascript_head[] = {
    "'use strict';\n\n",
    "import { %i, %i } from './%k';\n",
    "import %I from '%k';\n",
    "const %i = require('./%k');\n",
    "const { %i, %i } = require('%k');\n",
    "var %i = require('%k');\n",
};

static const char *const javascript[] = {
    "/**\n * %p.\n * %p\n *\n * @param {%I} %i %p\n * @returns {%I}\n */\n",
    "function %i(%i, %i) {\n  if (!%i) {\n    throw new %IError('%p');\n  }\n  return %i.%i;\n}\n\n",
    "const %i = (%i) => {\n  // %p\n  for (let i = 0; i < %i.length; i++) {\n    %i.push(%i[i]);\n  }\n}\n\n",
    "var %i = function (%w, %w) {\n  return %w.%i === %w ? %n : %i;\n};\n",
    "exports.%i = %i;\n",
    "    if (%i.%i !== undefined && %i.%i > %n) {\n      %i.%i(%i);\n    } else {\n      return null;\n    }\n",
    "    switch (%i) {\n      case '%k':\n        return %i.%i;\n      case '%k':\n        break;\n      default:\n    }\n",
    "    try {\n      %i(%i);\n    } catch (%w) {\n      console.warn('%p', %w);\n    }\n",
    "    Object.defineProperty(exports, '%i', { enumerable: true, get: () => %i.%i });\n",
    "    this.%i = this.%i.bind(this);\n",
    "    const %i = `%w-${%i}-%w`;\n",
    "// %p\n",
    "export class %I extends %I {\n  constructor(%i) {\n    super(%i);\n    this.%i = %i;\n  }\n\n",
    "  %i(%i) {\n    const { %i } = this.%i;\n    return %i.map((%w) => %w.%i);\n  }\n\n",
    "  async %i(%i) {\n    const %i = await this.%i(%i, %n);\n    this.%i = %i;\n  }\n\n",
    "// TODO: %p\n",
    "export function %i(%i, %i = %n) {\n  const %i = %i.%i(%i);\n  return %i || %i;\n}\n\n",
    "module.exports = { %i, %i, %i };\n",
};

static const char *const typescript_head[] = {
    "import { %I, %I } from './%k';\n",
    "import type { %I } from '%k';\n",
    "/// <reference types=\"%k\" />\n",
};

static const char *const typescript[] = {
    "/**\n * %p.\n *\n * @param %i %p\n */\n",
    "/** %p. */\n",
    "export declare function %i(%i: %I, %i?: %I): Promise<%I>;\n",
    "export declare function %i(%i: string): %I | undefined;\n",
    "declare const %i: unique symbol;\n",
    "export interface %I extends %I {\n    %i: string;\n    %i?: number;\n    readonly %i: %I[];\n}\n",
    "export interface %I {\n    %i(%i: %I): void;\n    %i: Map<string, %I>;\n}\n",
    "export type %I = %I | %I | '%k';\n",
    "export declare class %I {\n    private %i;\n    constructor(%i: %I);\n    get %i(): boolean;\n}\n",
    "    /** %p. */\n    %i?: (%i: %I) => void;\n",
    "    static %i: readonly %I[];\n    protected %i(%i?: %I): asserts %i is %I;\n",
    "export * from './%k';\n",
};

static const char *const json_head[] = {
    "  \"description\": \"%p\",\n",
    "  \"repository\": \"%k/%k\",\n",
};

static const char *const json[] = {
    "  \"%i\": \"%p\",\n",
    "  \"%i\": %n,\n",
    "  \"%k\": \"^%v\",\n",
    "  \"%i\": { \"%i\": \"%w\", \"%i\": true },\n",
    "  \"%i\": [\"%w\", \"%k\", \"%i\"],\n",
    "  \"%k\": { \"version\": \"%v\", \"integrity\": \"sha512-%m%m\" },\n",
};

static const char *const markdown_head[] = {
    "# %w %w\n\n",
    "[![%w](https://badges.example.com/%k.svg)](https://www.npmjs.com/package/%k)\n",
};

static const char *const markdown[] = {
    "## %w\n\n",
    "%p. %p, %p. %p.\n\n",
    "%p, %p.\n%p.\n\n",
    "- %p\n- %p\n- `%i` %p\n\n",
    "* %v %p ([%x](https://github.com/%k/%k/commit/%x))\n",
    "```js\nconst %i = %i.%i({ %i: %n });\n```\n\n",
    "| %w | %w | %w |\n|---|---|---|\n| `%i` | %w | %p |\n\n",
    "[%w](https://www.npmjs.com/package/%k) [%w %w](https://github.com/%k/%k/issues/%n)\n\n",
};

static const char *const c_code_head[] = {
    "#include <%w/%w.h>\n",
    "#include \"%s.h\"\n",
};

static const char *const c_code[] = {
    "#define %S %n\n",
    "#define %S(%w) ((%w) + %n)\n",
    "/* %p */\n",
    "/*\n * %p. %p\n * %p.\n */\n",
    "static int %s(struct %s *%w, size_t %w)\n{\n\tint err;\n\n\tif (!%w)\n\t\treturn -EINVAL;\n",
    "\terr = %s(%w->%s, %n);\n\tif (err)\n\t\tgoto out_%w;\n",
    "\tfor (i = 0; i < %w->%s; i++) {\n\t\t%s(&%w[i]);\n\t\t%w += %s(%w, i);\n\t}\n",
    "\tpr_err(\"%%s: %p\\n\", %w->name);\n",
    "\tswitch (%w->%w) {\n\tcase %S:\n\t\tbreak;\n\tdefault:\n\t\treturn %n;\n\t}\n",
    "\tspin_lock_irqsave(&%w->lock, flags);\n\t%w->%s = %s;\n",
    "\treturn %s;\n}\n\n",
    "out_%w:\n\tkfree(%w);\n\treturn err;\n}\nEXPORT_SYMBOL_GPL(%s);\n\n",
    "struct %s {\n\tstruct list_head %w;\n\tunsigned long %s;\n\tconst char *%s;\n};\n\n",
    "\t{ .%s = %S, .%s = 0x%x },\n",
};

static const char *const lisp_code_head[] = {
    ";;; %p\n",
    "(in-package #:%k)\n\n",
};

static const char *const lisp_code[] = {
    ";; %p.\n",
    "(defun %k (%w %w &optional %w)\n  \"%p.\n%p.\"\n  (when (%k %w)\n    (%k %w '%k)))\n\n",
    "(defmethod %k ((%w %k) %w)\n  (with-slots (%w %w) %w\n    (setf %w (%k %w %n))))\n\n",
    "(defclass %k (%k)\n  ((%w :initarg :%w :accessor %k)\n   (%w :initform nil :reader %k))\n"
    "  (:documentation \"%p.\"))\n\n",
    "(defmacro with-%k ((%w) &body body)\n  `(let ((%w (%k ,%w)))\n"
    "     (unwind-protect (progn ,@body)\n       (%k %w))))\n\n",
    "(defvar *%k* nil\n  \"%p.\")\n\n",
    "  (let* ((%w (%k %w))\n         (%w (and %w (%k %w %n))))\n    (dolist (%w %w)\n"
    "      (push (%k %w) %w)))\n",
    "  (error '%k-error :%w %w :message \"%p\")\n",
    "(define-condition %k-error (error)\n  ((%w :initarg :%w)))\n\n",
};

static const char *const minified_head[] = {
    "!function(e,t){\"object\"==typeof exports?t(exports):t(e.%i={})}(this,function(e){",
};

static const char *const minified[] = {
    "function %w(e,t,n){return e.%i(t)?n:t[%n]}",
    "var r=n(%n),o=r.%i,a={%i:!0,%i:!1};",
    "if(!e.%i)throw new %IError(\"%p\");",
    "t.%i=function(e){for(var t=0;t<e.length;t++)n.push(e[t].%i)},",
    "e.exports=n(%n),",
    "void 0===e&&(e=%n),",
};
// clang-format on

#endif
