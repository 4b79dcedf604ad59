"""What runs in a box, in set-up or in a test run: sent as text, Python >= 3.8, standard library and the box's own
pytest. The other side of each, which sends it and reads what it says, is in `runners`, or in the module of its
language.

`watcher` starts the test runner, hears its two accounts through pipes, and signs them; `account` is pytest with a
plug-in that says what happens while it happens; `javascript` starts the runners of JavaScript, and the `*_reporter.js`
are what these report with. Here, only patterns of `javascript` and a few names are ever imported.
"""
