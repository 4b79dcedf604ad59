"""A JavaScript test runner's start, sent as one text of these modules, of which `start` is the first."""
