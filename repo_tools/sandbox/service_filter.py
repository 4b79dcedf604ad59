"""The system calls that code in a box does without, taken from services too: see `repo_tools.sandbox.box.syscalls`.

The images of services need not have a Python, but Debian's and Ubuntu's have a Perl, without which they do not
install packages. An image that has none runs under the engine's own filter alone.
"""

from importlib.resources import files

from repo_tools.sandbox.box import syscalls

PRCTL = {"x86_64": 157, "aarch64": 167}
"""Its number: asm/unistd_64.h, asm-generic/unistd.h."""
_TABLE = ", ".join(
    f"{name} => [{PRCTL[name]}, '{syscalls.program(machine).hex()}']" for name, machine in syscalls.MACHINES.items()
)
_PERL = f"""
my %filters = ({_TABLE});
my $machine = shift;
if (my $filter = $filters{{$machine}}) {{
    my $code = pack("H*", $filter->[1]);
    my $program = pack("S x!8 P", length($code) / 8, $code);
    syscall($filter->[0], {syscalls.PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
    syscall($filter->[0], {syscalls.PR_SET_SECCOMP}, {syscalls.SECCOMP_MODE_FILTER}, $program) == 0
        or die "seccomp: $!";
}}
exec {{ $ARGV[0] }} @ARGV or die "$ARGV[0]: $!";
"""
FILTERED_BY_PERL = (
    "sh",
    "-c",
    'program=$1; shift; command -v perl >/dev/null && exec perl -e "$program" "$(uname -m)" "$@"; exec "$@"',
    "sh",
    _PERL,
)
"""What stands before a command in a container."""


def filtered_by_python(python: str) -> list[str]:
    """What stands before a command where a Python is at hand."""
    source = files(syscalls.__package__).joinpath("syscalls.py").read_text("utf-8")
    program = f"{source}\nimport sys\nrestrict()\nos.execvp(sys.argv[1], sys.argv[1:])\n"
    return [python, "-I", "-S", "-c", program]
