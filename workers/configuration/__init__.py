"""`.github/agent-fix.yml`: what the people of a repository say of its runs."""
