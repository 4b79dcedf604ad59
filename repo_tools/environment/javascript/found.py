"""What a stretch of a package's scripts comes to, as values. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from repo_tools.environment.javascript.script_commands import goes
from repo_tools.environment.javascript.suite import Suite


@dataclass(frozen=True)
class Step:
    """A command that is no suite, as a shell has it. `called`: what it comes to, where it calls a script or is several
    commands in one. `is_test`: it runs a script of tests, in a way that nobody knows. `is_spare`: it builds nothing
    that a suite needs, as it is called a test or happens in a container. `is_before`: it is of a script that is run
    before another one (``pretest``)."""

    text: str
    called: tuple[str, ...] = ()
    is_test: bool = False
    is_spare: bool = False
    is_before: bool = False

    @property
    def commands(self) -> tuple[str, ...]:
        return self.called or (self.text,)

    @property
    def goes(self) -> bool:
        """Whether it only leads to another folder."""
        return goes(self.text)


@dataclass(frozen=True)
class Found:
    """`steps`: what is carried out besides `suites`, and comes before what follows. `programs`: tests of the
    repository's own that are no suite -> the same after what builds them. `used`: what was carried out before any
    suite. `in_a_browser`: something was passed over that needs one. All but `suites` and `steps` hold whatever
    becomes of the steps."""

    suites: tuple[Suite, ...] = ()
    steps: tuple[Step, ...] = ()
    programs: Mapping[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    in_a_browser: bool = False

    def __add__(self, other: "Found") -> "Found":
        """What comes after it."""
        return Found(
            self.suites + other.suites,
            self.steps + other.steps,
            {**self.programs, **other.programs},
            self.used | other.used,
            self.in_a_browser or other.in_a_browser,
        )

    def with_steps(self, steps: Iterable[Step]) -> "Found":
        return replace(self, steps=tuple(steps))

    @property
    def goes(self) -> bool:
        """Whether a step leads to another folder."""
        return any(step.goes for step in self.steps)

    @property
    def texts(self) -> list[str]:
        return [step.text for step in self.steps]

    @property
    def builds(self) -> tuple[str, ...]:
        """What is run before a suite."""
        found = [step.text for step in self.steps if not step.is_spare]
        return tuple(found if self.goes else dict.fromkeys(found))  # in another folder it is another one
