"""What a shell would make of a text, as a tree. Nothing is run.

`parse` gives the tree of `syntax`; `walk` its single commands, with the conditions under which they are carried out.
"""
