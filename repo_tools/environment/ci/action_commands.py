"""Actions of a marketplace that only run what they are given, as the script of a step without them. Nothing is run."""

from collections.abc import Callable, Mapping

Inputs = Mapping[str, str]


def _cargo(inputs: Inputs) -> str:
    """https://github.com/actions-rs/cargo"""
    toolchain = f"+{inputs['toolchain']}" if inputs.get("toolchain") else ""
    return " ".join(filter(None, ("cargo", toolchain, inputs.get("command"), *inputs.get("args", "").split("\n"))))


def _gradle(inputs: Inputs) -> str:
    """https://github.com/burrunan/gradle-cache-action, and what others took over from it"""
    return " ".join(("./gradlew", *inputs["arguments"].split("\n"))) if inputs.get("arguments") else ""


_SCRIPTS: Mapping[str, Callable[[Inputs], str]] = {
    **dict.fromkeys(("cargo", "rs-cargo"), _cargo),
    **dict.fromkeys(("gradle-cache-action", "gradle-build-action", "gradle-command-action", "setup-gradle"), _gradle),
    **dict.fromkeys(("retry", "wretry.action"), lambda inputs: inputs.get("command", "")),
    **dict.fromkeys(("xvfb-action", "setup-xvfb"), lambda inputs: inputs.get("run", "")),
}
"""Last part of an action's name -> the script that it runs with its inputs."""


def script_of_action(uses: str, inputs: Inputs) -> str:
    """Empty where the action does something of its own. Expressions stay as they are written."""
    script = _SCRIPTS.get(uses.partition("@")[0].rpartition("/")[2].lower())
    return script(inputs) if script else ""
