/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "forms.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unity.h>

void setUp(void) {
}
void tearDown(void) {
}

/* The forms of TEXT between bars: "|(a)|b|". */
static const char *forms_in(enum dialect dialect, const char *text) {
    static char said[2000];
    struct forms forms;
    size_t n = 0;
    TEST_ASSERT_TRUE(forms_read(dialect, text, strlen(text), &forms));
    said[n++] = '|';
    for (size_t i = 0; i < forms.n; i++) {
        size_t len = forms.all[i].end - forms.all[i].start;
        memcpy(said + n, text + forms.all[i].start, len);
        n += len;
        said[n++] = '|';
    }
    said[n] = '\0';
    if (forms.fault.kind)
        (void)snprintf(said + n, sizeof said - n, " fault %d at %zu open %zu",
                       (int)forms.fault.kind, forms.fault.at, forms.fault.open);
    forms_free(&forms);
    return said;
}

static bool is_unsure(enum dialect dialect, const char *text) {
    struct forms forms;
    TEST_ASSERT_TRUE(forms_read(dialect, text, strlen(text), &forms));
    bool unsure = forms.unsure != NULL;
    forms_free(&forms);
    return unsure;
}

#define FORMS(expected, dialect, text)                                                             \
    TEST_ASSERT_EQUAL_STRING(expected, forms_in(DIALECT_##dialect, text))

void test_forms__common_lisp(void) {
    FORMS("|(a (b) \"(\\\")\")|c|", COMMON_LISP, "(a (b) \"(\\\")\") ; (\nc");
    FORMS("|(a #| ( #| ( |# ( |# b)|", COMMON_LISP, "#| ( |# (a #| ( #| ( |# ( |# b)");
    FORMS("|#\\(|#\\)|#\\;|#\\Space|(#\\\" #\\|)|", COMMON_LISP,
          "#\\( #\\) #\\; #\\Space (#\\\" #\\|)");
    FORMS("||a(b||c\\(d|e|(|f|", COMMON_LISP, "|a(b| c\\(d e|(|f");
    FORMS("|'(a)|`(a ,@b ,.c)|#'f|#(1 2)|#2A((1) (2))|#S(a :b 1)|#p\"(\"|", COMMON_LISP,
          "'(a) `(a ,@b ,.c) #'f #(1 2) #2A((1) (2)) #S(a :b 1) #p\"(\"");
    FORMS("|#+sbcl (a)|#-(or a b) c|#1=(a . #1#)|#:g|#*0101|#x1F|#.(a)|", COMMON_LISP,
          "#+sbcl (a) #-(or a b) c #1=(a . #1#) #:g #*0101 #x1F #.(a)");
    FORMS("|#+sbcl ; (\n (a)|", COMMON_LISP, "#!/usr/bin/sbcl --script (\n#+sbcl ; (\n (a)");
}

void test_forms__emacs_lisp(void) {
    FORMS("|?(|?\\(|?\\\\|?\\C-\\M-(|?\\^?|?\\x28|?\\N{LEFT PARENTHESIS}|?\"|", EMACS_LISP,
          "?( ?\\( ?\\\\ ?\\C-\\M-( ?\\^? ?\\x28 ?\\N{LEFT PARENTHESIS} ?\" ;(\n");
}

void test_forms__emacs_lisp_vectors(void) {
    FORMS("|[a (b) ?\\]]|#s(hash)|#[1 \"(\"]|#(\"a\" 0 1 (b c))|##|#'f|#&5\"(\"|", EMACS_LISP,
          "[a (b) ?\\]] #s(hash) #[1 \"(\"] #(\"a\" 0 1 (b c)) ## #'f #&5\"(\"");
    FORMS("|a|#'b|(a . ?\\()|(a .?()|foo?|", EMACS_LISP, "a#'b (a . ?\\() (a .?() foo?");
    FORMS("|(a)|b\xC2\xA1|c|", EMACS_LISP,
          "(a)\xC2\xA0 b\xC2\xA1\xC2\xA0"
          "c");
    /* All bytes up to the space separate. */
    FORMS("|(a)|b|c|", EMACS_LISP,
          "(a)\x01"
          "b\x1F"
          "c\x0E");
    FORMS("|(a [b| fault 3 at 5 open 3", EMACS_LISP, "(a [b))");
}

void test_forms__scheme(void) {
    FORMS("|(a #;(b) c)|d|", SCHEME, "#;(x (y)) (a #;(b) c) #;#;e f d");
    FORMS("|#\\(|#\\space|#t|#f|(#t)|#u8(1 2)|#vu8(1)|[a b]|", SCHEME,
          "#\\( #\\space #t #f (#t) #u8(1 2) #vu8(1) [a b]");
    FORMS("|(a)|#!optional|#:key|##sys#foo|#%f|", SCHEME,
          "#!/usr/bin/guile -s (\n!#\n(a) #!optional #:key ##sys#foo #%f");
    FORMS("|(a #\\M-\\( #\\c-\\))|b|", SCHEME, "#!no-fold-case (a #\\M-\\( #\\c-\\)) b");
    FORMS("|(display #<<END\n( \" (\nEND\n)|b|", SCHEME, "(display #<<END\n( \" (\nEND\n) b");
    FORMS("||a b||#{a (b}#|`(a ,b ,@c)|#`(a #,b)|", SCHEME, "|a b| #{a (b}# `(a ,b ,@c) #`(a #,b)");
    FORMS("|a|b| fault 2 at 4 open 0", SCHEME, "a b ) c");
}

void test_forms__clojure(void) {
    FORMS("|(a \\( \\) \\newline \"\\\"(\")|{:a [1]}|#{1 2}|#(f %)|#\"(\\\"\"|", CLOJURE,
          "(a \\( \\) \\newline \"\\\"(\") {:a [1]} #{1 2} #(f %) #\"(\\\"\"");
    FORMS("|c|(d)|", CLOJURE, "#_ #_ a b c #_(x (y)) (d)");
    FORMS("|^:private x|#?(:clj 1)|#?@(:clj [1])|@a|~@b|#inst \"1\"|#:n{:a 1}|##Inf|a'|b#|",
          CLOJURE, "^:private x #?(:clj 1) #?@(:clj [1]) @a ~@b #inst \"1\" #:n{:a 1} ##Inf a' b#");
}

void test_forms__faults(void) {
    FORMS("|(a)|(b (c) | fault 1 at 11 open 4", COMMON_LISP, "(a) (b (c) ");
    FORMS("|(a)| fault 2 at 3 open 0", COMMON_LISP, "(a)) (b)");
    FORMS("|(a (b \"c| fault 5 at 8 open 6", COMMON_LISP, "(a (b \"c");
    FORMS("|(a)| fault 5 at 9 open 4", COMMON_LISP, "(a) #| b ");
    FORMS("|(a)|'| fault 4 at 5 open 4", COMMON_LISP, "(a) '");
}

/* Text that a program may read otherwise is balanced or not, and we say that we are not sure. */
void test_forms__unsure(void) {
    TEST_ASSERT_TRUE(is_unsure(DIALECT_COMMON_LISP, "(a #?\"(\")"));
    TEST_ASSERT_TRUE(is_unsure(DIALECT_COMMON_LISP, "(in-readtable :foo) (a"));
    TEST_ASSERT_TRUE(is_unsure(DIALECT_COMMON_LISP, "(set-macro-character #\\] 'f) #]"));
    TEST_ASSERT_FALSE(is_unsure(DIALECT_COMMON_LISP, "(with-standard-io-syntax (a))"));
    TEST_ASSERT_TRUE(is_unsure(DIALECT_EMACS_LISP, "#<buffer (>"));
    TEST_ASSERT_TRUE(is_unsure(DIALECT_SCHEME, "|a ( b|"));
    TEST_ASSERT_FALSE(is_unsure(DIALECT_CLOJURE, "(a)"));
}

void test_forms__end_of_the_text_anywhere(void) {
    static const char text[] = "#!x\n(a \"\\\"\" #\\( |b| #|#||#|# ?\\C-a #+b #;c #_d #<<E\nE\n ^m "
                               "\\x #{a}# #s(1) #1=#1#)";
    for (int dialect = DIALECT_COMMON_LISP; dialect < DIALECT_COUNT; dialect++)
        for (size_t n = 0; n < sizeof text; n++) {
            struct forms forms;
            char *piece = malloc(n + 1); /* so that a read behind it is noticed */
            memcpy(piece, text, n);
            TEST_ASSERT_TRUE(forms_read((enum dialect)dialect, piece, n, &forms));
            forms_free(&forms);
            free(piece);
        }
}

void test_forms__deep(void) {
    struct forms forms;
    const size_t n = 4000000;
    char *text = malloc(n);
    memset(text, '(', n);
    TEST_ASSERT_TRUE(forms_read(DIALECT_COMMON_LISP, text, 10000, &forms));
    TEST_ASSERT_EQUAL(FAULT_UNCLOSED, forms.fault.kind);
    TEST_ASSERT_NULL(forms.unsure);
    forms_free(&forms);
    TEST_ASSERT_TRUE(forms_read(DIALECT_COMMON_LISP, text, n, &forms));
    TEST_ASSERT_NOT_NULL(forms.unsure);
    forms_free(&forms);
    free(text);
}

void test_forms__inside(void) {
    static const char text[] = "(defun f (x) \"doc\" #+a b '(c) ; d\n #|e|# \"g\" (h (i)))";
    struct forms forms;
    struct form child;
    struct buf said = {0};
    TEST_ASSERT_TRUE(forms_read(DIALECT_COMMON_LISP, text, strlen(text), &forms));
    struct form_cursor cursor = form_inside(DIALECT_COMMON_LISP, text, &forms.all[0]);
    while (form_next(&cursor, &child)) {
        buf_add(&said, text + child.start, child.end - child.start);
        buf_str(&said, child.open < child.end ? "L|" : "|");
    }
    TEST_ASSERT_EQUAL_STRING("defun|f|(x)L|\"doc\"|#+a b|'(c)L|\"g\"|(h (i))L|", said.data);
    buf_free(&said);
    TEST_ASSERT_FALSE(form_next(&cursor, &child));
    forms_free(&forms);
}
