"""What runs in a box during a test run: sent as text, Python >= 3.8, standard library and the box's own pytest.

`watcher` starts the runner, hears its two accounts through pipes, and signs them; `account` is the runner with a
plug-in that says what happens while it happens; `javascript` starts those of JavaScript. Here, only patterns of the
last are ever imported.
"""
