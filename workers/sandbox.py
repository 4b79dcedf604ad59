"""The sandbox that a worker's settings ask for."""

import logging
from collections.abc import Callable

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.git_version import check_git
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.engines import open_engine
from repo_tools.sandbox.layers import LayerLimits
from repo_tools.sandbox.service import ServiceSources
from workers.settings import WorkerSettings

log = logging.getLogger(__name__)


def _warn(why: str) -> None:
    log.warning("not taken: %s", why)


def open_sandbox(
    settings: WorkerSettings,
    *,
    engine: str | None = None,
    image: str | None = None,
    passed_over: Callable[[str], object] = _warn,
) -> SandboxEngine:
    """ConfigError where none works, or a program that it rests on is too old. `engine` and `image` instead of the
    settings' own; `passed_over` is told of better engines that cannot be had, and why."""
    check_git()
    return open_engine(
        engine or settings.sandbox,
        settings.data_dir,
        image or settings.sandbox_image,
        runtime=settings.sandbox_runtime,
        accepted_runc=settings.accept_runc,
        layers=LayerLimits(settings.layer_cache_bytes, settings.layer_cache_days * 86_400.0),
        services=ServiceSources(settings.service_images, settings.service_programs),
        passed_over=passed_over,
    )


def open_with_image(settings: WorkerSettings, image: str) -> SandboxEngine:
    """Containers of another image than the settings' own. SandboxError where the engine does not have it."""
    try:
        return open_sandbox(settings, engine="docker", image=image)
    except ConfigError as error:
        raise SandboxError(error.problem) from error
