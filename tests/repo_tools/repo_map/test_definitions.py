"""What is kept of a definition: its signature, which ends where its body begins, and begins where it does."""

import time

import pytest

from repo_tools.repo_map.definitions import definitions
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.macros import without_macros
from repo_tools.repo_map.scripts import only_scripts


def signatures(path: str, source: str) -> list[str]:
    return [d.signature for d in definitions(language_of(path), source.encode())]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.js", "res.json = function json(obj) {\n  // settings\n  return 1;\n};\n", "res.json = function json(obj)"),
        ("a.js", "exports.run = async (a) => {\n  go();\n};\n", "exports.run = async (a) =>"),
        ("a.js", "const f = function (a) {\n  go();\n};\n", "const f = function (a)"),
        ("a.js", "  data: function () {\n    go();\n  },\n".join(["x = {\n", "}\n"]), "  data: function ()"),
        ("a.ts", "export const f = <T>(a: T): T => {\n  return a\n}\n", "export const f = <T>(a: T): T =>"),
        ("a.ts", "const A = class {\n  x = 1;\n};\n", "const A = class"),
        ("a.ts", "namespace A.B {\n  const x = 1;\n}\n", "namespace A.B"),
        ("a.go", "package a\n\ntype T struct {\n\tA int\n}\n", "type T struct"),
        ("a.go", "package a\n\ntype I interface{ A }\n", "type I interface"),
        ("a.rs", "macro_rules! mac {\n    () => { 1 }\n}\n", "macro_rules! mac"),
        ("a.rb", "attr_writer(:w)\n", "attr_writer(:w)"),
        ("a.c", "static int\nfoo (int a)\n{\n}\n", "static int foo (int a)"),
        ("a.h", "API A *\nfoo (int a);\n", "API A * foo (int a);"),
        ("a.c", "static /* of that */\nint foo(int a) {\n}\n", "int foo(int a)"),
        ("a.c", "typedef struct {\n  int a;\n} A;\n", "} A;"),
        ("a.rs", "impl<T> Display for A<T>\nwhere\n    T: B,\n{\n}\n", "impl<T> Display for A<T> where T: B,"),
        ("a.rs", "pub struct Tup(pub i32, pub i32);\n", "pub struct Tup(pub i32, pub i32);"),
        ("a.py", "run = lambda a: a\n", "run = lambda a: a"),
    ],
)
def test_a_signature_ends_where_the_body_begins(path: str, source: str, expected: str) -> None:
    assert signatures(path, source) == [expected]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.rs", "fn a() { 1 } fn b() { 2 }\n", ["fn a()", "fn b()"]),
        ("a.rs", "    impl A { pub fn c(&self) -> i32 { 3 } }\n", ["    impl A", "    pub fn c(&self) -> i32"]),
        ("a.go", "package a\nfunc F() { f() }; func G() int { return 2 }\n", ["func F()", "func G() int"]),
        ("a.js", "x = { a: function () { f() }, b: (a) => a }\n", ["a: function ()", "b: (a) =>"]),
        ("a.rb", "attr_reader :a, :b\nC, D = 1, 2\n", [*["attr_reader :a, :b"] * 2, *["C, D = 1, 2"] * 2]),
        ("a.js", "x" * 900 + "(function () { f() }, y = (a) => a)\n", ["y = (a) =>"]),
    ],
)
def test_of_several_on_one_line_each_has_its_own_signature(path: str, source: str, expected: list[str]) -> None:
    assert signatures(path, source) == expected


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.js", "class A { run = (e) => { go() }; #own() {} #kept = function () {}; x = 1 }\n", "A run #own #kept"),
        ("a.ts", "class A { private run = (e): void => {}; #own(): void {} readonly x = 1 }\n", "A run #own"),
        ("a.ts", "const a = { b() {}, c: function () {}, d: () => {}, e: 1 };\n", "b c d"),
        ("a.ts", "namespace A { }\ndeclare module 'b' { }\nnamespace C.D { }\nmodule E.F { }\n", "A b D F"),
        ("a.tsx", "const A = React.memo(B);\nconst C = forwardRef<D, E>((p, r) => 1);\nconst f = memoize(g);\n", "A C"),
        ("a.ts", "const A = class { m() {} };\nexport default class B extends A { }\n", "A m B"),
        ("a.js", "const a = function* () {};\nA.prototype.b = function* () {};\nA.C = class { };\n", "a b C"),
        ("a.js", "module.exports = function main() { };\na.b = function c() { };\n", "exports main b"),
        (
            "a.js",
            "const A = memo(() => 1);\nconst B = React.forwardRef(f);\nmodule.exports = class C { };\n",
            "A B exports C",
        ),
        ("a.ts", "const a = { b() {}, c: () => {} } satisfies X;\nconst d = { e: () => {} } as const;\n", "b c e"),
        ("a.js", "export var a = 1, b = 2;\nvar c = 3;\n", "a b"),
        ("a.ts", "export var a = 1;\ndeclare const b: string;\nexport declare let c: number;\n", "a b c"),
        ("a.py", "type A = int\ntype B[T] = list[T]\n", "A B"),
        (
            "a.py",
            "if x:\n  a = 1\n  if y:\n    b = 2\ndef f():\n  if x:\n    c = 1\ntry:\n  d = 1\nexcept E: ...\n",
            "a f d",
        ),
        (
            "a.go",
            "package a\nvar ErrX = f()\nvar (\n\tb, c = 1, 2\n\t_ I = nil\n)\nfunc F() { var x = 1 }\n",
            "ErrX b c F",
        ),
        ("a.go", "package a\nconst P, Q = 1, 2\nconst (\n\tA, _ = iota, 1\n\tB, C\n)\n", "P Q A B C"),
        ("a.go", "package a\ntype I interface {\n\tMeasure(x int) error\n\tio.Closer\n}\n", "I Measure"),
        (
            "A.java",
            "class A { static final int LIMIT = 3, MORE = 4; int x; static int y; final int z = 1; }\n",
            "A LIMIT MORE",
        ),
        ("A.java", "class A { @Old public final static int LIMIT = 3; }\n", "A LIMIT"),
        ("A.java", "@interface A { String value() default 1; int limit(); }\n", "A value limit"),
        ("A.java", "record A(int x) { A { check(x); } }\n", "A A"),
        ("A.java", "interface A { int LIMIT = 3; }\n", "A LIMIT"),
        (
            "A.cs",
            "class A { public const int Limit = 3; static readonly int Most = 1; int x; static int y; }\n",
            "A Limit Most",
        ),
        (
            "A.cs",
            "class A { event E B, C; event E D { add { } remove { } } readonly static int F = 1; }\n",
            "A B C D F",
        ),
        ("A.cs", "class A { A operator +(A a) => a; bool operator true(A a) => b; ~A() { } }\n", "A + A"),
        ("A.cs", "class A { int this[X x] { get; } void B() { int C() => 1; } }\n", "A [X_x] B C"),
        ("A.cs", "class A { int B { get { if (a) { }\n#if X\n  else if (b) { }\n#endif\n  else { } } } }\n", "A B"),
        (
            "a.rb",
            "class A\n  attr_accessor :name,\n    :other\n  private attr_reader :own\n  attr_writer :w\nend\n",
            "A name other own w",
        ),
        ("a.rb", "class A\n  alias b c\n  alias :d :e\n  alias_method :f, :g\nend\n", "A b d f"),
        ("a.rb", "A ||= 1\nB, C = 1, 2\nd, e = 1, 2\nA::D = 3\n", "A B C A::D"),
        ("a.rb", "class A::B; end\nmodule ::C; end\n", "A::B C"),
        ("a.rb", "class A\n  validates :name\n  x.attr_reader :y\nend\n", "A"),
        ("a.c", "char **names(void) { return 0; }\nchar *one(int);\nchar **two(int);\n", "names one two"),
        ("a.c", "#ifndef A_H\n#define A_H\n#define LIMIT 3\n#endif\n", "LIMIT"),
        ("a.c", "auto a = 3;\nint b = 4;\n", "b"),
        ("a.c", "typedef int (*cb)(void);\ntypedef void *(*far_cb)(int);\n", "cb far_cb"),
        ("a.c", "typedef char *text, line[80], fn(int);\ntypedef int (pred)(int);\n", "text line fn pred"),
        ("a.h", "typedef int (pred)(int);\n", "pred"),
        ("a.c", "int a, b = 2, *c, d[2];\nstatic const char *names[] = {0};\n", "a b c d names"),
        ("a.c", "static char *s = 0;\nint (*cb)(int);\nint f(void) { int own = 1; }\n", "s cb f"),
        ("a.h", "#define LIMIT 3\n", "LIMIT"),
        ("a.cpp", "bool operator==(A a, A b) { return 1; }\nbool operator<(A, A);\n", "operator== operator<"),
        ("a.cpp", "A& A::operator=(const A& o) { }\nchar **names() { }\n", "A::operator= names"),
        ("a.h", "struct A { T& ref(); T* ptr(); T** far(); bool operator==(T) const; };\n", "A ref ptr far operator=="),
        ("a.h", "T& ref(int);\nT* ptr(int);\n", "ref ptr"),
        ("a.h", "typedef int (*cb)(void);\ntypedef char *text, line[80];\nunion U { int a; };\n", "cb text line U"),
        ("a.h", "template <> struct hash<A> { };\ntemplate <> struct std::less<A> { };\n", "hash less"),
        ("a.h", "class A::Own { };\ntemplate <> int go<int>(int) { }\n", "Own go"),
        ("a.h", "char ***text(void);\nint (*f(int))(int);\nAPI int (get) (A *a);\nvoid g(int h(int));\n", "text f g"),
        ("a.h", "template <typename T> concept Small = sizeof(T) < 4;\n", "Small"),
        (
            "a.h",
            "\nAPI(char *) text(void);\nAPI(const char*) more(void);\nAPI(int) size(int a)\n{\n}\n",
            "text more size",
        ),
        ("a.h", "class API A { int m(); };\nstruct API_2 B final : A { int n(); };\nclass API C;\n", "A m B n"),
        ("a.rs", "impl<T> fmt::Display for A<T> { fn f() {} }\nimpl B for &'a C {}\nimpl d::E {}\n", "A f C E"),
        ("a.rs", "pub static LIMIT: usize = 3;\nstatic mut OTHER: i32 = 1;\nconst C: i32 = 1;\n", "LIMIT OTHER C"),
        ("a.rs", "net! {\n  #[a]\n  pub struct A { b: u8 }\n\n  impl A { fn c() {} }\n}\nfn d() {}\n", "A A c d"),
        ("a.rs", "impl A {\n    rt_time! {\n        pub fn b(&self) {}\n    }\n    fn c(&self) {}\n}\n", "A b c"),
        ("a.rs", "statics! {\n    static ref A: B = c();\n    pub static ref D: B = c();\n}\n", "A D"),
        ("a.rs", "fn a() {\n    quote! {\n        fn b() {}\n    }\n}\njson! { c: 1 }\nfn d() {}\n", "a d"),
        ("a.rs", "const _: () = assert!(A);\nconst B: i32 = 1;\n", "B"),
        ("a.php", "<?php\ndefine('A', 1);\n\\define(\"B\", 2);\nother('C', 3);\ndefine($d, 4);\n", "A B"),
        ("a.php", "<?php\nconst TOP = 1;\nclass A { const LIMIT = 3; }\n", "TOP A LIMIT"),
    ],
)
def test_names_are_found_however_they_are_defined(path: str, source: str, names: str) -> None:
    found = definitions(language_of(path), source.encode())
    assert [d.name.replace(" ", "_") for d in found] == names.split()
    assert all(d.line <= d.end_line for d in found)


@pytest.mark.parametrize("path", ["Basket.vue", "Basket.svelte"])
def test_of_a_component_the_scripts_are_read(path: str) -> None:
    source = (
        '<template>\n  <p @click="() => go()">{{ function no() {} }}</p>\n</template>\n'
        "<script>\nexport default {\n  methods: {\n    /** Adds. */\n    add() {\n    },\n"
        "    later: () => 1,\n  },\n};\n</script>\n"
        "<script setup lang='ts'>\nconst total = computed(() => 1)\nfunction send(): void {}\n</script>\n"
        "<style>a { }</style>\n"
    )
    found = definitions(language_of(path), source.encode())
    assert [(d.name, d.line, d.end_line) for d in found] == [
        ("add", 8, 9),
        ("later", 10, 10),
        ("total", 15, 15),
        ("send", 16, 16),
    ]
    assert found[0].documentation == "Adds."


@pytest.mark.parametrize(
    "opening",
    [
        "<script setup lang='ts' generic='T extends Map<string, Basket>'>",
        '<script src="./a.js" />\n<b/>\n<script\n  setup\n>',
    ],
)
def test_a_script_of_a_component_begins_where_its_tag_ends(opening: str) -> None:
    found = definitions("component", f"<p>{{</p>\n{opening}\nfunction send() {{}}\n</script>\n".encode())
    assert [d.name for d in found] == ["send"]


@pytest.mark.parametrize("part", [b"<script>", b"<script '\"", b"<script\"a<script' '"])
def test_scripts_that_are_never_closed_take_little_time(part: bytes) -> None:
    source = part * 50_000
    started = time.process_time()
    assert only_scripts(source).isspace()
    assert time.process_time() - started < 1.0


def test_a_conversion_is_called_by_its_operator_and_type() -> None:
    source = "struct A {\n  explicit operator bool() const;\n  operator int *() { }\n};\nA::operator char() const { }\n"
    found = definitions("cpp", source.encode())
    assert [d.name for d in found] == ["A", "operator bool", "operator int", "operator char"]


@pytest.mark.parametrize("path", ["a.c", "a.h"])
def test_a_macro_ends_on_its_last_line(path: str) -> None:
    found = definitions(language_of(path), b"#define A 1\n#define B(x) \\\n  f(x); \\\n  g(x)\n\nint c(void);\n")
    assert [(d.name, d.line, d.end_line) for d in found] == [("A", 1, 1), ("B", 2, 4), ("c", 6, 6)]


def test_macros_stay_in_a_signature() -> None:
    source = "\nAPI(int *) size(int a)\n{\n}\nclass API A : B { };\n"
    assert signatures("a.h", source) == ["API(int *) size(int a)", "class API A : B"]


def test_items_in_a_macro_of_rust_have_their_own_lines_and_what_is_said_of_them() -> None:
    source = b"cfg_net! {\n    /// Listens.\n    #[derive(Debug)]\n    pub struct A {\n        b: u8,\n    }\n}\n"
    (found,) = definitions("rust", source)
    assert (found.line, found.end_line, found.signature, found.documentation) == (4, 6, "    pub struct A", "Listens.")


def test_macros_that_are_never_closed_take_little_time() -> None:
    source = b"a! {\n // b\n" * 20_000
    started = time.process_time()
    assert without_macros("rust", source) == source
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_any_number_of_pointers_takes_little_time(language: str) -> None:
    source = f"int {'*' * 20_000}f();\nint g();\n".encode()
    started = time.process_time()
    assert [d.name for d in definitions(language, source)] == ["g"]
    assert time.process_time() - started < 1.0


A_CALL = "  <C = D>(\n    e?: E<\n      B,\n      C\n    >\n  ): Promise<C>\n"
CALLS = f"interface A<B = any> {{\n{A_CALL * 2}\n  // of it\n{A_CALL}}}\nclass F<G = any, H extends I = J> {{\n}}\n"


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.jsx", "f = () => <p class='a' for={b}>\n  <i in=\"c\" />\n</p>;\nfunction g() {}\n", ["f", "g"]),
        ("a.ts", CALLS, ["A", "F"]),
        (
            "a.h",
            "A_BEGIN\n\nA_TOO\nenum class B : char { C };\nA_EXPORT\n// D\ntemplate <class T> class D {\n};\n",
            ["B", "D"],
        ),
        ("a.h", "A_EXPORT template <class T> class B {\n  A_CONST inline auto c() -> int;\n};\n", ["B", "c"]),
        ("a.h", "#define A(b) \\\n  B_C\n\nstruct D {\n};\n", ["A", "D"]),
        ("a.ts", "class A {\n  b() {\n    return this.c\n      < this.d\n  }\n}\n", ["A", "b"]),
    ],
)
def test_what_a_grammar_takes_for_something_else_hides_nothing(path: str, source: str, names: list[str]) -> None:
    assert [d.name for d in definitions(language_of(path), source.encode())] == names


def test_types_of_flow_are_read_where_a_file_says_that_it_has_them() -> None:
    source = b"type A<B> = { c: B, ... };\nfunction e(f: any = {}): A<B> { if (f) { } }\nclass G<H> { i(): void { } }\n"
    found = definitions("javascript", b"/**\n * @flow strict\n */\n" + source)
    assert [d.name for d in found] == ["A", "e", "G", "i"]


def test_functions_that_are_given_a_name_are_known_beside_types_of_flow() -> None:
    source = b"A.b = function () {};\nmodule.exports = { c: () => 1, d() {} };\nexport default ({ e: () => 1 }: F);\n"
    assert [d.name for d in definitions("javascript", b"// @flow\n" + source)] == ["b", "c", "d", "e"]
