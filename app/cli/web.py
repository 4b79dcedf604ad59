"""`agent-fix web`: the web process alone."""

from app.cli.options import Host, Port
from app.server import run_web
from app.settings import WebSettings
from workers.exposed import tell_exposed
from workers.load_settings import load_settings, make_data_dir


def web(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Run the web process: webhook, pages, API."""
    settings = load_settings(WebSettings)
    make_data_dir(settings)
    tell_exposed(settings)
    run_web(settings, host, port)
