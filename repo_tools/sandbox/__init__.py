"""The box that repository code and agent-written code run in: one protocol, two backends."""
