"""How Python projects are set up and tested."""
