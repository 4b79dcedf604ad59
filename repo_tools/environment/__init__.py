"""How a repository is set up and tested: detected, then built once into a layer."""
