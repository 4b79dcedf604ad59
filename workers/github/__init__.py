"""GitHub as the worker sees it: an App's tokens, the few calls it needs, and the host that runs work for."""
