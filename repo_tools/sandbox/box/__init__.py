"""What runs inside of a box, as process 1: standard library only, Python >= 3.8, sent to the interpreter as text.

`frames` is both sides' format; `server` takes one call after the other; `commands`, `processes`, `files`, `tree`,
`archive` answer them; `children` starts and ends everything else in the box; `relay` carries the set-up phase's
connections out. See docs/design/0001-one-channel.md.
"""
