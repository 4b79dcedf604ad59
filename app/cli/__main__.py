"""`python -m app.cli`: the same as `agent-fix`, for the processes that it starts itself."""

from app.cli.main import main

main()
