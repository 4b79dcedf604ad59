"""The web process as it is, except that it rings nobody: `python -m bench.unrung_web --host H --port P`.

Probot's handler that does nothing rings nobody either.
"""

import argparse
import socket

import uvicorn

from app.main import create_app
from app.server import server_config
from app.settings import WebSettings
from workers.load_settings import load_settings
from workers.store import open_store


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    settings = load_settings(WebSettings)
    store = open_store(settings.effective_database_url)
    app = create_app(settings, store, lambda _run_id: None, lambda: True, bound_to_loopback=True)
    uvicorn.Server(server_config(app)).run(sockets=[socket.create_server((arguments.host, arguments.port))])


if __name__ == "__main__":
    main()
