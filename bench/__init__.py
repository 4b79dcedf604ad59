"""Speed and memory beside the peers, measured in one run: `python -m bench [part…]`."""
