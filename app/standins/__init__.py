"""Local stand-ins for the services that agent-fix talks to: for the demo, the tests, and trying things out.

They answer as the real ones do, and refuse what the real ones refuse. They hold nothing worth stealing and listen on
loopback only.
"""
