"""How a repository is set up and tested: detected, then built once into a layer.

`detect` makes a plan (an `Environment` of `contract`), `prepare` carries it out once in a set-up box, `run` runs the
tests. Each language has a detector: of Python and JavaScript in a package, of the others in one or a few modules
(`go*`, `java*`, `ruby*` and `rake`, `rust`; of C and C++ `native`, `make`, `*_switches`, `lenient`). In `ci` is what
the CI says beside them, in `runners` how each test runner is started and read, in `box_programs` and the modules called
`*_program` what runs inside of a box.
"""
