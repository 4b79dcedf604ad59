"""What one service may use, on every backend."""

from repo_tools.sandbox.contract import Limits

SERVICE_LIMITS = Limits(
    memory_bytes=1536 << 20,
    processes=256,
    open_files=4096,
    workspace_bytes=768 << 20,
    temporary_bytes=64 << 20,
    home_bytes=64 << 20,
)
"""Its data lives on its workspace volume, which containers count as memory."""
