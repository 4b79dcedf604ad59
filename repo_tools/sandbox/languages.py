"""Languages that the base image has on request, as Debian 12 and its backports have them."""

from collections.abc import Iterable

_BACKPORTS = "/bookworm-backports"
LANGUAGES = {
    "go": (f"golang-go{_BACKPORTS}", f"golang-src{_BACKPORTS}"),
    "java": ("default-jdk-headless", "gradle", "maven"),
    "ruby": ("bundler", "rake", "ruby", "ruby-dev", "ruby-minitest", "ruby-rspec", "ruby-test-unit"),
    "rust": ("cargo-web", "rustc-web"),
}
"""Packages of each. Debian 12's own Go (1.19) and Rust (1.63) are older than what many repositories ask for; Rust's
packages whose names end in `-web`, which Debian keeps for building browsers, are as new as those have to be."""
LANGUAGE_OF = {
    "bundle": "ruby",
    "cargo": "rust",
    "go": "go",
    "gradle": "java",
    "java": "java",
    "mvn": "java",
    "ruby": "ruby",
}
"""Of each program that a repository may ask for."""


def packages_of(languages: Iterable[str]) -> tuple[str, ...]:
    return tuple(package for language in languages for package in LANGUAGES[language])


def wants_backports(languages: Iterable[str]) -> bool:
    """Nothing is taken from there but what is asked for by that name."""
    return any(package.endswith(_BACKPORTS) for package in packages_of(languages))
