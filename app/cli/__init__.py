"""The command line: `agent-fix`."""
